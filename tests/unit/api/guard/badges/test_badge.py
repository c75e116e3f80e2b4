import base64
import json

import pytest
from msgspec.structs import replace

from saniwa.api.guard.badges import badge as badges
from saniwa.api.guard.badges.badge import Badge
from saniwa.store.gate.people.file import Person

KEY = b"k" * 32
ANN = Person(name="アン", role="reviewer", salt="00", hash="ab" * 32, added_at="")
BADGE = Badge(name="アン", issued=1_000, expires=2_000, serial="5")


def known(name: str) -> Person | None:
    """Only ann is."""
    return ANN if name == ANN.name else None


def test_a_badge_is_read_as_it_was_written() -> None:
    """Who has signed in is known by the badge, also in other scripts."""
    text = badges.write(KEY, BADGE, ANN)

    assert (BADGE, ANN) == badges.read(KEY, text, known, 1_000)
    assert set(text) <= set(base64.urlsafe_b64encode(bytes(range(256))).decode() + ".")


@pytest.mark.parametrize(
    ("now", "counts"), [(999, 0), (1_000, 1), (1_999, 1), (2_000, 0)]
)
def test_a_badge_counts_from_then_until_then(now: int, counts: int) -> None:
    """Before it was issued and after its end a badge is nothing."""
    text = badges.write(KEY, BADGE, ANN)

    assert bool(counts) == (badges.read(KEY, text, known, now) is not None)


def test_a_badge_ends_with_its_person_and_with_the_secret() -> None:
    """Who is removed, or has another secret now, is known by it no longer."""
    text = badges.write(KEY, BADGE, ANN)
    other = replace(ANN, hash="cd" * 32)

    assert badges.read(KEY, text, lambda _: None, 1_500) is None
    assert badges.read(KEY, text, lambda _: other, 1_500) is None
    assert badges.read(b"x" * 32, text, known, 1_500) is None


def test_no_letter_of_a_badge_can_be_changed() -> None:
    """Whatever letter is another, the badge is forged."""
    text = badges.write(KEY, BADGE, ANN)
    forged = [
        text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :]
        for at in range(len(text))
    ]

    assert [] == [each for each in forged if badges.read(KEY, each, known, 1_500)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "..",
        "a.b",
        "é.é",
        "\x00",
        "[]." + "0" * 64,
        "W10." + "0" * 64,
        "A" * 10**6,
    ],
)
def test_any_text_can_be_shown(text: str) -> None:
    """What is no badge is none, and breaks nothing."""
    assert badges.read(KEY, text, known, 1_500) is None


def test_what_is_too_long_is_not_looked_at() -> None:
    """Nobody is looked for by a name that nobody can have."""

    def nobody(name: str) -> Person | None:
        raise AssertionError(name)

    text = badges.write(KEY, replace(BADGE, name="x" * 1_000), ANN)

    assert badges.read(KEY, text, nobody, 1_500) is None


def test_there_is_no_secret_in_a_badge() -> None:
    """What is kept of a secret is in no cookie, and neither is a role."""
    payload = badges.write(KEY, BADGE, ANN).partition(".")[0]
    content = json.loads(base64.urlsafe_b64decode(payload + "=="))

    assert ["アン", 1_000, 2_000, "5", 0] == content


def test_the_word_beside_a_badge_is_its_own() -> None:
    """Another badge, or another key, has another word."""
    other, renewed = replace(BADGE, serial="6"), replace(BADGE, seen=1_500)
    words = {badges.csrf_of(KEY, BADGE), badges.csrf_of(KEY, other)}

    assert 3 == len(words | {badges.csrf_of(b"x" * 32, BADGE)})
    assert badges.csrf_of(KEY, BADGE) == badges.csrf_of(KEY, renewed)


@pytest.mark.parametrize(
    ("seen", "idle", "counts"),
    [
        (0, badges.IDLE - 1, True),
        (0, badges.IDLE, False),
        (badges.IDLE, badges.IDLE + 1, True),
        (badges.IDLE, 2 * badges.IDLE, False),
    ],
)
def test_a_badge_that_nobody_uses_ends(seen: int, idle: int, counts: bool) -> None:
    """Hours after it was given or renewed, also long before its own end."""
    badge = Badge(name="アン", issued=0, expires=10**9, serial="5", seen=seen)
    text = badges.write(KEY, badge, ANN)

    assert counts is (badges.read(KEY, text, known, idle) is not None)


def test_a_badge_from_before_renewals_is_read() -> None:
    """Who signed in before the server was updated stays signed in."""
    payload = base64.urlsafe_b64encode('["アン",1000,2000,"5"]'.encode()).rstrip(b"=")
    text = f"{payload.decode()}.{badges._seal(KEY, payload, ANN)}"

    assert (BADGE, ANN) == badges.read(KEY, text, known, 1_000)
