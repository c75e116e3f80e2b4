"""The question, and its answer in plain words: no more than the figures bear."""

from typing import Final

from saniwa.experiment.measure.inference.factors import factors_of
from saniwa.experiment.measure.model import HEADLINE, Effect
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
from saniwa.experiment.report.figures import (
    SURE,
    change,
    change_span,
    counted,
    metric_named,
    plain,
    probability,
)
from saniwa.experiment.report.material import Material
from saniwa.experiment.report.parts.ends import ends
from saniwa.experiment.report.parts.reading import could_not, reading

ASKED: Final = "Does telling a model what is true, and refusing what is not, help it?"
"""The question where a plan asks none."""
_METRIC: Final = HEADLINE[0]
_AGAIN: Final = "refusing and asking again"
_TOLD: Final = (("inject", "telling"), ("gm", _AGAIN))
_MOST_FACTORS: Final = 6


def verdict(material: Material) -> tuple[Block, ...]:
    """The question and what can be said to it."""
    lines = [_main(material, *names) for names in _TOLD]
    lines.append(_together(material))
    lines.extend(_others(material))
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
    effect = material.effect(_METRIC, factor)
    return (
        Strong(f"Does {doing} help? {_word(material, effect)} "),
        Words(f"{doing.capitalize()} {_changes(material, effect)}"),
    )


def _nothing(effect: Effect) -> bool:
    """Whether not one block differs."""
    return effect.estimate == 0 and effect.p is None and effect.blocks > 1


def _word(material: Material, effect: Effect | None) -> str:
    if effect is None or effect.estimate is None:
        return "It cannot be said."
    if _nothing(effect):
        return "No: it changed nothing."
    if effect.p_corrected is None:
        return "It cannot be said."
    if effect.p_corrected >= SURE:
        return _unshown(material, effect)
    return "Yes." if effect.estimate < 0 else "No, it makes things worse."


def _unshown(material: Material, effect: Effect) -> str:
    if could_not(material, effect):
        return "It could not have been shown."
    return "It was not shown."


def _changes(material: Material, effect: Effect | None) -> str:
    what = f"“{metric_named(_METRIC).label.lower()}”"
    if effect is None or effect.estimate is None:
        return f"left nothing to compare{_because(effect)}."
    if _nothing(effect):
        return f"left {what} as it is in all {counted(effect.blocks, 'block')}."
    told = f"changes {what} by {_figures(material, effect)}"
    if effect.p_corrected is None:
        return f"{told}, but that cannot be tested{_because(effect)}."
    if effect.p_corrected >= SURE:
        return f"{told}{could_not(material, effect) or ': this cannot be told from chance'}."
    return f"{told}."


def _because(effect: Effect | None) -> str:
    return f": {effect.note}" if effect is not None and effect.note else ""


def _figures(material: Material, effect: Effect) -> str:
    metric = metric_named(effect.metric)
    interval = change_span(effect.low, effect.high, metric)
    tested = "" if effect.p_corrected is None else f", p {_equals(effect.p_corrected)}"
    shown = " ".join(
        each for each in (change(effect.estimate, metric), interval) if each
    )
    whole = material.analysis.blocks
    part = 0 < effect.blocks < whole
    some = f", in {effect.blocks} of {whole} blocks" if part else ""
    return f"{shown}{tested}{some}"


def _equals(p: float) -> str:
    shown = probability(p)
    return shown if shown.startswith("<") else f"= {shown}"


def _together(material: Material) -> Line:
    if not all(_varied(material, factor) for factor, _ in _TOLD):
        return (
            Strong("And both together? Not asked. "),
            Words("The plan does not vary both."),
        )
    effect = material.effect(_METRIC, "inject", "gm")
    return (
        Strong(f"And both together? {_meeting(material, effect)} "),
        Words(f"{ends(material, _METRIC)}{_meeting_figures(material, effect)}"),
    )


def _meeting(material: Material, effect: Effect | None) -> str:
    if effect is None or effect.estimate is None:
        return "It cannot be said."
    if _nothing(effect):
        return "Each does the same with the other and without."
    if effect.p_corrected is None:
        return "It cannot be said."
    if effect.p_corrected >= SURE:
        could = "could not have been" if could_not(material, effect) else "was not"
        return f"That one changes what the other does {could} shown."
    mains = [material.effect(_METRIC, factor) for factor, _ in _TOLD]
    if not all(each and each.estimate and each.estimate < 0 for each in mains):
        return "What one does depends on the other."
    if effect.estimate > 0:
        return "They overlap: each does part of the other's work."
    return "They strengthen each other."


def _meeting_figures(material: Material, effect: Effect | None) -> str:
    if effect is None or effect.estimate is None:
        return f"nothing is left to compare{_because(effect)}."
    untested = _because(effect) if effect.p_corrected is None else ""
    return f"the interaction is {_figures(material, effect)}{untested}."


def _others(material: Material) -> list[Line]:
    """A sentence about each further factor."""
    named = [
        name
        for name, levels in sorted(material.plan.factors.items())
        if name not in ("inject", "gm") and len(levels) > 1
    ]
    lines = [_other(material, name) for name in named[:_MOST_FACTORS]]
    if len(named) > _MOST_FACTORS:
        more = len(named) - _MOST_FACTORS
        lines.append(words(f"{counted(more, 'further factor')} told of below."))
    return lines


def _other(material: Material, factor: str) -> Line:
    effect = material.effect(_METRIC, factor)
    asked = f"Does {factor} matter?"
    if effect is not None and _nothing(effect):
        told = _changes(material, effect)
        return Strong(f"{asked} No: it changed nothing. "), Words(f"It {told}")
    if effect is None or effect.p_corrected is None:
        because = _because(effect)[2:] or "nothing is left to compare"
        return (
            Strong(f"{asked} It cannot be said. "),
            Words(f"{because[:1].upper()}{because[1:]}."),
        )
    shown = effect.p_corrected < SURE
    word = "Yes." if shown else _unshown(material, effect)
    unable = "" if shown else could_not(material, effect)
    return Strong(f"{asked} {word} "), Words(f"{_told(material, effect)}{unable}.")


def _told(material: Material, effect: Effect) -> str:
    """What a further factor does, with its levels where it has two."""
    what = f"“{metric_named(_METRIC).label}”"
    share = f"partial η² {plain(effect.eta_squared, 3)}"
    if effect.estimate is None:
        assert effect.p_corrected is not None, "only what was tested is told"
        return f"{what} differs between its levels with p {_equals(effect.p_corrected)}, {share}"
    names = {each.name: each.levels for each in factors_of(material.plan)}
    levels = names.get(effect.factors[0], ())
    way = f" from {levels[0]} to {levels[1]}" if len(levels) == 2 else ""
    return f"{what} changes{way} by {_figures(material, effect)}, {share}"
