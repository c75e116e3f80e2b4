"""Values of a story's variables, and the operations on them.

Nothing (an unset variable) counts as 0, empty text or false, whichever the other
operand needs. Numbers, text and true/false are never converted into each other, except
that text joined with anything becomes longer text.
"""

import operator
import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, Final, NamedTuple, Protocol

from saniwa.core.errors import ScriptError
from saniwa.core.findings import SourceLocation
from saniwa.core.text import quote_value
from saniwa.story.finding_collector import make_story_error

Value = int | float | str | bool | None
"""Whole number, decimal, text, true/false, or nothing."""
BUILT_IN_VARIABLES: Final = frozenset({"allowed", "reason", "heard"})
"""Variables that the player itself sets."""
LARGEST: Final = 2**53 - 1
"""The largest whole number; its negative is the smallest."""
_SMALLEST: Final = -LARGEST
LONGEST: Final = 10_000
"""The most characters a text value may have."""

_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?[0-9]*\.[0-9]+")
_MOST_DIGITS = 400
_TRUTHS = {"true": True, "false": False}


def classify_value(value: Value) -> str:
    """Return the kind of a value: number, text, truth or nothing."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "truth"
    return "text" if isinstance(value, str) else "number"


def modify_value(before: Value, operator: str, worth: Value) -> Value:
    """Apply an old MODIFY; the variable is unchanged unless both values are numbers.

    Raises:
        ScriptError: `EXPRESSION_FAILED`, without a place, if the result is invalid.
    """
    fits = {classify_value(before), classify_value(worth)} <= {"number", "nothing"}
    return assign_value(before, operator, worth) if fits else before


def is_true(value: Value) -> bool:
    """Whether it counts as true: false, 0, empty text and nothing do not."""
    return bool(value)


def format_value(value: Value) -> str:
    """Format the value for text: `true`, `3`, `0.5`; nothing is empty."""
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


def parse_literal(text: str) -> Value:
    """Parse an old parameter: a number, true/false, else text without its quotes."""
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


def assign_value(before: Value, operator: str, worth: Value) -> Value:
    """Return a variable's new value after `= += -= *= /=`.

    Raises:
        ScriptError: `EXPRESSION_FAILED`, without a place, if the values do not fit.
    """
    change = _CHANGES.get(operator)
    return _check_bounds(worth) if change is None else change(before, worth)


def add_values(a: Value, b: Value) -> Value:
    """Add two numbers; if either value is text, join the two."""
    if type(a) is int and type(b) is int and _SMALLEST <= (total := a + b) <= LARGEST:
        return total
    if isinstance(a, str) or isinstance(b, str):
        return _check_bounds(format_value(a) + format_value(b))
    return _check_bounds(_require_number(a, "+") + _require_number(b, "+"))


def _make_arithmetic(
    mark: str, reckon: Callable[[Any, Any], Any]
) -> Callable[[Value, Value], Value]:
    """Make an operation on two numbers."""
    return lambda a, b: _check_bounds(reckon(_require_number(a, mark), _require_number(b, mark)))


def divide_values(a: Value, b: Value) -> Value:
    """Divide: a whole number if whole numbers divide evenly, else a decimal."""
    over, under = _require_number(a, "/"), _require_number(b, "/")
    if under == 0:
        raise make_story_error("EXPRESSION_FAILED/zero", over=format_value(over))
    if isinstance(over, int) and isinstance(under, int) and over % under == 0:
        return over // under
    try:
        return _check_bounds(over / under)
    except OverflowError:
        raise _make_too_large_error() from None


def compute_remainder(a: Value, b: Value) -> Value:
    """Return the remainder of a whole division, with the sign of the right side."""
    over, under = _require_whole_number(a), _require_whole_number(b)
    if under == 0:
        raise make_story_error("EXPRESSION_FAILED/remainder", over=over)
    return over % under


def negate_value(a: Value, _: Value) -> Value:
    """Negate a number; the second operand does not matter."""
    return -_require_number(a, "-")


def is_equal(a: Value, b: Value) -> bool:
    """Whether two values are equal; values of different kinds never are."""
    if type(a) is type(b):
        return a == b
    a, b = _fill_unset(a, b)
    return isinstance(a, bool) == isinstance(b, bool) and a == b


def _make_order(test: Callable[[Any, Any], bool]) -> Callable[[Value, Value], bool]:
    """Make a comparison; false for different kinds. Text compares by code point."""

    def compare(a: Value, b: Value) -> bool:
        if type(a) is int and type(b) is int:
            return test(a, b)
        order = _compare_values(a, b)
        return order is not None and test(order, 0)

    return compare


ARITHMETIC: Final[Mapping[str, Callable[[Value, Value], Value]]] = {
    "+": add_values,
    "-": _make_arithmetic("-", operator.sub),
    "*": _make_arithmetic("*", operator.mul),
    "/": divide_values,
    "%": compute_remainder,
}
"""Operators that give a value."""
_CHANGES: Final = {f"{mark}=": change for mark, change in ARITHMETIC.items()}
WHOLE_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""The `COMPARISONS` for two whole numbers, the most frequent case."""
COMPARISONS: Final[Mapping[str, Callable[[Value, Value], bool]]] = {
    **{mark: _make_order(test) for mark, test in WHOLE_COMPARISONS.items()},
    "==": is_equal,
    "!=": lambda a, b: not is_equal(a, b),
}
"""Operators that give true or false."""


def _compare_values(a: Value, b: Value) -> int | None:
    a, b = _fill_unset(a, b)
    if isinstance(a, str) and isinstance(b, str):
        return (a > b) - (a < b)
    if isinstance(a, str) or isinstance(b, str) or a is None or b is None:
        return None
    if isinstance(a, bool) != isinstance(b, bool):
        return None
    return (a > b) - (a < b)


def _fill_unset(a: Value, b: Value) -> tuple[Value, Value]:
    if a is None:
        a = 0 if b is None else type(b)()
    return a, (type(a)() if b is None else b)


def _require_number(value: Value, operator: str) -> int | float:
    if value is None:
        return 0
    if isinstance(value, str | bool):
        shown = format_value(value) if isinstance(value, bool) else f"the text {quote_value(value)}"
        raise make_story_error("EXPRESSION_FAILED/numbers", operator=operator, value=shown)
    return value


def _require_whole_number(value: Value) -> int:
    number = _require_number(value, "%")
    if isinstance(number, float) and not number.is_integer():
        raise make_story_error("EXPRESSION_FAILED/whole", value=format_value(number))
    return int(number)


def _check_bounds(value: Value) -> Value:
    if isinstance(value, str):
        if len(value) > LONGEST:
            shown = {"count": len(value), "longest": LONGEST}
            raise make_story_error("EXPRESSION_FAILED/long", **shown)
    elif isinstance(value, float):
        if not isfinite(value):
            raise _make_too_large_error()
    elif value is not None and not _SMALLEST <= value <= LARGEST:
        raise _make_too_large_error()
    return value


def _make_too_large_error() -> ScriptError:
    return make_story_error("EXPRESSION_FAILED/large", largest=LARGEST)


class ExpressionScope(Protocol):
    """What an expression can read when it is evaluated."""

    @property
    def variables(self) -> Mapping[str, Value]:
        """All variables that are set."""

    def count_visits(self, label: str) -> int:
        """How often a label was reached."""

    def count_choices(self, option: str) -> int:
        """How often an option was taken, by its id."""

    def roll(self, low: int, high: int) -> int:
        """Return a random number between the two, both included."""

    def look_up_fact(self, name: str, given: tuple[Value, ...]) -> Value:
        """Return a fact of the story's world: `flag place holds here state`."""


Evaluator = Callable[[ExpressionScope], Value]
"""A compiled part of an expression: gives its value in a scope."""


class StoryFunction(NamedTuple):
    """A function that authors may call."""

    arity: int
    """How many arguments it takes."""
    world: bool
    """Whether it reads the story's world, and so needs one."""
    example: str
    """An example call."""
    about: str
    """What it returns."""


FUNCTIONS: Final[Mapping[str, StoryFunction]] = {
    "visits": StoryFunction(1, False, 'visits("label")', "how often the label was reached"),
    "chosen": StoryFunction(1, False, 'chosen("id")', "how often the option of that id was taken"),
    "roll": StoryFunction(2, False, "roll(1, 6)", "a random whole number, bounds included"),
    "flag": StoryFunction(1, True, 'flag("name")', "a flag of the story's world"),
    "place": StoryFunction(1, True, 'place("who")', "the id of the place where a character is"),
    "holds": StoryFunction(2, True, 'holds("who", "thing")', "whether a character holds a thing"),
    "here": StoryFunction(
        1, True, 'here("thing")', "whether a thing or character is where the reader's character is"
    ),
    "state": StoryFunction(1, True, 'state("thing")', "open, closed, locked, or a custom state"),
}
"""Every function of the expression language."""


def make_or(parts: tuple[Evaluator, ...]) -> Evaluator:
    """True if one of the parts is true; parts after it are not evaluated."""
    return lambda scope: any(part(scope) for part in parts)


def make_and(parts: tuple[Evaluator, ...]) -> Evaluator:
    """True if all parts are true; parts after a false one are not evaluated."""
    return lambda scope: all(part(scope) for part in parts)


ChainStep = tuple[Callable[[Value, Value], Value], Evaluator, SourceLocation]
"""One operator of a chain: its function, its right side, and its place."""


def make_chain(first: Evaluator, steps: tuple[ChainStep, ...]) -> Evaluator:
    """A chain such as `a + b - c`, evaluated from left to right."""

    def worth(scope: ExpressionScope) -> Value:
        value = first(scope)
        for reckon, right, where in steps:
            other = right(scope)
            try:
                value = reckon(value, other)
            except ScriptError as problem:
                problem.where = where
                raise
        return value

    return worth


def make_call(name: str, given: tuple[Evaluator, ...], where: SourceLocation) -> Evaluator:
    """A call of one of `FUNCTIONS`; the caller has checked the argument count."""
    if name == "roll":
        low, high = given
        return lambda scope: _roll_between(scope, low(scope), high(scope), where)
    if name == "visits":
        (label,) = given
        return lambda scope: scope.count_visits(format_value(label(scope)))
    if name == "chosen":
        (option,) = given
        return lambda scope: scope.count_choices(format_value(option(scope)))
    return lambda scope: scope.look_up_fact(name, tuple(each(scope) for each in given))


def find_roll_problem(low: Value, high: Value) -> str:
    """Say why `roll` cannot use these bounds; empty if it can."""
    if type(low) is not int or type(high) is not int:
        return "roll"
    return "roll_order" if low > high else ""


def _roll_between(scope: ExpressionScope, low: Any, high: Any, where: SourceLocation) -> Value:
    if case := find_roll_problem(low, high):
        raise make_story_error(f"EXPRESSION_FAILED/{case}", where, low=low, high=high)
    return scope.roll(low, high)
