"""Telling "take over the keeper" from "hand back the key": commands that change seats.

Their words are words of stories too. A line is a command where it names somebody; at a
table where seats have been given, also where it names nothing that a story knows.
"""

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from saniwa.turn.own_words import is_pronoun

Direction = Literal["take", "hand"]

_BEFORE: Final[dict[str, Direction]] = {
    "take over": "take",
    "hand back": "hand",
    "引き継ぐ": "take",
    "引継ぐ": "take",
    "交代": "take",
    "任せる": "hand",
    "まかせる": "hand",
}
_BEHIND: Final[dict[str, Direction]] = {
    "を引き継ぐ": "take",
    "と交代": "take",
    "と交代する": "take",
    "に任せる": "hand",
    "にまかせる": "hand",
    "を任せる": "hand",
}
_SLASHED: Final[dict[str, Direction]] = {"/take": "take", "/hand": "hand"}


class SeatChange(NamedTuple):
    """Somebody wants to play another seat, or to give one back."""

    direction: Direction
    """Which of the two."""
    who: str
    """Whose seat, as it was typed; empty where nobody was named."""


class Names(NamedTuple):
    """What can be meant at a table."""

    people: frozenset[str]
    """Everything a character may be called."""
    things: frozenset[str] = frozenset()
    """Everything that a line of story may be about."""
    seated: bool = False
    """Whether seats have been given here, so that there is something to change."""

    @classmethod
    def of(
        cls, people: Iterable[str], things: Iterable[str] = (), *, seated: bool = False
    ) -> "Names":
        """The names, however they are written."""
        return cls(_folded(people), _folded(things), seated)

    def mean(self, who: str) -> bool:
        """Whether somebody is meant, though it may be nobody there is."""
        said = who.casefold()
        if said in self.people:
            return True
        story = is_pronoun(who) or "を" in who or any(t in said for t in self.things)
        return self.seated and not story


def seat_change_in(text: str, names: Names) -> SeatChange | None:
    """What a line changes about the seats; None for a line of story.

    With a slash in front it is a command whomever it names.
    """
    line = " ".join(text.split())
    for words, direction in (_BEFORE | _SLASHED).items():
        for lead in (words, f"/{words}"):
            who = _rest(line, lead)
            if who is not None and (lead.startswith("/") or names.mean(who)):
                return SeatChange(direction, who)
    for words, direction in _BEHIND.items():
        who = line.removeprefix("/").removesuffix(words)
        if line.endswith(words) and names.mean(who):
            return SeatChange(direction, who)
    return None


def _folded(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.casefold() for name in names if name)


def _rest(line: str, lead: str) -> str | None:
    """What follows the words; None where they do not begin the line."""
    if line.casefold() == lead:
        return ""
    if not line.casefold().startswith(f"{lead} "):
        return None
    rest = line[len(lead) + 1 :].strip()
    return rest[4:] if rest.casefold().startswith("the ") else rest
