"""When two moments of a story are the same for everything that may follow.

A counter that is only ever shown does not make a new moment, or a reader who walks in a
circle would never come back to where they were. What some condition reads does.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator

from immutables import Map

from saniwa.script.language.expression import Called, Expression
from saniwa.script.playing.memory import Moment
from saniwa.script.program import Offer, Program, Put, Test


class Sameness:
    """Tells apart the moments of one program, by what its conditions read."""

    def __init__(self, program: Program) -> None:
        read = tuple(_conditions(program))
        self.names = tuple(sorted({n.name for e in read for n in e.names}))
        """The variables that some condition depends on."""
        calls = [call for expression in read for call in expression.calls]
        self.rolls = any(call.name == "roll" for call in calls)
        """Whether some condition depends on chance."""
        self._labels = _asked(calls, "visits", program.aliases.get)
        self._options = _asked(calls, "chosen", lambda id, _: id)
        self._once = tuple(
            way.id
            for op in program.ops
            if isinstance(op, Offer)
            for way in op.ways
            if way.once
        )

    def sight(self, address: int, moment: Moment) -> Hashable:
        """Equal for moments that are much alike: the same place and the same values."""
        return address, tuple([repr(moment.variables.get(n)) for n in self.names])

    def key(self, address: int, moment: Moment) -> Hashable:
        """Equal for moments that cannot be told apart by what follows."""
        values = [moment.variables.get(name) for name in self.names]
        return (
            address,
            moment.calls,
            tuple([(value.__class__, value) for value in values]),
            _counts(moment.visits, self._labels),
            _counts(moment.chosen, self._options),
            tuple([id for id in self._once if id in moment.chosen]),
            moment.chance if self.rolls else 0,
            repr(moment.prelude),
        )


def _conditions(program: Program) -> Iterator[Expression]:
    """What decides where flow goes, and what that is worked out from."""
    puts = defaultdict(list)
    for op in program.ops:
        if isinstance(op, Put):
            puts[op.name].append(op.worth)
    waiting, known = list(_deciding(program)), set[str]()
    while waiting:
        expression = waiting.pop()
        yield expression
        for named in expression.names:
            if named.name not in known:
                known.add(named.name)
                waiting += puts[named.name]


def _deciding(program: Program) -> Iterator[Expression]:
    for op in program.ops:
        if isinstance(op, Test):
            yield op.when
        elif isinstance(op, Offer):
            for way in op.ways:
                yield from (e for e in (way.only_if, way.enabled_if) if e is not None)


def _asked(
    calls: Iterable[Called], name: str, key: Callable[[str, str], str]
) -> tuple[str, ...] | None:
    """What a function is asked about; None for anything at all."""
    given = [call.given[0] for call in calls if call.name == name]
    if any(value is None for value in given):
        return None
    named = {str(value) for value in given}
    return tuple(sorted(key(each, each) for each in named))


def _counts(counts: Map[str, int], names: tuple[str, ...] | None) -> Hashable:
    if names is None:
        return frozenset(counts.items())
    return tuple([counts.get(name, 0) for name in names])
