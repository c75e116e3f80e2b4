"""The lines that win a game, as the game gives them."""

from collections.abc import Collection

from saniwa.scenario import shape
from saniwa.scenario.code import Code
from saniwa.scenario.page import Page, Path
from saniwa.scenario.shape import Held
from saniwa.scenario.textworld.quest import Quest


def read_walkthrough(
    page: Page,
    metadata: Held | None,
    quests: list[Quest],
    opened: Collection[str] = (),
) -> tuple[str, ...]:
    """The game's own walkthrough, else that of its one quest; none with a finding.

    `opened` are the names of what stands open at first.
    """
    given = metadata.value.get("walkthrough") if metadata is not None else None
    if given is not None and metadata is not None:
        path = (*metadata.path, "walkthrough")
        if shape.well_formed(page, given, path, "names", "'walkthrough'"):
            return _opened_once(page, tuple(given), path, set(opened))
        return ()
    to_win = [quest for quest in quests if quest.wins]
    if len(to_win) == 1 and to_win[0].commands:
        return to_win[0].commands
    message = "the game has no walkthrough; none is written"
    page.warn(Code.FIELD_MISSING, message, ("metadata",))
    return ()


def _opened_once(
    page: Page, lines: tuple[str, ...], path: Path, opened: set[str]
) -> tuple[str, ...]:
    """The lines without those that open what is open already.

    Cooking games tell the way through a door as if it were shut, each time anew.
    """
    kept: list[str] = []
    for line in lines:
        # What is no text has been found wrong already.
        verb, _, thing = str(line).partition(" ")
        if verb == "open" and thing in opened:
            continue
        if verb == "open":
            opened.add(thing)
        elif verb == "close":
            opened.discard(thing)
        kept.append(line)
    if len(kept) < len(lines):
        count = len(lines) - len(kept)
        message = (
            f"{count} lines of the walkthrough open what is open, and are left out"
        )
        page.note(Code.GAME_UNSUPPORTED, message, path)
    return tuple(kept)
