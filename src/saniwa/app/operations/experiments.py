"""Experiments: the list of them, and the plan and progress of one."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec

from saniwa.app.experiments.folder import (
    Experiment,
    make_age_key,
    open_experiment,
    parse_start_time,
)
from saniwa.app.experiments.status import ExperimentCatalog
from saniwa.app.operations import contract
from saniwa.app.operations.contract import OperationCall, ResultPage, build_view, define
from saniwa.core.errors import SaniwaError
from saniwa.experiment.plan import Condition, Level, PlanMode, count_cells

"""A path example that exists as soon as there is any experiment."""
_MAX_LISTED_SCENARIOS = 5


class ExperimentSummary(msgspec.Struct, frozen=True, kw_only=True):
    """An experiment in one line."""

    name: str
    """Its folder's name, by which it is asked for."""
    id: str = ""
    """The id its plan gives it; several may have one."""
    question: str = ""
    """What it is meant to find out."""
    mode: PlanMode = "sim"
    """Whether stand-ins play the characters, or models do."""
    began: str = ""
    """When it was begun, in UTC, such as `2026-11-15T18:22:07Z`; empty where its name
    does not say."""
    scenarios: list[str] = []
    """What is played; the first few of many."""
    scenario_count: int = 0
    """How many there are."""
    seeds: int = 0
    """How many seeds."""
    conditions: int = 0
    """How many conditions."""
    factors: dict[str, list[Level]] = {}
    """What the conditions differ in, with all levels."""
    cells: int = 0
    """Runs that are planned."""
    done: int = 0
    """Runs that are done."""
    finished: bool = False
    """Whether all are, and the results have been written."""
    fault: str = ""
    """Why it cannot be read; empty where it can."""


class ExperimentView(msgspec.Struct, frozen=True, kw_only=True):
    """An experiment, looked at."""

    line: ExperimentSummary
    """What it is."""
    conditions: list[Condition]
    """The ways it is played."""
    scenarios: list[str]
    """Everything that is played."""
    seeds: list[int]
    """Where chance starts; with a scenario each is a block."""
    max_turns: int
    """Turns of a run."""
    max_retries: int
    """Attempts after the first, where a game master asks for them."""
    profile: str
    """The profile it was made from; empty where none was."""
    fingerprint: str
    """16 hex digits over the prepared plan."""
    version: str
    """The Saniwa version that prepared it."""


class ExperimentListQuery(contract.RequestRecord, frozen=True, kw_only=True):
    """Which experiments to list; the newest first."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 20
    """How many at most."""
    after: contract.ShortName = ""
    """The experiment to go on behind, by name."""


@define("GET /experiments")
def list_experiments(
    call: OperationCall, query: ExperimentListQuery
) -> ResultPage[ExperimentSummary]:
    """List experiments, the newest first."""
    results = call.workspace.results
    folders = [
        each
        for each in results.list_folders()
        if not query.after or make_age_key(each.name) < make_age_key(query.after)
    ]
    summarize = partial(_summarize_folder, results)
    return contract.build_page(folders, query.limit, lambda each: each.name, summarize)


def _summarize_folder(results: ExperimentCatalog, folder: Path) -> ExperimentSummary:
    """Summarize an experiment; one that cannot be read is listed with its fault."""
    try:
        with results.redact_errors():
            return summarize_experiment(open_experiment(folder))
    except SaniwaError as problem:
        return ExperimentSummary(name=folder.name, fault=problem.message)


def summarize_experiment(experiment: Experiment) -> ExperimentSummary:
    """Summarize an experiment in one line."""
    plan, name = experiment.prepared.plan, experiment.folder.name
    began = parse_start_time(name)
    return build_view(
        ExperimentSummary,
        plan,
        name=name,
        id=plan.experiment_id,
        began=f"{began.replace(' ', 'T')}Z" if began else "",
        scenarios=plan.scenarios[:_MAX_LISTED_SCENARIOS],
        scenario_count=len(plan.scenarios),
        seeds=len(plan.seeds),
        conditions=len(plan.conditions),
        factors={name: levels for name, levels in plan.factors.items() if len(levels) > 1},
        cells=count_cells(plan),
        done=experiment.done_count,
        finished=experiment.is_finished,
    )


@define("GET /experiments/{experiment}", "EXPERIMENT_NOT_FOUND")
def read_experiment(call: OperationCall) -> ExperimentView:
    """Look at an experiment: its plan, and how far it has come."""
    experiment = call.workspace.results.find(call.path["experiment"])
    prepared, line = experiment.prepared, summarize_experiment(experiment)
    return build_view(ExperimentView, prepared, prepared.plan, line=line)


@define("GET /experiments/{experiment}/live", "EXPERIMENT_NOT_FOUND", media="text/event-stream")
async def watch_experiment(call: OperationCall) -> contract.RevisionStream:
    """Be told how many runs are done, as server-sent events."""
    results, name = call.workspace.results, call.path["experiment"]
    found = await asyncio.to_thread(results.find, name)

    async def look() -> int:
        return await asyncio.to_thread(lambda: found.done_count)

    return contract.RevisionStream(found.folder.name, look)
