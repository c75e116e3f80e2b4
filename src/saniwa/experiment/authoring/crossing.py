"""Conditions: every level of every factor with every level of the others."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

from saniwa.experiment.authoring.slug import slug
from saniwa.experiment.plan import LETTERS, Condition, Level

SWITCHES: Final = {letter: pair for pair, letter in LETTERS.items()}
"""What a letter of the 2×2 stands for: (inject, gm)."""

_SWITCHED: Final = ("inject", "gm")


def crossed(
    pairs: Sequence[tuple[bool, bool]], further: Mapping[str, Sequence[Level]]
) -> tuple[Condition, ...]:
    """The conditions of some of the 2×2, crossed with further factors, in order of name.

    A factor of one level is a setting: no name tells of it.
    """
    made = (
        _condition(inject, gm, levels, further)
        for inject, gm in pairs
        for levels in product(*further.values())
    )
    return tuple(sorted(made, key=lambda condition: condition.name))


def count_crossed(pairs: int, further: Mapping[str, Sequence[Level]]) -> int:
    """How many conditions that would be."""
    total = pairs
    for levels in further.values():
        total *= len(levels)
    return total


def name_of(condition: Condition, factors: Mapping[str, Sequence[Level]]) -> str:
    """What a condition is called in a plan with these factors."""
    further = {name: found for name, found in factors.items() if name not in _SWITCHED}
    settings = {name: getattr(condition, name) for name in further}
    return condition.letter + "".join(_told(settings, further))


def _condition(
    inject: bool,
    gm: bool,
    levels: Sequence[Level],
    further: Mapping[str, Sequence[Level]],
) -> Condition:
    settings: dict[str, Any] = dict(zip(further, levels, strict=True))
    name = LETTERS[inject, gm] + "".join(_told(settings, further))
    return Condition(name=name, inject=inject, gm=gm, **settings)


def _told(
    settings: Mapping[str, Level], further: Mapping[str, Sequence[Level]]
) -> Iterator[str]:
    for factor, level in settings.items():
        if len(further[factor]) > 1:
            yield f"+{factor}={slug(level) or 'own'}"
