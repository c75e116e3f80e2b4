"""Whether all that a prepared plan holds can be played; no cell is."""

from collections.abc import Iterator

from saniwa.core.errors import SaniwaError
from saniwa.core.quoted import quoted
from saniwa.experiment.cell import Cell, key_of
from saniwa.experiment.plan import Plan, Prepared
from saniwa.experiment.playing.opening import Stages


def unplayable(prepared: Prepared) -> Iterator[str]:
    """The scenarios that cannot be opened under their books, each in a sentence."""
    stages = Stages(prepared)
    for cell in _one_of_each(prepared.plan):
        try:
            stages.table(cell)
        except SaniwaError as problem:
            yield f"the scenario {quoted(cell.scenario)} of it: {problem.message}"


def _one_of_each(plan: Plan) -> Iterator[Cell]:
    """A cell for each scenario under each book in each language."""
    ways = {(each.rulebook, each.language): each for each in plan.conditions}
    for scenario in plan.scenarios:
        for condition in ways.values():
            seed = plan.seeds[0]
            key = key_of(plan, condition, scenario, seed)
            yield Cell(
                number=0, key=key, condition=condition, scenario=scenario, seed=seed
            )
