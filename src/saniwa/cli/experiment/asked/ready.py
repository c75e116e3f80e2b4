"""Whether everything is there that carrying an experiment out needs; nothing is made."""

import asyncio
from contextlib import closing
from typing import TYPE_CHECKING

import click

from saniwa.cli.experiment.asked.ways import Way
from saniwa.core.quoted import printable

if TYPE_CHECKING:
    from saniwa.experiment.plan import Prepared
    from saniwa.wiring.experiment.folder import Experiment


def check_ready(
    prepared: "Prepared",
    way: Way,
    recording: "Experiment | None",
    begun: "Experiment | None" = None,
) -> None:
    """See to libraries, workers, shelf and recording before anything is begun.

    Args:
        prepared: What is to be carried out.
        way: How.
        recording: The experiment whose recordings answer.
        begun: The experiment, where it is one that was begun before.

    Raises:
        SaniwaError: Something is missing.
    """
    from saniwa.wiring.experiment import crew
    from saniwa.wiring.experiment.undertaking import check_report

    if not way.no_report:
        check_report(otherwise="leave it out with --no-report")
    crew.check_hands(prepared, way.hands, way.store)
    if recording is not None:
        crew.check_recording(prepared, recording, _done(begun, way))
    else:
        asyncio.run(crew.check_room(prepared, way.limits))
    if way.cluster:
        asyncio.run(crew.reached(way.cluster))
    if way.limited and prepared.plan.mode == "sim":
        told = "ceilings change nothing where stand-ins play: they cost nothing"
        click.echo(printable(f"warning: {told}"), err=True)


def _done(begun: "Experiment | None", way: Way) -> tuple[str, ...]:
    from saniwa.wiring.experiment.crew import open_shelf

    if begun is None:
        return ()
    with closing(open_shelf(begun, way.store)) as shelf:
        return tuple(shelf.keys())
