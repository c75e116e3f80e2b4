"""Setting a table for a cell: a run of its own, kept in memory, with nothing by chance.

What cells have in common (a scenario read, a book built) is made once and shared: it is
frozen, and reading it takes longer than playing a cell.
"""

from typing import NamedTuple

from saniwa.experiment.cell import Cell
from saniwa.experiment.plan import Condition, Prepared
from saniwa.experiment.stage import Stage
from saniwa.run.conductor import Run
from saniwa.scenario.load import load
from saniwa.store.layout import RunRecord
from saniwa.world.model import Entity


class Table(NamedTuple):
    """A run that is ready to be played."""

    run: Run
    """The run."""
    cast: tuple[Entity, ...]
    """Who speaks, in the author's order."""
    opening: str
    """The author's first words."""
    edition: str
    """The prompt's text."""


class Stages:
    """Tables for the cells of one plan."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        """The plan and all it needs."""
        self.fingerprint = prepared.fingerprint
        """What the plan is known by."""
        self._stages = dict[tuple[str, str, str], Stage]()

    def table(self, cell: Cell) -> Table:
        """A fresh run of the cell's scenario, under its book and in its language."""
        stage = self._stage(cell.scenario, cell.condition)
        editions = self.prepared.prompts[cell.condition.prompt]
        return Table(
            run=stage.run(cell.seed),
            cast=stage.cast,
            opening=stage.opening,
            edition=editions[stage.language],
        )

    def record(self, scenario: str, condition: Condition, seed: int) -> RunRecord:
        """What a cell's run began with, for playing it again."""
        return self._stage(scenario, condition).record(seed)

    def _stage(self, scenario: str, condition: Condition) -> Stage:
        key = (scenario, condition.rulebook, condition.language)
        if key not in self._stages:
            self._stages[key] = Stage(
                load(self.prepared.settings[scenario].document),
                self.prepared.books[scenario][condition.rulebook],
                language=condition.language or None,
            )
        return self._stages[key]
