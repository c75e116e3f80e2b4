import msgspec
from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.redaction import MARK, Redaction, environment_secrets

_KEY = "sk-0123456789"


def test_a_secret_is_replaced_wherever_it_stands() -> None:
    """Every place, and the longer of two that overlap first."""
    redaction = Redaction([_KEY, f"{_KEY}-more"])

    assert f"a {MARK} b{MARK}" == redaction.text(f"a {_KEY}-more b{_KEY}")


def test_short_values_are_no_secrets() -> None:
    """A value such as `true` or `1` stands in any text and is left alone."""
    assert "it is true" == Redaction(["true", "1", ""]).text("it is true")


def test_a_secret_in_json_is_replaced_and_it_stays_json() -> None:
    """Also one with letters that JSON writes in another way."""
    secret = 'quo"te\\d-鍵-secret'
    said = {"text": f"my {secret}!", secret: 1}

    cleaned = Redaction([secret]).document(msgspec.json.encode(said))

    assert {"text": f"my {MARK}!", MARK: 1} == msgspec.json.decode(cleaned)


def test_secrets_are_found_by_the_names_of_variables() -> None:
    """What is called a key, a token, a secret or a password is one."""
    environment = {
        "OPENAI_API_KEY": "a",
        "GITHUB_TOKEN": "b",
        "client_secret": "c",
        "PGPASSWORD": "d",
        "DB_PASSWORD": "e",
        "KEYBOARD": "f",
        "PATH": "g",
        "MONKEY": "h",
    }

    assert {"a", "b", "c", "d", "e"} == set(environment_secrets(environment))


def test_it_tells_nobody_what_it_knows() -> None:
    """Printed in a log or a traceback, it shows no secret."""
    assert _KEY not in repr(Redaction([_KEY]))


@given(st.lists(st.sampled_from(["sk-", "0123", "456789", "sk-01", "a", "89 "])))
def test_what_is_held_back_is_enough(pieces: list[str]) -> None:
    """A text told piece by piece, its held end kept back, never shows a secret."""
    redaction, told, waiting = Redaction([_KEY]), "", ""
    for piece in pieces:
        known = redaction.text(waiting + piece)
        held = redaction.held(known)
        told, waiting = told + known[: len(known) - held], known[len(known) - held :]

    assert redaction.text("".join(pieces)) == told + waiting
