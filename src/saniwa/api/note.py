"""What is found out about a request while it is answered, for whoever writes it down."""

from collections.abc import Mapping
from typing import Any, Final

REQUEST: Final = "saniwa.request"
"""In the scope: the request's note."""


class Note:
    """Filled in by whoever learns something; never with words, bodies or secrets."""

    __slots__ = ("code", "id", "route")

    def __init__(self, id: str) -> None:
        """A note under the request's own id."""
        self.id = id
        """The request's id."""
        self.route = ""
        """The path as the table has it: `/runs/{run}/moment`; empty for a page."""
        self.code = ""
        """The code of the problem that was answered; empty if there was none."""


def note_of(scope: Mapping[str, Any]) -> Note:
    """The request's note; one that nobody reads, where nothing is written down."""
    note = scope.get(REQUEST)
    return note if isinstance(note, Note) else Note("")
