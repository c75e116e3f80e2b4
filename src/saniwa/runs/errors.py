"""The errors of runs, each with a hint that says what to do."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from saniwa.core.errors import ProtocolError, RunError, SaniwaError, StoreError
from saniwa.core.findings import SourceLocation
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.turn.record import ClarificationOption


def make_busy_error(run: str) -> StoreError:
    """The error for a request that another process is still handling."""
    return StoreError(
        "STORE_BUSY",
        f"another process is handling the same request for run {quote_value(run)}",
        hint="send it again with the same key; it is done only once",
        recoverable=True,
        details={"run": run},
    )


def make_missing_world_error(run: str) -> RunError:
    """The error for a request that needs a world, to a story without one."""
    return RunError(
        "WORLD_MISSING",
        f"run {quote_value(run)} is a story without a world",
        hint="watch a run of a scenario, or of a story with a world",
        details={"run": run},
    )


def make_choice_not_awaited_error(run_id: str) -> RunError:
    """The error for a choice when no question is open."""
    return RunError(
        "CHOICE_NOT_AWAITED",
        f"run {run_id!r} has not asked a question",
        hint="send words instead; choose only after WaitBranch",
    )


def make_choice_range_error(index: int, options: Sequence[ClarificationOption]) -> RunError:
    """The error for a choice that was not offered."""
    return RunError(
        "CHOICE_OUT_OF_RANGE",
        f"there is no choice {index!r}",
        hint=f"choose from 0 to {len(options) - 1}",
        details={"index": index, "choices": [option.label for option in options]},
    )


def make_incomplete_action_error(
    kind: type[RunError] | type[ProtocolError], action: Mapping[str, Any], missing: str
) -> SaniwaError:
    """The error for an action without a required field."""
    return kind(
        "ACTION_INCOMPLETE",
        f"an action of type {action['type']!r} needs {missing!r}",
        where=SourceLocation(path="action"),
        hint=f"give {missing!r}: an action must be complete; "
        "only typed words may leave something out",
        details={"type": action["type"], "missing": missing},
    )


def make_missing_turn_error(
    run_id: str, count: int, what: str, turn: int, **details: str
) -> StoreError:
    """The error for a reference to a turn that the run does not have."""
    return StoreError(
        "TRACE_CORRUPT",
        f"{what} is of turn {turn + 1}, and run {run_id!r} has {count} turns",
        hint="restore the store from a backup, or load another save",
        details={"run": run_id, "turn": turn, **details},
    )


def make_missing_save_error(name: str, there: Iterable[str]) -> RunError:
    """The error for a save that the run does not have."""
    saves = list(there)
    return RunError(
        "SAVE_NOT_FOUND",
        f"there is no save {name!r} of this run",
        hint=suggest_nearest(name, saves)
        or (f"there is: {', '.join(saves)}" if saves else "nothing was saved"),
        details={"save": name, "saves": saves},
    )
