import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.redaction import MARK, Redactor, find_environment_secrets

_KEY = "sk-0123456789"


def test_a_secret_is_replaced_everywhere() -> None:
    """A secret is replaced everywhere; of two that overlap, the longer one counts."""
    redaction = Redactor([_KEY, f"{_KEY}-more"])

    assert f"a {MARK} b{MARK}" == redaction.redact_text(f"a {_KEY}-more b{_KEY}")


def test_short_values_are_no_secrets() -> None:
    """A short value such as `true` or `1` is not treated as a secret."""
    assert "it is true" == Redactor(["true", "1", ""]).redact_text("it is true")


def test_a_secret_in_a_text_that_is_json_is_replaced() -> None:
    """A secret in a JSON text is replaced, even if JSON escapes its characters."""
    secret = 'quo"te\\d\n-鍵-secret'
    said = {"text": f"my {secret}!"}

    cleaned = Redactor([secret]).redact_text(msgspec.json.encode(said).decode())

    assert {"text": f"my {MARK}!"} == msgspec.json.decode(cleaned)


def test_texts_of_a_document_are_redacted_and_nothing_else() -> None:
    """Texts are redacted; keys, numbers and the given document stay unchanged."""
    said = {
        "iteration": 1,
        "at": 12345678,
        "deep": [{"a": ("the iteration", 12345678.5)}, None, True, "x12345678"],
    }
    whole = msgspec.json.encode(said)

    cleaned = Redactor(["iteration", "12345678"]).redact_values(said)

    assert {
        "iteration": 1,
        "at": 12345678,
        "deep": [{"a": [f"the {MARK}", 12345678.5]}, None, True, f"x{MARK}"],
    } == cleaned
    assert whole == msgspec.json.encode(said)


def _redact_by_hand(document: Any, redaction: Redactor) -> Any:
    match document:
        case str():
            return redaction.redact_text(document)
        case list():
            return [_redact_by_hand(each, redaction) for each in document]
        case dict():
            return {key: _redact_by_hand(each, redaction) for key, each in document.items()}
    return document


_LETTERS = st.text('a"\\\n\x01鍵\ud800/', max_size=12)
_DOCUMENTS = st.recursive(
    _LETTERS | st.integers() | st.none(),
    lambda inner: st.lists(inner) | st.dictionaries(_LETTERS, inner),
    max_leaves=6,
)


@given(_DOCUMENTS, _LETTERS.map(lambda text: f'"{text}\\n---'))
def test_no_text_of_a_document_is_overlooked(said: Any, secret: str) -> None:
    """A document is redacted exactly as if each of its texts were redacted alone."""
    redaction = Redactor([secret])
    in_json = json.dumps(secret, ensure_ascii=False)

    for text in ("", secret, in_json):
        document = {"deep": [said, f"my {text}!"]}
        assert _redact_by_hand(document, redaction) == redaction.redact_values(document)


def test_a_document_may_be_as_deep_as_it_likes() -> None:
    """A document nested ten thousand levels deep is redacted too."""
    deep: list[object] = [_KEY]
    for _ in range(10_000):
        deep = [deep]

    cleaned = Redactor([_KEY]).redact_values(deep)
    for _ in range(10_000):
        (cleaned,) = cleaned

    assert [MARK] == cleaned


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY",
        "APIKEY",
        "MY_APIKEY",
        "GITHUB_TOKEN",
        "GITHUB_TOKEN_2",
        "NPM_TOKEN2",
        "client_secret",
        "PGPASSWORD",
        "DB_PASSWORD",
        "SMTP_PASS",
        "AZURE_PAT",
        "AUTHORIZATION",
        "HTTP_AUTHORIZATION",
        "GPG_PASSPHRASE",
        "SESSION_COOKIE",
        "SENTRY_DSN",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "SECRET_KEY_BASE",
        "GOOGLE_APPLICATION_CREDENTIALS",
    ],
)
def test_secrets_are_found_by_the_names_of_variables(name: str) -> None:
    """Variables named a key, a token, a secret or a password are secrets."""
    assert (_KEY,) == find_environment_secrets({name: _KEY})


@pytest.mark.parametrize(
    "name", ["KEYBOARD", "PATH", "MONKEY", "COMPASS", "KEY_COUNT", "TOKENS_MOST"]
)
def test_other_variables_hold_no_secrets(name: str) -> None:
    """A name that only resembles one of a secret is not one."""
    assert () == find_environment_secrets({name: _KEY})


@pytest.mark.parametrize(
    ("value", "secrets"),
    [
        ("postgres://me:p4ssw0rd%21@host/db", ("p4ssw0rd%21", "p4ssw0rd!")),
        ("http://me:p4ssw0rd@proxy:80", ("p4ssw0rd",)),
        ("http://host:8080/a@b", ()),
        ("https://host/path", ()),
    ],
)
def test_the_password_of_an_address_is_a_secret(value: str, secrets: tuple[str, ...]) -> None:
    """The password in an address is a secret, whatever the variable is called; the rest is not."""
    assert secrets == find_environment_secrets({"DATABASE_URL": value})


@pytest.mark.parametrize(
    ("value", "is_secret"),
    [
        ("iteration", False),
        ("created_at", False),
        ("Iteration", False),
        ("STEP_CHECKED", False),
        ("iteration1", True),
        ("iteRation", True),
        ("correct-horse-battery-staple", True),
    ],
)
def test_a_few_plain_words_are_no_secret(value: str, is_secret: bool) -> None:
    """A few plain words such as `SORT_KEY=iteration` are not a secret; a longer passphrase is."""
    assert is_secret == bool(find_environment_secrets({"SORT_KEY": value}))


def test_another_secret_can_be_reported() -> None:
    """`add_secrets` returns a new redactor, and leaves the first one unchanged."""
    one = Redactor([_KEY])

    assert f"{MARK} {MARK}" == one.add_secrets("another-secret").redact_text(
        f"{_KEY} another-secret"
    )
    assert "another-secret" == one.redact_text("another-secret")


def test_it_reveals_nothing_it_knows() -> None:
    """The `repr` of a redactor shows no secret."""
    assert _KEY not in repr(Redactor([_KEY]))


@given(st.lists(st.sampled_from(["sk-", "0123", "456789", "sk-01", "a", "89 "])))
def test_what_is_held_back_is_enough(pieces: list[str]) -> None:
    """A text shown piece by piece, with the held back end, never shows a secret."""
    redaction, told, waiting = Redactor([_KEY]), "", ""
    for piece in pieces:
        known = redaction.redact_text(waiting + piece)
        held = redaction.count_held_back(known)
        told, waiting = told + known[: len(known) - held], known[len(known) - held :]

    assert redaction.redact_text("".join(pieces)) == told + waiting
