"""The question, and its answer in plain words: no more than the figures bear."""

from typing import Final

from saniwa.experiment.measure.inference.permutation import can_show
from saniwa.experiment.measure.model import Effect
from saniwa.experiment.report.blocks import (
    Block,
    Bullets,
    Heading,
    Line,
    Paragraph,
    Strong,
    Words,
    words,
)
from saniwa.experiment.report.figures import SURE
from saniwa.experiment.report.material import Material
from saniwa.experiment.report.parts.effect_words import (
    METRIC,
    UNABLE,
    because,
    changes,
    figures,
    nothing_changed,
    unseen,
    unshown,
)
from saniwa.experiment.report.parts.ends import ends
from saniwa.experiment.report.parts.further import further_factors, further_pairs
from saniwa.experiment.report.parts.progress import describe_progress
from saniwa.experiment.report.parts.reading import could_not, reading

ASKED: Final = "Does telling a model what is true, and refusing what is not, help it?"
"""The question where a plan asks none."""
_AGAIN: Final = "refusing and asking again"
_TOLD: Final = (("inject", "telling"), ("gm", _AGAIN))


def verdict(material: Material) -> tuple[Block, ...]:
    """The question and what can be said to it."""
    lines = [_main(material, *names) for names in _TOLD]
    lines.append(_together(material))
    lines += further_factors(material) + further_pairs(material)
    lines.append(describe_progress(material))
    return (
        Heading("The answer", "answer"),
        Paragraph(words(material.plan.question or ASKED), lead=True),
        Bullets(tuple(lines), lead=True),
        *reading(material),
    )


def _varied(material: Material, factor: str) -> bool:
    return len({getattr(each, factor) for each in material.plan.conditions}) > 1


def _main(material: Material, factor: str, doing: str) -> Line:
    if not _varied(material, factor):
        return (
            Strong(f"Does {doing} help? Not asked. "),
            Words(f"Every condition of this plan has {factor} the same."),
        )
    effect = material.effect(METRIC, factor)
    return (
        Strong(f"Does {doing} help? {_word(material, effect)} "),
        Words(f"{doing.capitalize()} {changes(material, effect)}"),
    )


def _word(material: Material, effect: Effect | None) -> str:
    if effect is None or effect.estimate is None:
        return "It cannot be said."
    if nothing_changed(effect):
        return unseen(effect)
    if effect.p_corrected is None:
        return "It cannot be said."
    if effect.p_corrected >= SURE:
        return unshown(material, effect)
    return "Yes." if effect.estimate < 0 else "No, it makes things worse."


def _together(material: Material) -> Line:
    if not all(_varied(material, factor) for factor, _ in _TOLD):
        return (
            Strong("And both together? Not asked. "),
            Words("The plan does not vary both."),
        )
    effect = material.effect(METRIC, "inject", "gm")
    return (
        Strong(f"And both together? {_meeting(material, effect)} "),
        Words(f"{ends(material, METRIC)}{_meeting_figures(material, effect)}"),
    )


def _meeting(material: Material, effect: Effect | None) -> str:
    if effect is None or effect.estimate is None:
        return "It cannot be said."
    if nothing_changed(effect):
        same = "Each does the same with the other and without."
        return same if can_show(effect.blocks) else UNABLE
    if effect.p_corrected is None:
        return "It cannot be said."
    if effect.p_corrected >= SURE:
        could = "could not have been" if could_not(material, effect) else "was not"
        return f"That one changes what the other does {could} shown."
    mains = [material.effect(METRIC, factor) for factor, _ in _TOLD]
    if not all(each and each.estimate and each.estimate < 0 for each in mains):
        return "What one does depends on the other."
    if effect.estimate > 0:
        return "They overlap: each does part of the other's work."
    return "They strengthen each other."


def _meeting_figures(material: Material, effect: Effect | None) -> str:
    if effect is None or effect.estimate is None:
        return f"nothing is left to compare{because(effect)}."
    untested = because(effect) if effect.p_corrected is None else ""
    return f"the interaction is {figures(material, effect)}{untested}."
