"""How to find every action of one type that a book allows, without trying everything.

Each field's candidates are read off the book's own conditions; see `narrowed`.
A plan is made once per book and asked once per state.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import msgspec

from saniwa.rulebook.case import Case
from saniwa.rulebook.condition import Condition, assured, every_one, narrowed, reads
from saniwa.rulebook.predicate import Provider, Test
from saniwa.world.action import ACTIONS, Action
from saniwa.world.model import Id, World

UNLISTED: Final = ("describe", "speak")
"""Actions that need words of one's own, so that nobody could list them all."""


Row = dict[str, Id | None]
"""The fields of one action filled so far, in wire order."""


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
    alone: Test | None
    """What is asked of this field by itself."""
    joint: Test | None
    """What is asked of this field together with those before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How all actions of one type are found."""

    name: str
    """The action type."""
    manner: str = ""
    """For `use`, the craft; empty for plain using."""
    before: Test | None
    """What is asked whatever the fields hold."""
    steps: tuple[Step, ...]
    """One for each field that names something, in wire order."""

    def found(self, case: Case) -> Iterator[Action]:
        """The actions that pass every test, in order of their fields."""
        case.type, case.manner = self.name, self.manner
        if self.before is not None and not self.before(case):
            return
        rows: list[Row] = [{}]
        for step in self.steps:
            rows = _grown(case, rows, step)
        for step in self.steps:
            setattr(case, step.field, None)
        make: Any = ACTIONS[self.name]
        more = {"manner": self.manner} if self.manner else {}
        for row in rows:
            yield make(actor_id=case.actor_id, **row, **more)


def plan_of(name: str, demands: Sequence[Demand], manner: str = "") -> Plan:
    """The plan for one action type, or one craft, under a book's demands."""
    roles = ACTIONS[name].roles
    every = frozenset(roles)
    fields = [(d, _fields(d.condition, every)) for d in demands]
    return Plan(
        name=name,
        manner=manner,
        before=_joined([d.test for d, needed in fields if not needed]),
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
    optional = _is_optional(name, field)
    due = [(d, f) for d, f in demands if field in f and f <= known | {field}]
    fixed: list[Provider] = []
    bound: list[Provider] = []
    for demand, _ in demands:
        always = narrowed(demand.condition, field, frozenset())
        fixed += always
        bound += () if always else narrowed(demand.condition, field, known)
    alone = [
        d.test
        for d, needed in due
        if needed == {field} and not assured(d.condition, field, optional=optional)
    ]
    return Step(
        field=field,
        optional=optional,
        fixed=tuple(fixed),
        bound=tuple(bound),
        alone=_joined(alone),
        joint=_joined([d.test for d, needed in due if needed != {field}]),
    )


def _joined(tests: Sequence[Test]) -> Test | None:
    return every_one(tests) if tests else None


def _is_optional(name: str, field: str) -> bool:
    # An introduction without a target is of something new, which needs words.
    if name == "introduce":
        return False
    records = msgspec.structs.fields(ACTIONS[name])
    return any(record.name == field and not record.required for record in records)


def _grown(case: Case, rows: Sequence[Row], step: Step) -> list[Row]:
    """The rows with one more field, as far as they pass."""
    grown: list[Row] = []
    free = () if step.bound else _sieved(step, case)
    for row in rows:
        for field, value in row.items():
            setattr(case, field, value)
        for value in _sieved(step, case) if step.bound else free:
            setattr(case, step.field, value)
            if step.joint is None or step.joint(case):
                grown.append({**row, step.field: value})
    return grown


def _sieved(step: Step, case: Case) -> Sequence[Id | None]:
    """The field's candidates that pass what is asked of it alone, in order."""
    values = _candidates(step, case)
    if step.alone is None:
        return values
    kept: list[Id | None] = []
    for value in values:
        setattr(case, step.field, value)
        if step.alone(case):
            kept.append(value)
    return kept


def _candidates(step: Step, case: Case) -> Sequence[Id | None]:
    """What every list has in common, and exists; sorted, left out before given."""
    if step.bound:
        lists = [frozenset(provider(case)) for provider in (*step.bound, *step.fixed)]
        return _in_order(lists, case.world, step)
    # Most fields of most actions ask for the same: what is in scope.
    key = (step.fixed, step.optional)
    known = case.listed.get(key)
    if known is None:
        lists = [frozenset(provider(case)) for provider in step.fixed]
        known = case.listed[key] = _in_order(lists, case.world, step)
    return known


def _in_order(
    lists: Sequence[frozenset[Id | None]], world: World, step: Step
) -> tuple[Id | None, ...]:
    values = lists[0].intersection(*lists[1:]) if lists else _everything(world)
    real = sorted(
        v
        for v in values
        if v is not None and (v in world.entities or v in world.locations)
    )
    return (None, *real) if step.optional and None in values else tuple(real)


def _everything(world: World) -> frozenset[Id | None]:
    return frozenset({None, *world.entities, *world.locations})
