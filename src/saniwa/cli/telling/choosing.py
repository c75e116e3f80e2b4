"""What a step offers, and which of it typed words mean."""

from typing import Final

from msgspec import UNSET

from saniwa.cli.render import width
from saniwa.script.directive import Branch, Option, Say, StepResult

_A_MOMENT: Final = 1.0
_A_COLUMN: Final = 0.06
"""Seconds to look up, and to read one column of text."""
_LONGEST_PART: Final = 100
"""Letters of words that are looked for in options."""


def options_of(step: StepResult) -> tuple[Option, ...]:
    """Everything a step offers to choose, also what is only shown."""
    for directive in step.directives:
        if isinstance(directive, Branch):
            branch = directive.args
            if branch.options is UNSET:
                return tuple(Option.of(text) for text in branch.choices)
            return branch.options
    return ()


def meant(
    words: str, options: tuple[Option, ...], *, whole: bool = False
) -> tuple[int, ...]:
    """The options that words may mean, from 0: one if it is clear, several if it is not.

    A number means its option, an option's own words mean it, and a word means those open
    ones that it is part of, unless the words must be whole.
    """
    number = words.strip().rstrip(".")
    if number.isdecimal() and len(number) < 5:
        return (int(number) - 1,) if 0 < int(number) <= len(options) else ()
    typed = _plain(words)
    texts = [_plain(option.text) for option in options]
    alike = tuple(i for i, text in enumerate(texts) if text == typed)
    if alike or whole or not 0 < len(typed) <= _LONGEST_PART:
        return alike
    parts = tuple(i for i, text in enumerate(texts) if _is_part(typed, text))
    return tuple(i for i in parts if options[i].enabled) or parts


def _plain(text: str) -> str:
    return text.strip().rstrip(".。").strip().casefold()


def _is_part(words: str, text: str) -> bool:
    """Whether words stand in a text, and do not begin or end within one of its words."""
    at = text.find(words)
    while at >= 0:
        end = at + len(words)
        if not (_within_word(text, at) or _within_word(text, end)):
            return True
        at = text.find(words, at + 1)
    return False


def _within_word(text: str, at: int) -> bool:
    """Whether two letters meet there that are parted by blanks where words are."""
    # Japanese and its neighbours part no words: there, any letter may begin one.
    around = text[max(at - 1, 0) : at + 1]
    return 0 < at < len(text) and around.isalnum() and width(around) == len(around)


def first_open(options: tuple[Option, ...]) -> int | None:
    """The first option that can be taken."""
    return next((i for i, option in enumerate(options) if option.enabled), None)


def reading_time(step: StepResult) -> float:
    """Seconds somebody needs to read a step."""
    said = (each.args for each in step.directives if isinstance(each, Say))
    return _A_MOMENT + _A_COLUMN * sum(width(line.text) for line in said)
