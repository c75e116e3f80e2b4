"""Making something new for a request that may come twice, even at the same moment.

Whoever is second finds the name taken: made by itself, or by a stranger? Only what is
remembered tells, so nobody makes anything until that is settled for the one before.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from saniwa.core.alone import alone
from saniwa.turn.trace import Asked
from saniwa.wiring.garden.begun import Begun

LOCK: Final = ".saniwa-new.lock"
"""The file whose holder makes new things in its folder."""


def made_once(
    begun: Begun,
    folder: Path,
    owner: str,
    asked: Asked | None,
    id: str,
    make: Callable[[], None],
) -> str:
    """Make it, unless the same request did so before; the id of what was made.

    Args:
        begun: What is remembered.
        folder: Where it will lie.
        owner: Who asks.
        asked: The request; one without a key is never the same.
        id: What it is to go by.
        make: Makes it.

    Raises:
        StoreError: `IDEMPOTENCY_CONFLICT`, `LOCK_TIMEOUT`, `FILE_UNWRITABLE`.
        SaniwaError: What `make` raises; then nothing is remembered.
    """
    if asked is None:
        make()
        return id
    with alone(folder, LOCK):
        before = begun.before(owner, asked)
        if before is not None:
            return before
        make()
        return begun.remember(owner, asked, id)
