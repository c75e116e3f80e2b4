"""A compiled rulebook: its checks, its crafts, and plans to search for actions.

`loader` builds it from documents; `judge` applies it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import msgspec

from saniwa.rulebook.case import ActionCase
from saniwa.rulebook.conditions import (
    Condition,
    find_providers,
    is_assured,
    join_tests,
    list_fields_read,
)
from saniwa.rulebook.effects import ConditionalEffect
from saniwa.rulebook.predicates import Provider, Test
from saniwa.rulebook.verdict import ReasonCode, RefusalMessage
from saniwa.world.actions import ACTIONS, Action, Use
from saniwa.world.effects import Effect
from saniwa.world.model import Id, Manner, World

UNLISTED_ACTIONS: Final = ("describe", "speak")
"""Actions that need free text, so that they cannot be listed."""


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


EVERY_ACTION = "*"
"""The action type of the rule that applies to every action and is judged first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCheck:
    """One thing that must be so for an action to pass."""

    name: str
    """The rule and the check's id, such as `take.in_scope`."""
    condition: Condition
    """What must hold."""
    test: Test
    """The condition as a function."""
    reason: ReasonCode
    """The code of its refusal."""
    word: str
    """The more specific word for the refusal, if the book has one."""
    message: RefusalMessage
    """The message of its refusal."""
    hint: RefusalMessage | None
    """A hint that the refusal adds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Craft:
    """A way of using things that a book defines."""

    manner: Manner
    """Its name, and the words for it."""
    checks: tuple[RuleCheck, ...]
    """Its checks in order: those of `*`, then its own, none of plain `use`."""
    provisions: tuple[ConditionalEffect, ...]
    """Its effects, in order."""

    def compute_effects(self, case: ActionCase) -> tuple[Effect, ...]:
        """Return the effects whose conditions hold before the action."""
        return tuple(effect for one in self.provisions for effect in one.compute_effects(case))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulebook:
    """Checks per action type, and crafts."""

    id: str
    """Its id."""
    fingerprint: str
    """16 hex digits that differ when any verdict could differ."""
    document: dict[str, Any]
    """All layers as one document; reading it again gives an equal book."""
    checks: Mapping[type[Action], tuple[RuleCheck, ...]]
    """The checks of each action type, in order; those of `*` come first."""
    plans: tuple[SearchPlan, ...]
    """How to find every allowed action, in order of action type and craft."""
    crafts: Mapping[str, Craft]
    """The crafts it defines, by name, in the author's order."""
    untaught: tuple[RuleCheck, ...]
    """The checks for a use in a manner that the book does not define; they always fail.
    """

    def find_craft(self, action: Action) -> Craft | None:
        """Return the craft of an action, or None if it has none or the book lacks it."""
        if type(action) is Use and action.manner:
            return self.crafts.get(action.manner)
        return None

    def find_checks(self, action: Action) -> tuple[RuleCheck, ...]:
        """Return the checks of an action, in order."""
        if type(action) is Use and action.manner:
            craft = self.crafts.get(action.manner)
            return self.untaught if craft is None else craft.checks
        return self.checks[type(action)]


def add_manners(world: World, book: Rulebook) -> World:
    """Return the world with the words for the book's crafts; nothing else changes."""
    manners = tuple(craft.manner for craft in book.crafts.values())
    if manners == world.manners:
        return world
    return msgspec.structs.replace(world, manners=manners)
