"""The question, and its answer in plain words: no more than the figures bear."""

from typing import Final

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
    estimated,
    metric_named,
    plain,
    probability,
)
from saniwa.experiment.report.material import Material

ASKED: Final = "Does telling a model what is true, and refusing what is not, help it?"
"""The question where a plan asks none."""
_METRIC: Final = HEADLINE[0]
_TOLD: Final = (("inject", "telling", "Telling"), ("gm", "refusing", "Refusing"))
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
        Paragraph(words(_reading(material))),
    )


def _reading(material: Material) -> str:
    metric = metric_named(_METRIC)
    blocks = len({(each.scenario, each.seed) for each in material.numbers})
    who = "stand-ins" if material.plan.mode == "sim" else "models"
    return (
        f"“{metric.label}” counts {_sentence(metric.about)}; less is better. In brackets are "
        f"95 % intervals; p is corrected for all comparisons of this report, and a change "
        f"counts as shown where p < {SURE}. {len(material.numbers):,} runs in {blocks:,} "
        f"{'block' if blocks == 1 else 'blocks'} of scenario and seed, played by {who}."
    )


def _sentence(about: str) -> str:
    return about.rstrip(".")[:1].lower() + about.rstrip(".")[1:]


def _varied(material: Material, factor: str) -> bool:
    return len({getattr(each, factor) for each in material.plan.conditions}) > 1


def _main(material: Material, factor: str, doing: str, begins: str) -> Line:
    if not _varied(material, factor):
        return (
            Strong(f"Does {doing} help? Not asked. "),
            Words(f"Every condition of this plan has {factor} the same."),
        )
    effect = material.effect(_METRIC, factor)
    return (
        Strong(f"Does {doing} help? {_word(effect)} "),
        Words(f"{begins} {_changes(effect)}"),
    )


def _word(effect: Effect | None) -> str:
    if effect is None or effect.estimate is None or effect.p_corrected is None:
        return "It cannot be said."
    if effect.p_corrected >= SURE:
        return "It was not shown."
    return "Yes." if effect.estimate < 0 else "No, it makes things worse."


def _changes(effect: Effect | None) -> str:
    if effect is None or effect.estimate is None:
        return f"left nothing to compare{_because(effect)}."
    what = metric_named(_METRIC).label.lower()
    told = f"changes “{what}” by {_figures(effect)}"
    if effect.p_corrected is None:
        return f"{told}, but that cannot be tested{_because(effect)}."
    if effect.p_corrected >= SURE:
        return f"{told}: this cannot be told from chance."
    return f"{told}."


def _because(effect: Effect | None) -> str:
    return f": {effect.note}" if effect is not None and effect.note else ""


def _figures(effect: Effect) -> str:
    metric = metric_named(effect.metric)
    interval = change_span(effect.low, effect.high, metric)
    tested = "" if effect.p_corrected is None else f", p {_equals(effect.p_corrected)}"
    shown = " ".join(
        each for each in (change(effect.estimate, metric), interval) if each
    )
    return f"{shown}{tested}"


def _equals(p: float) -> str:
    shown = probability(p)
    return shown if shown.startswith("<") else f"= {shown}"


def _together(material: Material) -> Line:
    if not all(_varied(material, factor) for factor, _, _ in _TOLD):
        return (
            Strong("And both together? Not asked. "),
            Words("The plan does not vary both."),
        )
    effect = material.effect(_METRIC, "inject", "gm")
    return (
        Strong(f"And both together? {_meeting(material, effect)} "),
        Words(f"{_ends(material)}{_meeting_figures(effect)}"),
    )


def _meeting(material: Material, effect: Effect | None) -> str:
    if effect is None or effect.estimate is None or effect.p_corrected is None:
        return "It cannot be said."
    if effect.p_corrected >= SURE:
        return "That one changes what the other does was not shown."
    mains = [material.effect(_METRIC, factor) for factor, _, _ in _TOLD]
    if not all(each and each.estimate and each.estimate < 0 for each in mains):
        return "What one does depends on the other."
    if effect.estimate > 0:
        return "They overlap: each does part of the other's work."
    return "They strengthen each other."


def _meeting_figures(effect: Effect | None) -> str:
    if effect is None or effect.estimate is None:
        return f"nothing is left to compare{_because(effect)}."
    return f"the interaction is {_figures(effect)}{_because(effect)}."


def _ends(material: Material) -> str:
    """With neither and with both, where each is one condition."""
    metric = metric_named(_METRIC)
    ends: list[str] = []
    for letter in ("A", "D"):
        named = [
            each.name for each in material.plan.conditions if each.letter == letter
        ]
        if len(named) != 1:
            return "Over all conditions, "
        mean, interval = estimated(material.estimate(named[0], _METRIC), metric)
        ends.append(f"{mean} {interval}".rstrip())
    return f"With neither it is {ends[0]}, with both {ends[1]}; "


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
        lines.append(words(f"{more} further factors are told of below."))
    return lines


def _other(material: Material, factor: str) -> Line:
    effect = material.effect(_METRIC, factor)
    asked = f"Does {factor} matter?"
    if effect is None or effect.p_corrected is None:
        return Strong(f"{asked} It cannot be said. "), Words(_because(effect)[2:])
    word = "Yes." if effect.p_corrected < SURE else "It was not shown."
    told = [f"partial η² {plain(effect.eta_squared, 3)}"]
    if effect.estimate is None:
        told.insert(0, f"p {_equals(effect.p_corrected)}")
    else:
        told.insert(0, f"it changes by {_figures(effect)}")
    return Strong(f"{asked} {word} "), Words(", ".join(told))
