"""What came of an experiment, in a few lines: a row for each condition, and the gates."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from saniwa.cli.render import FINDINGS, FINE, width
from saniwa.cli.tally import counted
from saniwa.core.quoted import printable
from saniwa.experiment.layout import PAGE, RESULTS

if TYPE_CHECKING:
    from saniwa.experiment.measure.model import GateVerdict, Numbers
    from saniwa.wiring.experiment.folder import Experiment
    from saniwa.wiring.experiment.undertaking import Written

SHOWN: Final = (
    ("deeds_per_turn", "deeds"),
    ("impossible_deed_rate", "impossible deeds"),
    ("goal_reached", "goals reached"),
    ("milestone_rate", "milestones"),
    ("invented_deed_rate", "invented"),
    ("give_up_rate", "given up"),
    ("retry_success_rate", "retry helped"),
)
"""The metrics of the short table, and what they are called there."""
_TOLD: Final = (
    *(metric for metric, _ in SHOWN),
    "first_try_validity",
    "impossible_rate",
    "invented_rate",
)
"""The metrics that machines are told of: those of the table, and earlier ones."""
_MOST_ROWS: Final = 16
_NARROWEST: Final = len("0.00 a turn")
_GATE_PROFILE: Final = "gate"


def tell_end(experiment: "Experiment", written: "Written") -> None:
    """Tell what came of it, for people."""
    for line in _table(written):
        click.echo(printable(line))
    for verdict in _failed(written):
        click.echo(printable(_told(verdict)))
    crashed = _crashed(written.numbers)
    if crashed:
        click.echo(f"{counted(crashed, 'cell')} ended with an error")
    page = PAGE if written.analysis is not None else RESULTS
    what = "report" if page == PAGE else "results"
    click.echo(printable(f"{what}: {experiment.folder / page}"))


def exit_code(experiment: "Experiment", written: "Written") -> int:
    """1 where a cell ended with an error, or the profile `gate` failed Gate-3A; else 0."""
    if _crashed(written.numbers):
        return FINDINGS
    gated = experiment.prepared.plan.profile == _GATE_PROFILE
    return FINDINGS if gated and any(_failed(written)) else FINE


def end_document(experiment: "Experiment", written: "Written") -> dict[str, Any]:
    """The same for machines."""
    return {
        "ok": exit_code(experiment, written) == FINE,
        "experiment": str(experiment.folder),
        "fingerprint": experiment.prepared.fingerprint,
        "cells": len(written.numbers),
        "crashed": _crashed(written.numbers),
        "means": means_of(written),
        "gates": written.gates,
    }


def means_of(written: "Written") -> dict[str, dict[str, float | None]]:
    """The means of the short table, and of earlier ones, by condition."""
    return {
        name: {metric: written.mean(metric, name) for metric in _TOLD}
        for name in written.cells()
    }


def _table(written: "Written") -> Iterator[str]:
    means, cells = means_of(written), written.cells()
    wide = max([len("condition"), *(width(name) for name in means)])
    columns = [max(len(head), _NARROWEST) for _, head in SHOWN]
    yield f"{'condition':<{wide}}  cells" + "".join(
        f"  {head:>{column}}" for (_, head), column in zip(SHOWN, columns, strict=True)
    )
    for name in list(means)[:_MOST_ROWS]:
        row = "".join(
            f"  {_figure(metric, means[name][metric]):>{column}}"
            for (metric, _), column in zip(SHOWN, columns, strict=True)
        )
        yield f"{name}{' ' * (wide - width(name))}  {len(cells[name]):>5}{row}"
    if len(means) > _MOST_ROWS:
        yield f"… and {counted(len(means) - _MOST_ROWS, 'more condition')}"


def _figure(metric: str, mean: float | None) -> str:
    """A share in hundredths; what is counted a turn may be more than one, and is not."""
    from saniwa.experiment.measure.metrics import METRICS

    if mean is None:
        return "–"
    shares = [each.name for each in METRICS if each.unit == "rate"]
    return f"{mean * 100:.1f} %" if metric in shares else f"{mean:.2f} a turn"


def _crashed(numbers: "tuple[Numbers, ...]") -> int:
    return sum(not each.success for each in numbers)


def _failed(written: "Written") -> "Iterator[GateVerdict]":
    return (each for each in written.gates if each.blocking and not each.passed)


def _told(verdict: "GateVerdict") -> str:
    if not verdict.judged:
        return f"{verdict.gate}: nothing to judge in {verdict.condition}"
    missed = ", ".join(
        f"{check.name} {'–' if check.value is None else f'{check.value:g}'} "
        f"(must be {check.limit})"
        for check in verdict.checks
        if not check.passed
    )
    return f"{verdict.gate} not passed in {verdict.condition}: {missed}"
