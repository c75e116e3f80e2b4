"""How far the conditions came: goals, milestones, and how much was done at all."""

from typing import Final

from saniwa.experiment.report.blocks import Line, Strong, Words
from saniwa.experiment.report.figures import figure, metric_named
from saniwa.experiment.report.material import Material

_SHOWN: Final = ("goal_reached", "milestone_rate", "deeds_per_turn")
_MOST: Final = 8


def describe_progress(material: Material) -> Line:
    """Goals, milestones and deeds of each condition, in one line of the answer."""
    names = [each.name for each in material.listed[:_MOST]]
    told = [text for metric in _SHOWN if (text := _describe(material, metric, names))]
    has_goal = any(each.goal_reached is not None for each in material.numbers)
    begin = () if has_goal else ("No scenario of this plan has a goal",)
    more = " More conditions are listed below." if len(material.listed) > _MOST else ""
    return (
        Strong("How far did it come? "),
        Words(f"{'; '.join((*begin, *told))}.{more}"),
    )


def _describe(material: Material, name: str, conditions: list[str]) -> str:
    """A metric of each condition; empty where no condition has it."""
    metric = metric_named(name)
    found = [(each, material.estimate(each, name)) for each in conditions]
    if all(estimate is None or estimate.mean is None for _, estimate in found):
        return ""
    shown = ", ".join(
        f"{each} {figure(estimate.mean if estimate else None, metric)}"
        for each, estimate in found
    )
    return f"{metric.label}: {shown}"
