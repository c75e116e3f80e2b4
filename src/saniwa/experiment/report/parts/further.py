"""What further factors do, and any two of them together."""

from typing import Final

from saniwa.experiment.measure.inference.factors import factors_of
from saniwa.experiment.measure.inference.permutation import can_show
from saniwa.experiment.measure.model import Effect
from saniwa.experiment.report.blocks import Line, Strong, Words, words
from saniwa.experiment.report.figures import SURE, counted, metric_named, plain
from saniwa.experiment.report.material import Material
from saniwa.experiment.report.parts.effect_words import (
    METRIC,
    UNABLE,
    because,
    changes,
    equals,
    figures,
    nothing_changed,
    unseen,
    unshown,
)
from saniwa.experiment.report.parts.reading import could_not

_MOST: Final = 6


def further_factors(material: Material) -> list[Line]:
    """A sentence about each factor beyond telling and refusing."""
    named = [
        name
        for name, levels in sorted(material.plan.factors.items())
        if name not in ("inject", "gm") and len(levels) > 1
    ]
    lines = [_other(material, name) for name in named[:_MOST]]
    if len(named) > _MOST:
        more = len(named) - _MOST
        lines.append(words(f"{counted(more, 'further factor')} told of below."))
    return lines


def _other(material: Material, factor: str) -> Line:
    effect = material.effect(METRIC, factor)
    asked = f"Does {factor} matter?"
    if effect is not None and nothing_changed(effect):
        told = changes(material, effect)
        return Strong(f"{asked} {unseen(effect)} "), Words(f"It {told}")
    if effect is None or effect.p_corrected is None:
        return _untold(asked, effect)
    return _decided(material, asked, effect, _told(material, effect))


def _told(material: Material, effect: Effect) -> str:
    """What a further factor does, with its levels where it has two."""
    what = f"“{metric_named(METRIC).label}”"
    share = f"partial η² {plain(effect.eta_squared, 3)}"
    if effect.estimate is None:
        assert effect.p_corrected is not None, "only what was tested is told"
        return f"{what} differs between its levels with p {equals(effect.p_corrected)}, {share}"
    names = {each.name: each.levels for each in factors_of(material.plan)}
    levels = names.get(effect.factors[0], ())
    way = f" from {levels[0]} to {levels[1]}" if len(levels) == 2 else ""
    return f"{what} changes{way} by {figures(material, effect)}, {share}"


def further_pairs(material: Material) -> list[Line]:
    """A sentence about any two factors together, but for telling and refusing."""
    found = [
        each
        for each in material.analysis.effects
        if each.metric == METRIC
        and len(each.factors) == 2
        and set(each.factors) != {"inject", "gm"}
    ]
    lines = [_pair(material, each) for each in found[:_MOST]]
    if len(found) > _MOST:
        more = len(found) - _MOST
        lines.append(
            words(f"{counted(more, 'further pair')} of factors told of below.")
        )
    return lines


def _pair(material: Material, effect: Effect) -> Line:
    first, second = effect.factors
    asked = f"Does what {first} does depend on {second}?"
    if nothing_changed(effect):
        return (
            Strong(f"{asked} {'No.' if can_show(effect.blocks) else UNABLE} "),
            Words(f"It does the same in all {counted(effect.blocks, 'block')}."),
        )
    if effect.p_corrected is None:
        return _untold(asked, effect)
    return _decided(material, asked, effect, _interaction(material, effect))


def _interaction(material: Material, effect: Effect) -> str:
    if effect.estimate is not None:
        return f"The interaction is {figures(material, effect)}"
    assert effect.p_corrected is not None, "only what was tested is told"
    share = f"partial η² {plain(effect.eta_squared, 3)}"
    return f"The interaction has p {equals(effect.p_corrected)}, {share}"


def _untold(asked: str, effect: Effect | None) -> Line:
    reason = because(effect)[2:] or "nothing is left to compare"
    return (
        Strong(f"{asked} It cannot be said. "),
        Words(f"{reason[:1].upper()}{reason[1:]}."),
    )


def _decided(material: Material, asked: str, effect: Effect, told: str) -> Line:
    assert effect.p_corrected is not None, "only what was tested is decided"
    shown = effect.p_corrected < SURE
    word = "Yes." if shown else unshown(material, effect)
    unable = "" if shown else could_not(material, effect)
    return Strong(f"{asked} {word} "), Words(f"{told}{unable}.")
