"""Replacing a record that others may replace at the same time."""

from collections.abc import Callable
from typing import Final

from saniwa.core.errors import StoreError
from saniwa.store.plays.port import Plays

TRIES: Final = 5
"""How often others may come first before we give up."""
_OVERTAKEN: Final = frozenset({"REVISION_CONFLICT", "RUN_EXISTS", "RUN_NOT_FOUND"})

Renew = Callable[[bytes | None], bytes | None]
"""Makes the new content from the old, which is None where there is none.

None for the new one leaves everything as it is.
"""


def renewed(plays: Plays, id: str, renew: Renew) -> None:
    """Put what is made of a record in its place; nothing that others keep is lost.

    Raises:
        StoreError: It could not be kept; others came first too often.
    """
    for left in reversed(range(TRIES)):
        try:
            _tried(plays, id, renew)
        except StoreError as problem:
            if problem.code not in _OVERTAKEN or not left:
                raise
        else:
            return


def _tried(plays: Plays, id: str, renew: Renew) -> None:
    kept = plays.get(id)
    content = renew(kept.content if kept else None)
    if content is None:
        return
    if kept is None:
        plays.create(id, content)
    else:
        plays.put(id, content, after=kept.revision)
