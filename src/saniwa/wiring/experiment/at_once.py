"""A whole experiment in one call: from a plan to its folder, and from there to what came of it."""

import os
from collections.abc import Iterator, Mapping
from contextlib import aclosing, closing, suppress
from pathlib import Path
from typing import Any, Final

from saniwa.core.clock import SystemClock
from saniwa.core.errors import ExperimentError, StoreError
from saniwa.core.quoted import quoted
from saniwa.experiment.authoring.form import MOST_SEEDS
from saniwa.experiment.authoring.reading import read_plan
from saniwa.experiment.outcome import Outcome
from saniwa.experiment.plan import Prepared
from saniwa.experiment.ports import Shelf
from saniwa.wiring.experiment.crew import (
    Hands,
    check_hands,
    check_room,
    gathered,
    open_shelf,
    reached,
)
from saniwa.wiring.experiment.folder import (
    OUTPUT,
    Experiment,
    begin,
    find_experiment,
)
from saniwa.wiring.experiment.prepare import prepare
from saniwa.wiring.experiment.problems import Problems
from saniwa.wiring.experiment.undertaking import (
    Undertaking,
    check_report,
    outcomes_of,
)

Wanted = str | os.PathLike[str] | Mapping[str, Any]
"""A plan as somebody has it: a file, or its keys."""
_ALONE: Final = Hands()


def planned(
    plan: Wanted,
    *,
    registry: str | Path | None = None,
    replayed: bool = False,
) -> Prepared:
    """A plan with all it needs.

    Raises:
        DocumentError: The file is no JSON or YAML.
        SaniwaError: What is wrong with the plan, or with what it names; of several
            mistakes the first, and all of them in `details["findings"]`.
    """
    if isinstance(plan, Mapping):
        read = read_plan(options=_plain(plan), said_by="the call")
    else:
        read = read_plan(plan)
    problems = Problems()
    for found in read.report.errors:
        problems.add(found.code, found.message, where=found.where, hint=found.hint)
    problems.check()
    assert read.authored is not None, "a plan without a mistake can be carried out"
    return prepare(read.authored, registry=registry, replayed=replayed)


def _plain(value: Any) -> Any:
    """Keys as a document has them: what Python says otherwise is written out."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, range) and len(value) > MOST_SEEDS:
        return list(value[: MOST_SEEDS + 1])  # one too many, which is told as such
    if isinstance(value, list | tuple | range):
        return [_plain(inner) for inner in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value


async def play_experiment(
    plan: Wanted,
    *,
    output: str | Path = OUTPUT,
    store: str | None = None,
    hands: Hands = _ALONE,
    report: bool = True,
    registry: str | Path | None = None,
) -> Experiment:
    """Carry out a plan, from its first check to its report.

    Cells that the store has already are not played again; `before` of what is returned
    says how many there were.

    Args:
        plan: A file, or the keys of one.
        output: The folder that experiments are kept in; this one gets a folder of its own.
        store: Where finished cells are kept, if not in that folder.
        hands: Who works.
        report: Whether a report is written, which needs the extra `report`.
        registry: Where scenario ids are found; else as everywhere.

    Raises:
        SaniwaError: What is wrong with the plan, before anything is written; or what
            `resume_experiment` raises.
    """
    prepared = planned(plan, registry=registry)
    if report:
        check_report()
    check_hands(prepared, hands, store)
    await check_room(prepared, hands.limits)
    if hands.cluster:
        await reached(hands.cluster)
    experiment = begin(prepared, output, SystemClock())
    return await _gone_on(experiment, store, hands, report=report)


async def resume_experiment(
    experiment: Experiment | str,
    *,
    output: str | Path = OUTPUT,
    store: str | None = None,
    hands: Hands = _ALONE,
    report: bool = True,
) -> Experiment:
    """Play the cells that are not done or ended with an error, then write everything.

    Args:
        experiment: One that was begun; or its folder, its id, or `last`.
        output: Where it is looked for by a name.
        store: Where finished cells are kept, if not in the experiment's folder.
        hands: Who works.
        report: Whether a report is written, which needs the extra `report`.

    Raises:
        ExperimentError: `EXPERIMENT_NOT_FOUND`, `EXTRA_MISSING`, `BUDGET_SPENT`; or a
            cell could not be done, under the code of what kept it from it. The others
            are kept.
        SaniwaError: Nobody could go on. What is kept stays kept.
    """
    if report:
        check_report()
    found = _found(experiment, output)
    check_hands(found.prepared, hands, store)
    await check_room(found.prepared, hands.limits)
    return await _gone_on(found, store, hands, report=report, failed_again=True)


async def _gone_on(
    found: Experiment,
    store: str | None,
    hands: Hands,
    *,
    report: bool,
    failed_again: bool = False,
) -> Experiment:
    with closing(open_shelf(found, store)) as shelf:
        undertaking = Undertaking(found, shelf)
        if failed_again:
            undertaking.reopen_failed()
        try:
            await _work(undertaking, shelf, hands, store)
        except BaseException:
            # Whatever stopped it, that the times are lost is the lesser trouble.
            with suppress(StoreError):
                undertaking.keep_times()
            raise
        if store:
            with closing(open_shelf(found)) as own:
                undertaking.bring_home(own)
        undertaking.write(report=report)
    return found._replace(before=undertaking.before)


def read_outcomes(
    experiment: Experiment | str, output: str | Path = OUTPUT
) -> Iterator[Outcome]:
    """What came of the cells, one at a time, in the plan's order; undone ones are left out.

    Raises:
        ExperimentError: `EXPERIMENT_NOT_FOUND`.
        StoreError: One cannot be read.
    """
    found = _found(experiment, output)
    with closing(open_shelf(found)) as shelf:
        yield from outcomes_of(found, shelf)


def _found(experiment: Experiment | str, output: str | Path) -> Experiment:
    if isinstance(experiment, Experiment):
        return experiment
    return find_experiment(experiment, output)


async def _work(
    undertaking: Undertaking, shelf: Shelf, hands: Hands, store: str | None
) -> None:
    if undertaking.complete:
        return
    async with (
        gathered(undertaking.experiment, shelf, hands, store=store) as crew,
        aclosing(undertaking.work(crew)) as coming,
    ):
        failed = [done async for done in coming if done.error]
    if failed:
        folder = undertaking.experiment.folder.name
        raise ExperimentError(
            failed[0].error,
            f"{len(failed)} of the cells could not be done: {failed[0].message}",
            hint=f"resume the experiment {quoted(folder)}; all other cells are kept",
            details={"cells": [done.key for done in failed]},
        )
