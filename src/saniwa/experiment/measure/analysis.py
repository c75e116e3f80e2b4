"""What an experiment says in numbers: estimates, comparisons, effects and gates."""

from collections.abc import Sequence
from itertools import islice

from saniwa.experiment.measure.gates import gates_of
from saniwa.experiment.measure.inference.comparisons import comparisons_of
from saniwa.experiment.measure.inference.contrasts import terms_of
from saniwa.experiment.measure.inference.correction import corrected, families_of
from saniwa.experiment.measure.inference.effects import effects_of
from saniwa.experiment.measure.inference.estimates import by_scenario, estimates_of
from saniwa.experiment.measure.inference.factors import factors_of, pairs_of
from saniwa.experiment.measure.inference.installed import check_installed
from saniwa.experiment.measure.inference.method import MOST_PAIRS, Made, method_of
from saniwa.experiment.measure.inference.table import tables_of
from saniwa.experiment.measure.model import Analysis, Numbers
from saniwa.experiment.plan import Plan


def analyse(plan: Plan, numbers: Sequence[Numbers]) -> Analysis:
    """Everything that is said about an experiment in numbers.

    Never raises over what was measured: one seed, no spread or missing cells give None
    and a note. The order of the cells makes no difference.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    check_installed()
    tables, factors = tables_of(plan, numbers), factors_of(plan)
    table = tables.tested
    pairs = list(islice(pairs_of(plan, factors), MOST_PAIRS + 1))
    estimates, of_estimates = estimates_of(tables)
    comparisons, of_comparisons = comparisons_of(table, pairs[:MOST_PAIRS])
    effects, of_effects = effects_of(table, factors)
    families = families_of(effects, comparisons, terms_of(table.conditions, factors))
    intervals = (*of_estimates, *of_comparisons, *of_effects)
    return Analysis(
        estimates=estimates,
        comparisons=comparisons,
        effects=corrected(effects),
        gates=gates_of(plan, numbers),
        method=method_of(Made(table, intervals, families, len(pairs))),
        families=families,
        blocks=table.blocks,
        folded=table.folded,
        by_scenario=by_scenario(tables),
    )
