"""Predicates that come from outside, as Python, under names a book asks for.

A plugin is an entry point of the group `saniwa.predicates`. Its name is the predicate's
name, its object a function of a `Case` and the arguments in the book. It must be pure
and answer for any world, as our own predicates do. Nothing is loaded unless named.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from saniwa.rulebook.case import Case
from saniwa.rulebook.predicate import Args, Predicate, Test

GROUP: Final = "saniwa.predicates"
"""The entry point group."""


class Answer(Protocol):
    """What a plugin provides."""

    def __call__(self, case: Case, args: Mapping[str, Any], /) -> bool:
        """Whether it is so in this case."""
        ...


@dataclass(frozen=True, slots=True)
class Plugin:
    """One predicate from outside."""

    predicate: Predicate
    """The predicate it adds."""
    origin: str
    """The distribution and version it comes from; part of a book's fingerprint."""


Plugins = Callable[[str], Plugin | None]
"""Finds a plugin by name; None where none is installed."""


def plugin(name: str, answer: Answer, origin: str) -> Plugin:
    """A plugin made of a function."""

    def build(args: Args) -> Test:
        return lambda case: bool(answer(case, args))

    return Plugin(Predicate(name, (), build, free=True), origin)


def installed(name: str) -> Plugin | None:
    """The plugin that is installed under the name, loaded now."""
    # Loaded late: few books ask for it.
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP, name=name):
        source = point.dist
        origin = f"{source.name} {source.version}" if source else point.value
        return plugin(name, point.load(), origin)
    return None
