"""What is kept of a run besides its turns."""

from typing import Any

import msgspec


class _Kept(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True
):
    """Kept records are written in camelCase."""


class RunRecord(_Kept, frozen=True):
    """Everything needed to play a run again from nothing: a run owns its conditions.

    The scenario and the books are kept whole, so that a file edited later changes no
    run that has begun.
    """

    run_id: str
    """`run-` and a UUIDv7."""
    scenario_id: str
    """The scenario's name."""
    scenario: dict[str, Any]
    """The scenario document, as it was."""
    scenario_hash: str
    """Its published hash."""
    world_hash: str
    """The published hash of the world it opened with."""
    books: tuple[dict[str, Any], ...]
    """The rulebook's layers as documents, lowest first."""
    actor_id: str
    """Whom the player plays."""
    language: str = "en"
    """The language it is told in."""
    seed: int = 0
    """Where chance starts, for whatever asks for it."""
    created: int = 0
    """Milliseconds since 1970."""
    version: str = ""
    """The Saniwa version that opened it."""


class RunSummary(_Kept, frozen=True):
    """One line about a run, for lists."""

    run_id: str
    """The run."""
    scenario_id: str
    """What it plays."""
    created: int
    """Milliseconds since 1970."""
    turns: int
    """How many turns it has."""


class Save(_Kept, frozen=True):
    """A name for a point in a run, to come back to."""

    run_id: str
    """The run."""
    name: str
    """The player's name for it."""
    turn: int
    """The turn after which it was saved; -1 for the very beginning."""
    created: int = 0
    """Milliseconds since 1970."""
