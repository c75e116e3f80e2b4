"""Builds `results.json`, `run_meta.json` and `times.json`.

`times.json` is separate so that all other files have the same bytes on every machine.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import asdict

from saniwa.core.errors import StoreError
from saniwa.core.findings import SourceLocation
from saniwa.core.json_values import warm_decoders
from saniwa.experiment.intents import DENY_CODES
from saniwa.experiment.layout import ARTIFACTS, TIMES, make_folder_name
from saniwa.experiment.metrics.analysis_records import Analysis, CellNumbers
from saniwa.experiment.metrics.counts import pool_numbers
from saniwa.experiment.metrics.definitions import (
    METRICS,
    compute_metric,
    compute_percentile,
    round_figure,
)
from saniwa.experiment.outcome import CellOutcome
from saniwa.experiment.output.files import encode_json_page
from saniwa.experiment.plan import Condition, PreparedPlan

POOLED_METRICS: Final = tuple(m.name for m in METRICS if m.pools and m.unit != "ms")
"""The metrics that are published for a condition as a whole."""


def build_stats(numbers: Sequence[CellNumbers]) -> dict[str, Any]:
    """Return the published numbers of one condition, over all turns of its cells.

    The order of the cells does not matter.
    """
    pooled = pool_numbers(numbers)
    return _build_known_stats(numbers, pooled) | _build_own_stats(numbers, pooled)


def _build_known_stats(numbers: Sequence[CellNumbers], pooled: CellNumbers) -> dict[str, Any]:
    """Return the keys that results already had before Saniwa."""
    return {
        "turns": pooled.turns,
        "success": sum(each.success for each in numbers),
        "retries_total": pooled.retries,
        "addressing_violations": pooled.addressing_violations,
        "impossible_actions": {
            "total": pooled.impossible,
            "breakdown": _fill_codes(pooled.impossible_by_code),
        },
        "stall_events": pooled.stall_events,
        "stall_recoveries": pooled.stall_recoveries,
        "gm_interventions": {
            "count": sum(pooled.interventions.values()),
            "triggers": pooled.interventions,
        },
        "gm_denied_count": pooled.hard_denied,
        "latency_ms": {
            "p50": round_figure(compute_percentile(pooled.latency_ms, 50)),
            "p95": round_figure(compute_percentile(pooled.latency_ms, 95)),
        },
    }


def _build_own_stats(numbers: Sequence[CellNumbers], pooled: CellNumbers) -> dict[str, Any]:
    goals = [each.goal_reached for each in numbers if each.goal_reached is not None]
    return {
        "cells": len(numbers),
        "crashes": sum(not each.success for each in numbers),
        "generation_calls": pooled.generation_calls,
        "actions": pooled.actions,
        "refused_actions": pooled.refused_actions,
        "invented_actions": pooled.invented_actions,
        "kept_actions": pooled.kept_actions,
        "refused_kept_actions": pooled.refused_kept_actions,
        "milestones": {"passed": pooled.milestones_passed, "total": pooled.milestones},
        "unsent": list(pooled.unsent),
        "first_try_valid": pooled.first_try_valid,
        "impossible_first": {
            "total": pooled.impossible_first,
            "breakdown": _fill_codes(pooled.impossible_first_by_code),
        },
        "invented": {
            "total": pooled.invented,
            "first_answers": pooled.invented_first,
            "names": list(pooled.invented_names),
        },
        "retried_turns": pooled.retried_turns,
        "retry_successes": pooled.retry_successes,
        "retry_fail_reasons": pooled.fail_reasons,
        "silent_corrections": pooled.silent_corrections,
        "give_ups": pooled.give_ups,
        "hard_denied": pooled.hard_denied,
        "format_breaks": {
            "first_answers": pooled.format_breaks,
            "by_type": pooled.breaks_by_type,
            "repairs": pooled.repairs_by_method,
        },
        "unread": pooled.unread,
        "goals": {"reached": sum(goals), "cells": len(goals)},
        "tokens": {"input": pooled.input_tokens, "output": pooled.output_tokens},
        "cost_usd_micros": pooled.cost,
        "unpriced": pooled.unpriced,
        "rates": {name: round_figure(compute_metric(name, pooled)) for name in POOLED_METRICS},
    }


def _fill_codes(tally: dict[str, int]) -> dict[str, int]:
    return {code: tally.get(code, 0) for code in DENY_CODES}


STAND_IN_NAME: Final = "stand-in"
"""The name that is published for the model if stand-ins play."""


class CellResult(NamedTuple):
    """The part of a cell that `results.json` contains."""

    numbers: CellNumbers
    """The counts of the cell."""
    stopped: str
    """Why it ended before its last turn; empty if it did not."""
    error: str
    """The code of the error that ended it; empty if there was none."""
    error_message: str
    """The message of that error."""

    @classmethod
    def from_outcome(cls, outcome: CellOutcome, numbers: CellNumbers) -> "CellResult":
        """Return the published part of an outcome and its counts."""
        return cls(numbers, outcome.stopped, outcome.error, outcome.error_message)


def build_results(
    prepared: PreparedPlan, cells: Sequence[CellResult], analysis: Analysis | None
) -> dict[str, Any]:
    """Build the content of `results.json`."""
    plan = prepared.plan
    return {
        "experiment_id": plan.experiment_id,
        "mode": plan.mode,
        "model": _merge_values([each.model or STAND_IN_NAME for each in plan.conditions]),
        "seeds": plan.seeds,
        "max_turns": plan.max_turns,
        "metadata": _build_metadata(prepared, cells),
        "run_meta": build_run_meta(prepared),
        "conditions": {each.name: _build_condition(each, cells) for each in plan.conditions},
        "analysis": analysis,
    }


def build_run_meta(prepared: PreparedPlan) -> dict[str, Any]:
    """Return which scenarios ran, and with which version."""
    scenarios = {
        name: {**setting.meta, "world_canonical": setting.canonical}
        for name, setting in prepared.settings.items()
    }
    return {"scenarios": scenarios, "gm_version": prepared.version}


def _build_metadata(prepared: PreparedPlan, cells: Sequence[CellResult]) -> dict[str, Any]:
    plan = prepared.plan
    temperatures = [_list_levels(each, cells)["temperature"] for each in plan.conditions]
    return {
        "saniwa_version": prepared.version,
        "fingerprint": prepared.fingerprint,
        "question": plan.question,
        "profile": plan.profile,
        "scenarios": plan.scenarios,
        "factors": plan.factors,
        "order_seed": plan.order_seed,
        "temperature": _merge_values([each for each in temperatures if each is not None]),
        "max_tokens": plan.max_tokens,
        "max_retries": plan.max_retries,
        "stop_after_give_ups": plan.stop_after_give_ups,
        "gm_base_url": None,
        "llm_url": plan.llm_url or None,
    }


def _build_condition(condition: Condition, cells: Sequence[CellResult]) -> dict[str, Any]:
    own = [each for each in cells if each.numbers.condition == condition.name]
    return {
        "levels": _list_levels(condition, own),
        "stats": build_stats([each.numbers for each in own]),
        "runs": [_build_run(each) for each in own],
    }


def _list_levels(condition: Condition, cells: Sequence[CellResult]) -> dict[str, Any]:
    """Return the levels; the temperature is None if a model was not sent it."""
    own = (each.numbers for each in cells if each.numbers.condition == condition.name)
    unsent = any("temperature" in each.unsent for each in own)
    return asdict(condition) | ({"temperature": None} if unsent else {})


def _build_run(cell: CellResult) -> dict[str, Any]:
    numbers = msgspec.to_builtins(cell.numbers)
    return {
        "session_id": numbers.pop("key"),
        **numbers,
        "stopped": cell.stopped,
        "error": cell.error,
        "error_message": cell.error_message,
        "artifacts": f"{ARTIFACTS}/{make_folder_name(cell.numbers.key)}",
    }


def _merge_values(values: Sequence[Any]) -> Any:
    """Return the value that all conditions have; if they differ, all values sorted.

    None if there is no value.
    """
    different = sorted(set(values))
    if not different:
        return None
    return different[0] if len(different) == 1 else different


SHORT_HASH = 7
"""Hex digits of a commit in its short form."""


class CellTime(msgspec.Struct, frozen=True, kw_only=True):
    """When one cell was played."""

    started: int
    """When it started; milliseconds since 1970."""
    took_ms: int
    """How long it took."""
    worker: str = ""
    """The name of the worker that played it."""


class ExperimentTimes(msgspec.Struct, frozen=True, kw_only=True):
    """When and where the cells of an experiment were played."""

    generated: int
    """When the files were written; milliseconds since 1970, like all times here."""
    started: int
    """When the first cell started."""
    finished: int
    """When the last cell was done."""
    cells: dict[str, CellTime]
    """Each cell that was played, by key."""
    python: str
    """The Python version."""
    platform: str
    """The platform, such as `Linux-6.1-x86_64`."""
    saniwa: str
    """The Saniwa version that wrote the files."""
    git_sha: str = ""
    """The commit of the project; empty if unknown."""


def render_times(times: ExperimentTimes, before: bytes | None = None) -> bytes:
    """Render `times.json`.

    Args:
        times: The times to add.
        before: The file as it is. Cells in it that are not in `times` were played
            before a resume and stay in the file.

    Raises:
        StoreError: `TRACE_CORRUPT`: `before` is not such a file.
    """
    earlier = _read_earlier(before)
    cells: dict[str, dict[str, Any]] = {
        key: asdict(cell) | {"started": format_moment(cell.started)}
        for key, cell in times.cells.items()
    }
    sha = times.git_sha
    started = format_moment(times.started)
    if earlier:
        cells = earlier | cells
        started = min([started, *(str(cell["started"]) for cell in earlier.values())])
    return encode_json_page(
        {
            "generated_at": format_moment(times.generated),
            "started": started,
            "finished": format_moment(times.finished),
            "python": times.python,
            "platform": times.platform,
            "saniwa_version": times.saniwa,
            **({"git_sha": sha, "git_short": sha[:SHORT_HASH]} if sha else {}),
            "cells": cells,
        }
    )


def format_moment(milliseconds: int) -> str:
    """Format a time in ISO 8601, UTC, to the millisecond; the length is constant."""
    seconds, rest = divmod(milliseconds, 1000)
    second = datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{second}.{rest:03d}Z"


class _CellRow(msgspec.Struct, frozen=True, kw_only=True):
    """A cell's times as written in the file."""

    started: str
    took_ms: int
    worker: str


class _EarlierTimes(msgspec.Struct, frozen=True, kw_only=True):
    """The part of an existing file that is read."""

    cells: dict[str, _CellRow]


def _read_earlier(before: bytes | None) -> dict[str, dict[str, Any]]:
    """Return the cells of the existing file."""
    if before is None:
        return {}
    try:
        earlier = msgspec.json.decode(before, type=_EarlierTimes)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as problem:
        raise StoreError(
            "TRACE_CORRUPT",
            f"{TIMES!r} does not say when cells were done: {problem}",
            where=SourceLocation(file=TIMES),
            hint="take it away and resume: nothing but times is lost",
        ) from problem
    return {key: asdict(row) for key, row in earlier.cells.items()}


warm_decoders(_EarlierTimes)
