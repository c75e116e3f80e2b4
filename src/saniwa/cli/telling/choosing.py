"""What a step offers, and which of it typed words mean."""

from typing import Final

from msgspec import UNSET

from saniwa.cli.render import width
from saniwa.script.directive import Branch, Option, Say, StepResult

_A_MOMENT: Final = 1.0
_A_COLUMN: Final = 0.06
"""Seconds to look up, and to read one column of text."""


def options_of(step: StepResult) -> tuple[Option, ...]:
    """Everything a step offers to choose, also what is only shown."""
    for directive in step.directives:
        if isinstance(directive, Branch):
            branch = directive.args
            if branch.options is UNSET:
                return tuple(Option.of(text) for text in branch.choices)
            return branch.options
    return ()


def meant(words: str, options: tuple[Option, ...]) -> int | None:
    """The option that words mean, from 0: its number, or its own words if no other has them."""
    typed = words.strip().rstrip(".")
    if typed.isdecimal() and len(typed) < 5:
        return int(typed) - 1 if 0 < int(typed) <= len(options) else None
    alike = [
        index
        for index, option in enumerate(options)
        if option.text.strip().casefold() == words.strip().casefold()
    ]
    return alike[0] if len(alike) == 1 else None


def first_open(options: tuple[Option, ...]) -> int | None:
    """The first option that can be taken."""
    return next((i for i, option in enumerate(options) if option.enabled), None)


def reading_time(step: StepResult) -> float:
    """Seconds somebody needs to read a step."""
    said = (each.args for each in step.directives if isinstance(each, Say))
    return _A_MOMENT + _A_COLUMN * sum(width(line.text) for line in said)
