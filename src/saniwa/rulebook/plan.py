"""How to find every action of one type that a book allows, without trying everything.

Each field's candidates are read off the book's own conditions; see `narrowed`.
A plan is made once per book and asked once per state.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import msgspec

from saniwa.rulebook.case import Case
from saniwa.rulebook.condition import Condition, narrowed, reads
from saniwa.rulebook.predicate import Provider, Test
from saniwa.world.action import ACTIONS, Action
from saniwa.world.model import Id, World

UNLISTED: Final = ("describe", "speak")
"""Actions that need words of one's own, so that nobody could list them all."""


class Demand(NamedTuple):
    """What one check demands of an action."""

    condition: Condition
    """The condition."""
    test: Test
    """The same, ready to be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How one field of an action is filled."""

    field: str
    """The field."""
    optional: bool
    """Whether it may be left out."""
    fixed: tuple[Provider, ...]
    """Lists of candidates that are the same whatever the fields before it hold."""
    bound: tuple[Provider, ...]
    """Lists of candidates that follow from the fields before it."""
    alone: tuple[Test, ...]
    """Tests of this field by itself."""
    joint: tuple[Test, ...]
    """Tests of this field together with those before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How all actions of one type are found."""

    name: str
    """The action type."""
    before: tuple[Test, ...]
    """Tests in which no field has a part."""
    steps: tuple[Step, ...]
    """One for each field that names something, in wire order."""

    def found(self, case: Case) -> Iterator[Action]:
        """The actions that pass every test, in order of their fields."""
        case.type = self.name
        if not all(test(case) for test in self.before):
            return
        make: Any = ACTIONS[self.name]
        free = [_sieved(step, case) if not step.bound else [] for step in self.steps]
        for values in self._filled(case, 0, free):
            yield make(actor_id=case.actor_id, **values)
        for step in self.steps:
            setattr(case, step.field, None)

    def _filled(
        self, case: Case, place: int, free: Sequence[Sequence[Id | None]]
    ) -> Iterator[dict[str, Id | None]]:
        if place == len(self.steps):
            yield {step.field: getattr(case, step.field) for step in self.steps}
            return
        step = self.steps[place]
        for value in _sieved(step, case) if step.bound else free[place]:
            setattr(case, step.field, value)
            if all(test(case) for test in step.joint):
                yield from self._filled(case, place + 1, free)


def plan_of(name: str, demands: Sequence[Demand]) -> Plan:
    """The plan for one action type under a book's demands."""
    roles = ACTIONS[name].roles
    every = frozenset(roles)
    fields = [(d, _fields(d.condition, every)) for d in demands]
    return Plan(
        name=name,
        before=tuple(d.test for d, needed in fields if not needed),
        steps=tuple(
            _step(name, role, frozenset(roles[:place]), fields)
            for place, role in enumerate(roles)
        ),
    )


def _fields(condition: Condition, every: frozenset[str]) -> frozenset[str]:
    needed = reads(condition)
    return every if needed is None else needed & every


def _step(
    name: str,
    field: str,
    known: frozenset[str],
    demands: Sequence[tuple[Demand, frozenset[str]]],
) -> Step:
    due = [(d.test, f) for d, f in demands if field in f and f <= known | {field}]
    fixed: list[Provider] = []
    bound: list[Provider] = []
    for demand, _ in demands:
        always = narrowed(demand.condition, field, frozenset())
        fixed += always
        bound += () if always else narrowed(demand.condition, field, known)
    return Step(
        field=field,
        optional=_is_optional(name, field),
        fixed=tuple(fixed),
        bound=tuple(bound),
        alone=tuple(test for test, needed in due if needed == {field}),
        joint=tuple(test for test, needed in due if needed != {field}),
    )


def _is_optional(name: str, field: str) -> bool:
    # An introduction without a target is of something new, which needs words.
    if name == "introduce":
        return False
    records = msgspec.structs.fields(ACTIONS[name])
    return any(record.name == field and not record.required for record in records)


def _sieved(step: Step, case: Case) -> list[Id | None]:
    """The field's candidates that pass what is asked of it alone, in order."""
    kept: list[Id | None] = []
    for value in _candidates(step, case):
        setattr(case, step.field, value)
        if all(test(case) for test in step.alone):
            kept.append(value)
    return kept


def _candidates(step: Step, case: Case) -> list[Id | None]:
    world = case.world
    providers = step.bound or step.fixed
    if not providers:
        named = sorted(_everything(world))
        return [None, *named] if step.optional else [*named]
    values = min((set(provider(case)) for provider in providers), key=len)
    real = sorted(
        v
        for v in values
        if v is not None and (v in world.entities or v in world.locations)
    )
    return [None, *real] if step.optional and None in values else [*real]


def _everything(world: World) -> set[Id]:
    return {*world.entities, *world.locations}
