"""The errors of runs, each with a hint that says what to do."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from saniwa.core.errors import ProtocolError, RunError, SaniwaError, StoreError
from saniwa.core.findings import SourceLocation
from saniwa.core.suggestions import suggest_nearest
from saniwa.runs import describe
from saniwa.turn.record import ClarificationOption


def make_busy_error(run: str) -> StoreError:
    """The error for a request that another process is still handling."""
    return describe("STORE_BUSY", run=run).to_error(StoreError)


def make_missing_world_error(run: str) -> RunError:
    """The error for a request that needs a world, to a story without one."""
    return describe("WORLD_MISSING", run=run).to_error(RunError)


def make_choice_not_awaited_error(run_id: str) -> RunError:
    """The error for a choice when no question is open."""
    return describe("CHOICE_NOT_AWAITED", run=run_id).to_error(RunError)


def make_choice_range_error(index: int, options: Sequence[ClarificationOption]) -> RunError:
    """The error for a choice that was not offered."""
    labels = [option.label for option in options]
    last = len(options) - 1
    said = describe("CHOICE_OUT_OF_RANGE", index=index, choices=labels, last=last)
    return said.to_error(RunError)


def make_incomplete_action_error(
    kind: type[RunError] | type[ProtocolError], action: Mapping[str, Any], missing: str
) -> SaniwaError:
    """The error for an action without a required field."""
    said = describe("ACTION_INCOMPLETE", type=action["type"], missing=missing)
    return said.to_error(kind, where=SourceLocation(path="action"))


def make_missing_turn_error(
    run_id: str, count: int, what: str, turn: int, **details: str
) -> StoreError:
    """The error for a reference to a turn that the run does not have."""
    said = describe("TRACE_CORRUPT", what=what, shown=turn + 1, run=run_id, count=count)
    return said.to_error(StoreError, details={"run": run_id, "turn": turn, **details})


def make_missing_save_error(name: str, there: Iterable[str]) -> RunError:
    """The error for a save that the run does not have."""
    saves = list(there)
    listed = f"there is: {', '.join(saves)}" if saves else "nothing was saved"
    near = suggest_nearest(name, saves)
    said = describe("SAVE_NOT_FOUND", hint=near, save=name, saves=saves, listed=listed)
    return said.to_error(RunError)
