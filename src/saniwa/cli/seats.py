"""Telling "take over the keeper" from "take the key": commands that change seats.

Their words are words of stories too, so a line is one only where it names somebody.
"""

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

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

    change: Direction
    """Which of the two."""
    who: str
    """Whose seat, as it was typed."""


def seat_change_in(text: str, names: Iterable[str]) -> SeatChange | None:
    """What a line changes about the seats; None for a line of story.

    With a slash in front it is a command whomever it names.
    """
    line = " ".join(text.split())
    known = {name.casefold() for name in names}
    for words, change in (_BEFORE | _SLASHED).items():
        for lead in (words, f"/{words}"):
            who = _rest(line, lead)
            if who and (lead.startswith("/") or who.casefold() in known):
                return SeatChange(change, who)
    for words, change in _BEHIND.items():
        who = line.removeprefix("/").removesuffix(words)
        if line.endswith(words) and who.casefold() in known:
            return SeatChange(change, who)
    return None


def _rest(line: str, lead: str) -> str:
    if not line.casefold().startswith(f"{lead} "):
        return ""
    rest = line[len(lead) + 1 :].strip()
    return rest[4:] if rest.casefold().startswith("the ") else rest
