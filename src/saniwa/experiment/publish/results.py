"""`results.json` and `run_meta.json`: the experiment in figures, and what it ran on."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec

from saniwa.experiment.layout import ARTIFACTS, folder_name
from saniwa.experiment.measure.model import Analysis, Numbers
from saniwa.experiment.measure.published import stats_of
from saniwa.experiment.outcome import Outcome
from saniwa.experiment.plan import Condition, Prepared

STAND_IN: Final = "stand-in"
"""What stands for a model where none is asked."""


class Ran(NamedTuple):
    """What `results.json` keeps of a cell."""

    numbers: Numbers
    """What was counted."""
    stopped: str
    """Why it ended before its last turn; empty where it did not."""
    error: str
    """The code of what stopped it for good; empty where it ran."""
    error_message: str
    """The same in a sentence."""


def ran(outcome: Outcome, numbers: Numbers) -> Ran:
    """The same of an outcome, with what was counted in it."""
    return Ran(numbers, outcome.stopped, outcome.error, outcome.error_message)


def results(
    prepared: Prepared, cells: Sequence[Ran], analysis: Analysis | None
) -> dict[str, Any]:
    """`results.json`."""
    plan = prepared.plan
    return {
        "experiment_id": plan.experiment_id,
        "mode": plan.mode,
        "model": _one_or_all([each.model or STAND_IN for each in plan.conditions]),
        "seeds": plan.seeds,
        "max_turns": plan.max_turns,
        "metadata": _metadata(prepared, cells),
        "run_meta": run_meta(prepared),
        "conditions": {each.name: _condition(each, cells) for each in plan.conditions},
        "analysis": analysis,
    }


def run_meta(prepared: Prepared) -> dict[str, Any]:
    """Which scenarios ran, and under what."""
    scenarios = {
        name: {**setting.meta, "world_canonical": setting.canonical}
        for name, setting in prepared.settings.items()
    }
    return {"scenarios": scenarios, "gm_version": prepared.version}


def _metadata(prepared: Prepared, cells: Sequence[Ran]) -> dict[str, Any]:
    plan = prepared.plan
    temperatures = [_temperature(each, cells) for each in plan.conditions]
    return {
        "saniwa_version": prepared.version,
        "fingerprint": prepared.fingerprint,
        "question": plan.question,
        "profile": plan.profile,
        "scenarios": plan.scenarios,
        "factors": plan.factors,
        "order_seed": plan.order_seed,
        "temperature": _one_or_all([each for each in temperatures if each is not None]),
        "max_tokens": plan.max_tokens,
        "max_retries": plan.max_retries,
        "stop_after_give_ups": plan.stop_after_give_ups,
        "gm_base_url": None,
        "llm_url": plan.llm_url or None,
    }


def _condition(condition: Condition, cells: Sequence[Ran]) -> dict[str, Any]:
    own = [each for each in cells if each.numbers.condition == condition.name]
    sent = {"temperature": _temperature(condition, cells)}
    return {
        "levels": msgspec.structs.asdict(condition) | sent,
        "stats": stats_of([each.numbers for each in own]),
        "runs": [_run(each) for each in own],
    }


def _temperature(condition: Condition, cells: Sequence[Ran]) -> float | None:
    """The temperature of a condition, as it was sent; None where no model was given it."""
    own = (each.numbers for each in cells if each.numbers.condition == condition.name)
    unsent = any("temperature" in each.unsent for each in own)
    return None if unsent else condition.temperature


def _run(cell: Ran) -> dict[str, Any]:
    numbers = msgspec.to_builtins(cell.numbers)
    return {
        "session_id": numbers.pop("key"),
        **numbers,
        "stopped": cell.stopped,
        "error": cell.error,
        "error_message": cell.error_message,
        "artifacts": f"{ARTIFACTS}/{folder_name(cell.numbers.key)}",
    }


def _one_or_all(values: Sequence[Any]) -> Any:
    """The value all conditions have; where they differ, all values in order.

    None where there is none.
    """
    different = sorted(set(values))
    if not different:
        return None
    return different[0] if len(different) == 1 else different
