"""What can go wrong with a run, told with its cure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from saniwa.core.errors import ProtocolError, RunError, SaniwaError, StoreError
from saniwa.core.near import did_you_mean
from saniwa.core.where import Where
from saniwa.turn.trace import Option


def not_awaited(run_id: str) -> RunError:
    """Somebody chose where nothing was asked."""
    return RunError(
        "CHOICE_NOT_AWAITED",
        f"run {run_id!r} has asked no question",
        hint="say something instead; choose only after WaitBranch",
    )


def out_of_range(index: int, options: Sequence[Option]) -> RunError:
    """Somebody chose what was not offered."""
    return RunError(
        "CHOICE_OUT_OF_RANGE",
        f"there is no choice {index!r}",
        hint=f"choose from 0 to {len(options) - 1}",
        details={"index": index, "choices": [option.label for option in options]},
    )


def incomplete(
    kind: type[RunError] | type[ProtocolError],
    action: Mapping[str, Any],
    missing: str,
) -> SaniwaError:
    """An action lacks a field that it cannot do without."""
    return kind(
        "ACTION_INCOMPLETE",
        f"an action of type {action['type']!r} needs {missing!r}",
        where=Where(path="action"),
        hint=f"say what is meant in {missing!r}: nothing is guessed for an action; "
        "words that leave something out can be said",
        details={"type": action["type"], "missing": missing},
    )


def no_such_turn(
    run_id: str, count: int, what: str, turn: int, **details: str
) -> StoreError:
    """Something speaks of a turn that the run does not have."""
    return StoreError(
        "TRACE_CORRUPT",
        f"{what} is of turn {turn + 1}, and run {run_id!r} has {count} turns",
        hint="bring the store back from a copy, or load another save",
        details={"run": run_id, "turn": turn, **details},
    )


def no_such_save(name: str, there: Iterable[str]) -> RunError:
    """Somebody wants a save that the run does not have."""
    saves = list(there)
    return RunError(
        "SAVE_NOT_FOUND",
        f"there is no save {name!r} of this run",
        hint=did_you_mean(name, saves)
        or (f"there is: {', '.join(saves)}" if saves else "nothing was saved"),
        details={"save": name, "saves": saves},
    )
