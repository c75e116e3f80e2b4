"""An effect on the number that answers the question, in words: no more than it bears."""

from typing import Final

from saniwa.experiment.measure.inference.permutation import can_show
from saniwa.experiment.measure.model import HEADLINE, Effect
from saniwa.experiment.report.figures import (
    SURE,
    change,
    change_span,
    counted,
    metric_named,
    probability,
)
from saniwa.experiment.report.material import Material
from saniwa.experiment.report.parts.reading import could_not

METRIC: Final = HEADLINE[0]
"""The number that answers."""


UNSEEN: Final = "No difference was seen."
"""The answer where not one block differs, and there are enough of them."""
UNABLE: Final = "It could not have been shown."
"""The answer where there are too few blocks for any."""


def nothing_changed(effect: Effect) -> bool:
    """Whether not one block differs."""
    return effect.estimate == 0 and effect.p is None and effect.blocks > 1


def unseen(effect: Effect) -> str:
    """The answer where not one block differs."""
    return UNSEEN if can_show(effect.blocks) else UNABLE


def unshown(material: Material, effect: Effect) -> str:
    """That it was not shown, or could not have been."""
    if could_not(material, effect):
        return UNABLE
    return "It was not shown."


def changes(material: Material, effect: Effect | None) -> str:
    """What it does to the number that answers, and how sure that is."""
    what = f"“{metric_named(METRIC).label.lower()}”"
    if effect is None or effect.estimate is None:
        return f"left nothing to compare{because(effect)}."
    if nothing_changed(effect):
        interval = change_span(effect.low, effect.high, metric_named(METRIC))
        return (
            f"left {what} as it is in all {counted(effect.blocks, 'block')}"
            f"{f' {interval}' if interval else ''}{_too_few(effect)}."
        )
    told = f"changes {what} by {figures(material, effect)}"
    if effect.p_corrected is None:
        return f"{told}, but that cannot be tested{because(effect)}."
    if effect.p_corrected >= SURE:
        return f"{told}{could_not(material, effect) or ': this cannot be told from chance'}."
    return f"{told}."


def _too_few(effect: Effect) -> str:
    """That so few blocks could not have shown a difference; empty where they could."""
    if can_show(effect.blocks):
        return ""
    return f", but {counted(effect.blocks, 'block')} cannot show that nothing changes"


def because(effect: Effect | None) -> str:
    """Why it could not be tested; empty where nothing is noted."""
    return f": {effect.note}" if effect is not None and effect.note else ""


def figures(material: Material, effect: Effect) -> str:
    """Change, interval and probability, and in how many blocks where not in all."""
    metric = metric_named(effect.metric)
    interval = change_span(effect.low, effect.high, metric)
    tested = "" if effect.p_corrected is None else f", p {equals(effect.p_corrected)}"
    shown = " ".join(
        each for each in (change(effect.estimate, metric), interval) if each
    )
    whole = material.analysis.blocks
    part = 0 < effect.blocks < whole
    some = f", in {effect.blocks} of {whole} blocks" if part else ""
    return f"{shown}{tested}{some}"


def equals(p: float) -> str:
    """A probability behind the letter p."""
    shown = probability(p)
    return shown if shown.startswith("<") else f"= {shown}"
