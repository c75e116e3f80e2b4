"""An experiment and its shelf, as the commands that look at one open them."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from saniwa.experiment.ports import Shelf
    from saniwa.wiring.experiment.folder import Experiment

F = TypeVar("F", bound=Callable[..., Any])


def output_option(command: F) -> F:
    """Where experiments are kept."""
    # As wiring.experiment.folder has it, which help does not wait for.
    return click.option(
        "--output", default="results", metavar="DIR", help="Where experiments are kept."
    )(command)


def cells_option(command: F) -> F:
    """Where an experiment's cells are kept."""
    return click.option(
        "--store",
        metavar="WHERE",
        help="Where its cells are kept, if not in its folder.",
    )(command)


@contextmanager
def opened(
    named: str, output: str, store: str | None = None
) -> Iterator["tuple[Experiment, Shelf]"]:
    """The experiment somebody means, with its shelf; closed with the block.

    Raises:
        ExperimentError: `EXPERIMENT_NOT_FOUND`.
        StoreError: It cannot be opened.
    """
    from saniwa.wiring.experiment.crew import open_shelf
    from saniwa.wiring.experiment.folder import find_experiment

    experiment = find_experiment(named, output)
    with closing(open_shelf(experiment, store)) as shelf:
        yield experiment, shelf
