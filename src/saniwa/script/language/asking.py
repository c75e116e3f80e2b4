"""What an expression may ask while a story is played, and how it asks."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, Protocol

from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.script.language.value import UnfitError, Value, failed, negated, shown


class Scope(Protocol):
    """What an expression may ask."""

    @property
    def variables(self) -> Mapping[str, Value]:
        """Every variable that is set."""

    def visits(self, label: str) -> int:
        """How often a label was reached."""

    def chosen(self, option: str) -> int:
        """How often an option was taken, by its id."""

    def roll(self, low: int, high: int) -> int:
        """A number by chance, both ends included."""

    def fact(self, name: str, given: tuple[Value, ...]) -> Value:
        """What the world beneath says: `flag place holds here state`."""


Worth = Callable[[Scope], Value]
"""A part of an expression, ready to be asked for its value."""


class Function(NamedTuple):
    """One function authors may call."""

    fewest: int
    """How many arguments it needs."""
    most: int
    """How many it takes."""
    world: bool
    """Whether it asks the world beneath, and so needs one."""


FUNCTIONS: Final[Mapping[str, Function]] = {
    "visits": Function(1, 1, False),
    "chosen": Function(1, 1, False),
    "roll": Function(2, 2, False),
    "flag": Function(1, 1, True),
    "place": Function(1, 1, True),
    "holds": Function(2, 2, True),
    "here": Function(1, 1, True),
    "state": Function(1, 1, True),
}
"""All there are."""


def either(parts: tuple[Worth, ...]) -> Worth:
    """True if one of the parts holds; those after it are not asked."""
    return lambda scope: any(part(scope) for part in parts)


def both(parts: tuple[Worth, ...]) -> Worth:
    """True if all of the parts hold; those after one that does not are not asked."""
    return lambda scope: all(part(scope) for part in parts)


Step = tuple[Callable[[Value, Value], Value], Worth, Where]
"""One operator of a chain: what it does, its right side, and its place."""


def chained(first: Worth, steps: tuple[Step, ...]) -> Worth:
    """A chain such as `a + b - c`, worked out from left to right."""

    def worth(scope: Scope) -> Value:
        value = first(scope)
        for reckon, right, where in steps:
            other = right(scope)
            try:
                value = reckon(value, other)
            except UnfitError as why:
                raise failed(why, where) from None
        return value

    return worth


def turned(inner: Worth, where: Where) -> Worth:
    """A number with its sign turned."""

    def worth(scope: Scope) -> Value:
        value = inner(scope)
        try:
            return negated(value)
        except UnfitError as why:
            raise failed(why, where) from None

    return worth


def asked(name: str, given: tuple[Worth, ...], where: Where) -> Worth:
    """A call of one of `FUNCTIONS`, its arguments counted already."""
    if name == "roll":
        low, high = given
        return lambda scope: _rolled(scope, low(scope), high(scope), where)
    if name == "visits":
        (label,) = given
        return lambda scope: scope.visits(shown(label(scope)))
    if name == "chosen":
        (option,) = given
        return lambda scope: scope.chosen(shown(option(scope)))
    return lambda scope: scope.fact(name, tuple(each(scope) for each in given))


def _rolled(scope: Scope, low: Value, high: Value, where: Where) -> Value:
    if type(low) is not int or type(high) is not int:
        why = f"'roll' needs two whole numbers, not {quoted(low)} and {quoted(high)}"
        raise failed(UnfitError(why), where)
    if low > high:
        why = f"'roll' goes from the smaller to the larger number, not {low} to {high}"
        raise failed(UnfitError(why, f"write roll({high}, {low})"), where)
    return scope.roll(low, high)
