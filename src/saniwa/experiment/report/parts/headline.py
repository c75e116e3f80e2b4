"""Conditions side by side."""

from saniwa.experiment.measure.model import HEADLINE
from saniwa.experiment.plan import Condition
from saniwa.experiment.report.blocks import (
    Aside,
    Block,
    Heading,
    Line,
    Link,
    Name,
    Table,
    Words,
    words,
)
from saniwa.experiment.report.figures import NOTHING, estimated, metric_named
from saniwa.experiment.report.material import (
    Material,
    labels,
    left_out,
    undrawn,
)
from saniwa.experiment.report.parts.behind import KINDS_BEHIND
from saniwa.experiment.report.parts.crossing import crossed

_ARROWS = {"less": " ↓", "more": " ↑", "": ""}


def headline(material: Material) -> tuple[Block, ...]:
    """What the conditions are, and the numbers a reader sees first."""
    return (
        Heading("Conditions side by side", "conditions"),
        _conditions(material),
        crossed(
            material,
            HEADLINE,
            titled,
            lambda name, metric: _linked(material, name, metric),
            anchor="headline",
            caption="Means over runs, with 95 % bootstrap intervals",
            corner="Number",
            note=(
                "↓ less is better, ↑ more is better; – nothing to count. A figure with a "
                "link leads to a turn it is made of."
            ),
        ),
    )


def titled(metric: str) -> str:
    """A metric's label, with an arrow to where it is better."""
    found = metric_named(metric)
    return f"{found.label}{_ARROWS[found.better]}"


def estimate_line(material: Material, condition: str, metric: str) -> Line:
    """An estimate with its interval."""
    mean, interval = estimated(
        material.estimate(condition, metric), metric_named(metric)
    )
    return (Words(mean), Aside(f" {interval}")) if interval else words(mean)


def _linked(material: Material, condition: str, metric: str) -> Line:
    """The same; its mean leads to a turn in which it happened, where one is shown."""
    first, *rest = estimate_line(material, condition, metric)
    found = (material.sample(condition, kind) for kind in KINDS_BEHIND.get(metric, ()))
    anchor = next((each for each in found if each), "")
    return (Link(first.text, f"#{anchor}"), *rest) if anchor else (first, *rest)


def _conditions(material: Material) -> Table:
    further = [
        name
        for name, levels in sorted(material.plan.factors.items())
        if name not in ("inject", "gm") and len(levels) > 1
    ]
    rows = [_row(material, each, further) for each in material.listed]
    short = ["In plots"] if _renamed(material) else []
    told = ("Told what is true", "Refusals come back", *further, "Runs")
    return Table(
        "plan-conditions",
        "The conditions",
        ("Condition", *short, *told),
        tuple(rows),
        f"{left_out(material)} {undrawn(material)}".strip(),
    )


def _renamed(material: Material) -> bool:
    """Whether a condition has another name in plots, or is not in them."""
    shown = labels(material)
    return any(shown.get(each.name) != each.name for each in material.listed)


def _row(
    material: Material, condition: Condition, further: list[str]
) -> tuple[Line, ...]:
    levels = [str(getattr(condition, name)) or NOTHING for name in further]
    shown = labels(material).get(condition.name, NOTHING)
    runs = material.runs.get(condition.name, 0)
    return (
        (Name(condition.name),),
        *([words(shown)] if _renamed(material) else []),
        words("yes" if condition.inject else "no"),
        words("yes" if condition.gm else "no"),
        *((Name(level),) for level in levels),
        words(f"{runs:,}"),
    )
