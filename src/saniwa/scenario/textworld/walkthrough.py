"""The lines that win a game, as the game gives them."""

from saniwa.scenario import shape
from saniwa.scenario.code import Code
from saniwa.scenario.page import Page
from saniwa.scenario.shape import Held
from saniwa.scenario.textworld.quest import Quest


def read_walkthrough(
    page: Page, metadata: Held | None, quests: list[Quest]
) -> tuple[str, ...]:
    """The game's own walkthrough, else that of its one quest; none with a finding."""
    given = metadata.value.get("walkthrough") if metadata is not None else None
    if given is not None and metadata is not None:
        path = (*metadata.path, "walkthrough")
        if shape.well_formed(page, given, path, "names", "'walkthrough'"):
            return tuple(given)
        return ()
    to_win = [quest for quest in quests if quest.wins]
    if len(to_win) == 1 and to_win[0].commands:
        return to_win[0].commands
    message = "the game has no walkthrough; none is written"
    page.warn(Code.FIELD_MISSING, message, ("metadata",))
    return ()
