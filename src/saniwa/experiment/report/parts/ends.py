"""How it is with neither telling nor refusing, and with both."""

from statistics import fmean

from saniwa.experiment.measure.metrics import value
from saniwa.experiment.report.figures import counted, estimated, figure, metric_named
from saniwa.experiment.report.material import Material

_Values = dict[tuple[str, int], float]


def ends(material: Material, metric: str) -> str:
    """With neither and with both, where each is one condition: over the same blocks."""
    named = [
        [each.name for each in material.plan.conditions if each.letter == letter]
        for letter in ("A", "D")
    ]
    if any(len(names) != 1 for names in named):
        return "Over all conditions, "
    (neither,), (both,) = named
    first, second = (_values(material, name, metric) for name in (neither, both))
    if first.keys() == second.keys():
        shown = (_estimate(material, name, metric) for name in (neither, both))
        return "With neither it is {}, with both {}; ".format(*shown)
    return _shared(first, second, metric)


def _values(material: Material, condition: str, metric: str) -> _Values:
    own = (each for each in material.numbers if each.condition == condition)
    told = (((each.scenario, each.seed), value(metric, each)) for each in own)
    return {block: found for block, found in told if found is not None}


def _estimate(material: Material, condition: str, metric: str) -> str:
    shown = estimated(material.estimate(condition, metric), metric_named(metric))
    return " ".join(shown).rstrip()


def _shared(first: _Values, second: _Values, metric: str) -> str:
    """Means over the blocks both have: others would compare unlike with unlike."""
    shared = sorted(first.keys() & second.keys())
    if not shared:
        return "No block has both a run with neither and one with both; "
    told = metric_named(metric)
    neither, both = (
        figure(fmean(side[block] for block in shared), told) for side in (first, second)
    )
    return (
        f"In the {counted(len(shared), 'block')} that have a run of each it is {neither} "
        f"with neither and {both} with both; "
    )
