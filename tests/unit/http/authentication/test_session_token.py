import base64
import json

import pytest
from msgspec.structs import replace

from saniwa.http import session_tokens
from saniwa.http.session_tokens import SessionToken
from saniwa.store.gate.people import GatePerson

KEY = b"k" * 32
ANN = GatePerson(name="アン", role="reviewer", salt="00", hash="ab" * 32, added_at="")
BADGE = SessionToken(name="アン", issued=1_000, expires=2_000, serial="5")


def find_ann(name: str) -> GatePerson | None:
    """Ann, the only person."""
    return ANN if name == ANN.name else None


def test_a_token_is_read_as_it_was_written() -> None:
    """A token is read back with its person, in any script."""
    text = session_tokens.encode_token(KEY, BADGE, ANN)

    assert (BADGE, ANN) == session_tokens.decode_token(KEY, text, find_ann, 1_000)
    assert set(text) <= set(base64.urlsafe_b64encode(bytes(range(256))).decode() + ".")


@pytest.mark.parametrize(("now", "counts"), [(999, 0), (1_000, 1), (1_999, 1), (2_000, 0)])
def test_a_token_is_valid_from_then_until_then(now: int, counts: int) -> None:
    """A token is valid from its issue until its end."""
    text = session_tokens.encode_token(KEY, BADGE, ANN)

    assert bool(counts) == (session_tokens.decode_token(KEY, text, find_ann, now) is not None)


def test_a_token_ends_with_its_person_and_with_the_secret() -> None:
    """A token is invalid once its person is removed or has another secret."""
    text = session_tokens.encode_token(KEY, BADGE, ANN)
    other = replace(ANN, hash="cd" * 32)

    assert session_tokens.decode_token(KEY, text, lambda _: None, 1_500) is None
    assert session_tokens.decode_token(KEY, text, lambda _: other, 1_500) is None
    assert session_tokens.decode_token(b"x" * 32, text, find_ann, 1_500) is None


def test_no_character_of_a_token_can_be_changed() -> None:
    """Changing any character invalidates a token."""
    text = session_tokens.encode_token(KEY, BADGE, ANN)
    forged = [
        text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :] for at in range(len(text))
    ]

    assert [] == [
        each for each in forged if session_tokens.decode_token(KEY, each, find_ann, 1_500)
    ]


@pytest.mark.parametrize(
    "text", ["", ".", "..", "a.b", "é.é", "\x00", "[]." + "0" * 64, "W10." + "0" * 64, "A" * 10**6]
)
def test_any_text_can_be_shown(text: str) -> None:
    """Any text that is not a token gives None."""
    assert session_tokens.decode_token(KEY, text, find_ann, 1_500) is None


def test_what_is_too_long_is_not_looked_at() -> None:
    """A text that is too long is refused before any lookup."""

    def refuse_lookup(name: str) -> GatePerson | None:
        raise AssertionError(name)

    text = session_tokens.encode_token(KEY, replace(BADGE, name="x" * 1_000), ANN)

    assert session_tokens.decode_token(KEY, text, refuse_lookup, 1_500) is None


def test_there_is_no_secret_in_a_token() -> None:
    """A token contains neither a secret nor a role."""
    payload = session_tokens.encode_token(KEY, BADGE, ANN).partition(".")[0]
    content = json.loads(base64.urlsafe_b64decode(payload + "=="))

    assert ["アン", 1_000, 2_000, "5", 0] == content


def test_the_word_next_to_a_token_is_its_own() -> None:
    """Each token and key has its own CSRF token, which a renewal keeps."""
    other, renewed = replace(BADGE, serial="6"), replace(BADGE, seen=1_500)
    words = {
        session_tokens.derive_csrf_token(KEY, BADGE),
        session_tokens.derive_csrf_token(KEY, other),
    }

    assert 3 == len(words | {session_tokens.derive_csrf_token(b"x" * 32, BADGE)})
    assert session_tokens.derive_csrf_token(KEY, BADGE) == session_tokens.derive_csrf_token(
        KEY, renewed
    )


@pytest.mark.parametrize(
    ("seen", "idle", "counts"),
    [
        (0, session_tokens.IDLE_MILLISECONDS - 1, True),
        (0, session_tokens.IDLE_MILLISECONDS, False),
        (session_tokens.IDLE_MILLISECONDS, session_tokens.IDLE_MILLISECONDS + 1, True),
        (session_tokens.IDLE_MILLISECONDS, 2 * session_tokens.IDLE_MILLISECONDS, False),
    ],
)
def test_an_unused_token_expires(seen: int, idle: int, counts: bool) -> None:
    """A token that was not used or renewed for some hours is invalid."""
    badge = SessionToken(name="アン", issued=0, expires=10**9, serial="5", seen=seen)
    text = session_tokens.encode_token(KEY, badge, ANN)

    assert counts is (session_tokens.decode_token(KEY, text, find_ann, idle) is not None)


def test_a_token_from_before_renewals_is_read() -> None:
    """A token from before renewals existed is valid."""
    payload = base64.urlsafe_b64encode('["アン",1000,2000,"5"]'.encode()).rstrip(b"=")
    text = f"{payload.decode()}.{session_tokens._compute_seal(KEY, payload, ANN)}"

    assert (BADGE, ANN) == session_tokens.decode_token(KEY, text, find_ann, 1_000)
