"""Values of a story's variables, and what can be done with them.

Nothing (an unset variable) stands for 0, empty text or false, whichever the other side
asks for. Numbers, text and true/false are three kinds that never turn into each other,
except that text joined with anything becomes longer text.
"""

import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Final

from saniwa.core.errors import ScriptError
from saniwa.core.quoted import quoted
from saniwa.core.where import Where

Value = int | float | str | bool | None
"""Whole number, decimal, text, true/false, or nothing."""
LARGEST: Final = 2**53 - 1
"""The largest whole number; its negative is the smallest."""
_SMALLEST: Final = -LARGEST
LONGEST: Final = 10_000
"""Letters a text value may have."""

_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?[0-9]*\.[0-9]+")
_MOST_DIGITS = 400
_TRUTHS = {"true": True, "false": False}


class UnfitError(ValueError):
    """These values do not go with this operation; the sentence says why."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def failed(why: UnfitError, where: Where | None = None) -> ScriptError:
    """The error for people, with the place if it is known."""
    return ScriptError("EXPRESSION_FAILED", str(why), where=where, hint=why.hint)


def kind_of(value: Value) -> str:
    """Which of the kinds that never turn into each other: number, text, truth, nothing."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "truth"
    return "text" if isinstance(value, str) else "number"


def modified(before: Value, operator: str, worth: Value) -> Value:
    """What the old MODIFY makes of a variable: nothing new unless both are numbers.

    Raises:
        ScriptError: `EXPRESSION_FAILED`, without a place, if the result is none.
    """
    fits = {kind_of(before), kind_of(worth)} <= {"number", "nothing"}
    return assigned(before, operator, worth) if fits else before


def holds(value: Value) -> bool:
    """Whether it counts as true: false, 0, empty text and nothing do not."""
    return bool(value)


def shown(value: Value) -> str:
    """The value as it stands in text: `true`, `3`, `0.5`; nothing is empty."""
    if type(value) is int:
        return str(value)
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not (value.is_integer() and abs(value) <= LARGEST):
        return repr(value)
    return str(int(value))


def literal(text: str) -> Value:
    """What an old parameter means: a number, true/false, else text without its quotes."""
    text = text.strip()
    truth = _TRUTHS.get(text.lower())
    if truth is not None:
        return truth
    if len(text) <= _MOST_DIGITS:
        if _WHOLE.fullmatch(text) and abs(number := int(text)) <= LARGEST:
            return number
        if _DECIMAL.fullmatch(text) and isfinite(decimal := float(text)):
            return decimal
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1]
    return text


def assigned(before: Value, operator: str, worth: Value) -> Value:
    """The new value of a variable after `= += -= *= /=`.

    Raises:
        ScriptError: `EXPRESSION_FAILED`, without a place, if the values do not fit.
    """
    try:
        change = _CHANGES.get(operator)
        return _bounded(worth) if change is None else change(before, worth)
    except UnfitError as why:
        raise failed(why) from None


def added(a: Value, b: Value) -> Value:
    """The sum; if either is text, the two joined."""
    if type(a) is int and type(b) is int and _SMALLEST <= (whole := a + b) <= LARGEST:
        return whole
    if isinstance(a, str) or isinstance(b, str):
        return _bounded(shown(a) + shown(b))
    return _bounded(_number(a, "+") + _number(b, "+"))


def subtracted(a: Value, b: Value) -> Value:
    """The difference."""
    return _bounded(_number(a, "-") - _number(b, "-"))


def multiplied(a: Value, b: Value) -> Value:
    """The product."""
    return _bounded(_number(a, "*") * _number(b, "*"))


def divided(a: Value, b: Value) -> Value:
    """The quotient: whole if whole numbers divide evenly, else a decimal."""
    over, under = _number(a, "/"), _number(b, "/")
    if under == 0:
        raise UnfitError(f"{shown(over)} cannot be divided by zero")
    if isinstance(over, int) and isinstance(under, int) and over % under == 0:
        return over // under
    try:
        return _bounded(over / under)
    except OverflowError:
        raise _too_large() from None


def remainder(a: Value, b: Value) -> Value:
    """What is left of a whole division; it has the sign of the right side."""
    over, under = _whole(a), _whole(b)
    if under == 0:
        raise UnfitError(f"{over} has no remainder by zero")
    return over % under


def negated(a: Value) -> Value:
    """The number with its sign turned."""
    return -_number(a, "-")


def equal(a: Value, b: Value) -> bool:
    """Whether the two are the same; unlike kinds never are."""
    if type(a) is type(b):
        return a == b
    a, b = _alike(a, b)
    return isinstance(a, bool) == isinstance(b, bool) and a == b


def unequal(a: Value, b: Value) -> bool:
    """Whether the two differ; unlike kinds always do."""
    return not equal(a, b)


def less(a: Value, b: Value) -> bool:
    """Whether the left comes first; false for unlike kinds, text by code point."""
    if type(a) is int and type(b) is int:
        return a < b
    return _order(a, b) == -1


def more(a: Value, b: Value) -> bool:
    """Whether the right comes first."""
    if type(a) is int and type(b) is int:
        return a > b
    return _order(a, b) == 1


def at_most(a: Value, b: Value) -> bool:
    """Whether the left comes first or is the same."""
    return _order(a, b) in (-1, 0)


def at_least(a: Value, b: Value) -> bool:
    """Whether the right comes first or is the same."""
    return _order(a, b) in (0, 1)


ARITHMETIC: Final[Mapping[str, Callable[[Value, Value], Value]]] = {
    "+": added,
    "-": subtracted,
    "*": multiplied,
    "/": divided,
    "%": remainder,
}
"""Operators that make a value."""
_CHANGES: Final = {f"{mark}=": change for mark, change in ARITHMETIC.items()}
COMPARISONS: Final[Mapping[str, Callable[[Value, Value], bool]]] = {
    "==": equal,
    "!=": unequal,
    "<": less,
    "<=": at_most,
    ">": more,
    ">=": at_least,
}
"""Operators that make true or false."""


def _order(a: Value, b: Value) -> int | None:
    a, b = _alike(a, b)
    if isinstance(a, str) and isinstance(b, str):
        return (a > b) - (a < b)
    if isinstance(a, str) or isinstance(b, str) or a is None or b is None:
        return None
    if isinstance(a, bool) != isinstance(b, bool):
        return None
    return (a > b) - (a < b)


def _alike(a: Value, b: Value) -> tuple[Value, Value]:
    if a is None:
        a = 0 if b is None else type(b)()
    return a, (type(a)() if b is None else b)


def _number(value: Value, operator: str) -> int | float:
    if value is None:
        return 0
    if isinstance(value, str | bool):
        message = f"{operator!r} needs numbers, not {_named(value)}"
        raise UnfitError(message, "only + takes text, and joins it")
    return value


def _whole(value: Value) -> int:
    number = _number(value, "%")
    if isinstance(number, float) and not number.is_integer():
        raise UnfitError(f"'%' needs whole numbers, not {shown(number)}")
    return int(number)


def _named(value: Value) -> str:
    return shown(value) if isinstance(value, bool) else f"the text {quoted(value)}"


def _bounded(value: Value) -> Value:
    if isinstance(value, str):
        if len(value) > LONGEST:
            raise UnfitError(f"a text of {len(value)} letters is over {LONGEST}")
    elif isinstance(value, float):
        if not isfinite(value):
            raise _too_large()
    elif value is not None and not _SMALLEST <= value <= LARGEST:
        raise _too_large()
    return value


def _too_large() -> UnfitError:
    return UnfitError(f"the number is larger than {LARGEST} or smaller than -{LARGEST}")
