"""Builds `results.json`, `run_meta.json` and `times.json`.

`times.json` is separate so that all other files have the same bytes on every machine.
"""

import os
import platform
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import asdict

from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import StoreError
from saniwa.core.findings import SourceLocation
from saniwa.core.safe_open import read_small_file
from saniwa.experiment.analysis_records import Analysis, CellNumbers
from saniwa.experiment.answer_intents import DENY_CODES
from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.metrics import (
    compute_metric,
    compute_percentile,
    list_metrics,
    pool_numbers,
    round_figure,
)
from saniwa.experiment.output.output_folder import (
    ARTIFACTS,
    TIMES,
    encode_json_page,
    make_folder_name,
)
from saniwa.experiment.plan import Condition, PlanMode, PreparedPlan
from saniwa.experiment.ports import CellCompletion

_WORK_FIELDS: Final = (
    *("runs", "submissions", "refused_submissions", "refusals_by_code"),
    *("fabricated_submissions", "fabrications_by_kind", "tool_calls", "failed_tool_calls"),
)
"""Counts that only agents at a gate have."""
_SHARED_FIELDS: Final = (
    *("key", "condition", "scenario", "seed", "answers", "turns", "success", "goal_reached"),
    *("generation_calls", "latency_ms", "input_tokens", "output_tokens", "cost", "unpriced"),
    "unsent",
)
"""Counts that agents at a gate share with characters."""


_StatLayout = dict[str, "str | _StatLayout"]


@cache
def _read_stat_layout(name: str) -> _StatLayout:
    layout: _StatLayout = msgspec.json.decode(Path(__file__).with_name(name).read_bytes())
    return layout


def build_stats(numbers: Sequence[CellNumbers], mode: PlanMode = "sim") -> dict[str, Any]:
    """Build the figures of a condition, all cells counted together.

    `stats.json` says which count each of them is; for agents, `work_stats.json`.
    """
    pooled = pool_numbers(numbers)
    goals = [each.goal_reached for each in numbers if each.goal_reached is not None]
    successes = sum(each.success for each in numbers)
    values = msgspec.to_builtins(pooled) | {
        "cells": len(numbers),
        "successes": successes,
        "crashes": len(numbers) - successes,
        "intervention_count": sum(pooled.interventions.values()),
        "goals_reached": sum(goals),
        "goal_cells": len(goals),
        "impossible_by_code": _fill_codes(pooled.impossible_by_code),
        "impossible_first_by_code": _fill_codes(pooled.impossible_first_by_code),
        "latency_p50": round_figure(compute_percentile(pooled.latency_ms, 50)),
        "latency_p95": round_figure(compute_percentile(pooled.latency_ms, 95)),
        "rates": {
            name: round_figure(compute_metric(name, pooled)) for name in list_pooled_metrics(mode)
        },
    }
    layout = _read_stat_layout("work_stats.json" if mode == "work" else "stats.json")
    return _fill_layout(layout, values)


def list_pooled_metrics(mode: PlanMode) -> tuple[str, ...]:
    """List the metrics that are published for a condition as a whole."""
    return tuple(m.name for m in list_metrics(mode) if m.pools and m.unit != "ms")


def _fill_layout(layout: _StatLayout, values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: values[inner] if isinstance(inner, str) else _fill_layout(inner, values)
        for name, inner in layout.items()
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
        "conditions": {
            each.name: _build_condition(each, cells, plan.mode) for each in plan.conditions
        },
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
    temperatures = [_list_levels(each, cells).get("temperature") for each in plan.conditions]
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


def _build_condition(
    condition: Condition, cells: Sequence[CellResult], mode: PlanMode
) -> dict[str, Any]:
    own = [each for each in cells if each.numbers.condition == condition.name]
    return {
        "levels": _list_levels(condition, own),
        "stats": build_stats([each.numbers for each in own], mode),
        "runs": [_build_run(each, mode) for each in own],
    }


def _list_levels(condition: Condition, cells: Sequence[CellResult]) -> dict[str, Any]:
    """Return the levels; the temperature is None if a model was not sent it."""
    own = (each.numbers for each in cells if each.numbers.condition == condition.name)
    unsent = any("temperature" in each.unsent for each in own)
    levels = asdict(condition) | ({"temperature": None} if unsent else {})
    if condition.agent:
        return {name: levels[name] for name in ("name", "agent", "model")}
    return {name: level for name, level in levels.items() if name != "agent"}


def _build_run(cell: CellResult, mode: PlanMode) -> dict[str, Any]:
    counted = msgspec.to_builtins(cell.numbers)
    own = [name for name in counted if name not in _WORK_FIELDS]
    kept = (*_SHARED_FIELDS, *_WORK_FIELDS) if mode == "work" else own
    numbers = {name: counted[name] for name in kept}
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


SHORT_HASH: Final = 7
"""The length of a commit as people say it."""
_SHA: Final = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?").fullmatch
_LARGEST: Final = 1024 * 1024


def render_times(
    done: Mapping[str, CellCompletion],
    started: int,
    finished: int,
    before: bytes | None = None,
    *,
    folder: Path | None = None,
) -> bytes:
    """Render `times.json`; cells that were played before keep their times.

    Args:
        done: The cells played now, by key.
        started: When this run began, in milliseconds.
        finished: When it ended.
        before: The file as it was.
        folder: Where a repository is looked for; the working directory by default.

    Raises:
        StoreError: `TRACE_CORRUPT`: the file as it was cannot be read.
    """
    cells = _read_earlier(before)
    begun = min([format_moment(started), *(str(cell["started"]) for cell in cells.values())])
    for key, each in done.items():
        moment = format_moment(each.started)
        cells[key] = {"started": moment, "took_ms": each.took_ms, "worker": each.worker}
    sha = find_commit(folder or Path())
    return encode_json_page(
        {
            "generated_at": format_moment(finished),
            "started": begun,
            "finished": format_moment(finished),
            "python": platform.python_version(),
            "platform": platform.platform(),
            "saniwa_version": version("saniwa"),
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


warm_decoders(_EarlierTimes)


def _read_earlier(before: bytes | None) -> dict[str, dict[str, Any]]:
    """Return the cells of the existing file."""
    if before is None:
        return {}
    try:
        earlier = msgspec.json.decode(before, type=_EarlierTimes)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as problem:
        raise StoreError(
            "TRACE_CORRUPT",
            f"{TIMES!r} has no times of the cells: {problem}",
            where=SourceLocation(file=TIMES),
            hint="remove it and resume: only times are lost",
        ) from problem
    return {key: asdict(row) for key, row in earlier.cells.items()}


def find_commit(folder: Path) -> str:
    """Return the commit that a project is at, read without running git; empty if none.

    Uncommitted changes cannot be seen without git and are not reported.
    """
    here = folder.resolve()
    git = next((up / ".git" for up in (here, *here.parents) if (up / ".git").is_dir()), None)
    if git is None:
        return ""
    head = _read_text(git / "HEAD").strip()
    if not head.startswith("ref: "):
        return head if _SHA(head) else ""
    ref = head.removeprefix("ref: ")
    if os.pardir in ref.split("/") or ref.startswith("/"):
        return ""
    loose = _read_text(git / ref).strip()
    return loose if _SHA(loose) else _find_packed_ref(_read_text(git / "packed-refs"), ref)


def _find_packed_ref(text: str, ref: str) -> str:
    for line in text.split("\n"):
        sha, _, name = line.partition(" ")
        if name == ref and _SHA(sha):
            return sha
    return ""


def _read_text(path: Path) -> str:
    try:
        return read_small_file(path, _LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""
