"""Plans that find every action a rulebook allows, without trying every combination."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from saniwa.rulebook.conditions import (
    Condition,
    find_providers,
    is_assured,
    join_tests,
    list_fields_read,
)
from saniwa.rulebook.predicates import ActionCase, Provider, Test
from saniwa.world.actions import ACTIONS, Action
from saniwa.world.model import Id, World

SearchRow = dict[str, Id | None]
"""The fields of one action filled so far, in wire order."""


class CheckDemand(NamedTuple):
    """What one check demands of an action."""

    condition: Condition
    """The condition."""
    test: Test
    """The condition as a function."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchStep:
    """How one field of an action is filled."""

    field: str
    """The field."""
    optional: bool
    """Whether it may be omitted."""
    fixed: tuple[Provider, ...]
    """Candidate lists that do not depend on the fields before it."""
    bound: tuple[Provider, ...]
    """Candidate lists that depend on the fields before it."""
    alone: Test | None
    """The test of this field alone."""
    joint: Test | None
    """The test of this field together with those before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPlan:
    """How all actions of one type are found."""

    name: str
    """The action type."""
    manner: str = ""
    """For `use`, the craft; empty for plain use."""
    before: Test | None
    """The test that depends on no field."""
    steps: tuple[SearchStep, ...]
    """One for each field that names something, in wire order."""

    def find_actions(self, case: ActionCase) -> Iterator[Action]:
        """Yield the actions that pass every test, in order of their fields."""
        case.type, case.manner = self.name, self.manner
        if self.before is not None and not self.before(case):
            return
        rows: list[SearchRow] = [{}]
        for step in self.steps:
            rows = _extend_rows(case, rows, step)
        for step in self.steps:
            setattr(case, step.field, None)
        make: Any = ACTIONS[self.name]
        more = {"manner": self.manner} if self.manner else {}
        for row in rows:
            yield make(actor_id=case.actor_id, **row, **more)


def make_search_plan(name: str, demands: Sequence[CheckDemand], manner: str = "") -> SearchPlan:
    """Build the plan for one action type, or one craft, under a book's demands."""
    roles = ACTIONS[name].roles
    every = frozenset(roles)
    fields = [(d, _list_fields(d.condition, every)) for d in demands]
    return SearchPlan(
        name=name,
        manner=manner,
        before=_join_or_none([d.test for d, needed in fields if not needed]),
        steps=tuple(
            _make_step(name, role, frozenset(roles[:place]), fields)
            for place, role in enumerate(roles)
        ),
    )


def _list_fields(condition: Condition, every: frozenset[str]) -> frozenset[str]:
    needed = list_fields_read(condition)
    return every if needed is None else needed & every


def _make_step(
    name: str,
    field: str,
    known: frozenset[str],
    demands: Sequence[tuple[CheckDemand, frozenset[str]]],
) -> SearchStep:
    optional = _is_optional(name, field)
    due = [(d, f) for d, f in demands if field in f and f <= known | {field}]
    fixed: list[Provider] = []
    bound: list[Provider] = []
    for demand, _ in demands:
        always = find_providers(demand.condition, field, frozenset())
        fixed += always
        bound += () if always else find_providers(demand.condition, field, known)
    alone = [
        d.test
        for d, needed in due
        if needed == {field} and not is_assured(d.condition, field, optional=optional)
    ]
    return SearchStep(
        field=field,
        optional=optional,
        fixed=tuple(fixed),
        bound=tuple(bound),
        alone=_join_or_none(alone),
        joint=_join_or_none([d.test for d, needed in due if needed != {field}]),
    )


def _join_or_none(tests: Sequence[Test]) -> Test | None:
    return join_tests(tests) if tests else None


def _is_optional(name: str, field: str) -> bool:
    # An introduction without a target creates something new, which needs free text.
    if name == "introduce":
        return False
    records = msgspec.structs.fields(ACTIONS[name])
    return any(record.name == field and not record.required for record in records)


def _extend_rows(case: ActionCase, rows: Sequence[SearchRow], step: SearchStep) -> list[SearchRow]:
    """Extend each row by one field, with every value that passes."""
    grown: list[SearchRow] = []
    free = () if step.bound else _filter_candidates(step, case)
    for row in rows:
        for field, value in row.items():
            setattr(case, field, value)
        for value in _filter_candidates(step, case) if step.bound else free:
            setattr(case, step.field, value)
            if step.joint is None or step.joint(case):
                grown.append({**row, step.field: value})
    return grown


def _filter_candidates(step: SearchStep, case: ActionCase) -> Sequence[Id | None]:
    """Return the field's candidates that pass its own test, in order."""
    values = _list_candidates(step, case)
    if step.alone is None:
        return values
    passed: list[Id | None] = []
    for value in values:
        setattr(case, step.field, value)
        if step.alone(case):
            passed.append(value)
    return passed


def _list_candidates(step: SearchStep, case: ActionCase) -> Sequence[Id | None]:
    """Return what all lists share and exists; sorted, with "omitted" first."""
    if step.bound:
        lists = [frozenset(provider(case)) for provider in (*step.bound, *step.fixed)]
        return _sort_candidates(lists, case.world, step)
    # Most fields of most actions have the same candidates: what is in scope.
    key = (step.fixed, step.optional)
    known = case.listed.get(key)
    if known is None:
        lists = [frozenset(provider(case)) for provider in step.fixed]
        known = case.listed[key] = _sort_candidates(lists, case.world, step)
    return known


def _sort_candidates(
    lists: Sequence[frozenset[Id | None]], world: World, step: SearchStep
) -> tuple[Id | None, ...]:
    values = lists[0].intersection(*lists[1:]) if lists else _list_everything(world)
    real = sorted(
        v for v in values if v is not None and (v in world.entities or v in world.locations)
    )
    return (None, *real) if step.optional and None in values else tuple(real)


def _list_everything(world: World) -> frozenset[Id | None]:
    return frozenset({None, *world.entities, *world.locations})
