"""A rulebook, read and ready to judge by."""

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
"""Actions that need words of one's own, so that nobody could list them all."""


SearchRow = dict[str, Id | None]
"""The fields of one action filled so far, in wire order."""


class CheckDemand(NamedTuple):
    """What one check demands of an action."""

    condition: Condition
    """The condition."""
    test: Test
    """The same, ready to be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchStep:
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
class SearchPlan:
    """How all actions of one type are found."""

    name: str
    """The action type."""
    manner: str = ""
    """For `use`, the craft; empty for plain using."""
    before: Test | None
    """What is asked whatever the fields hold."""
    steps: tuple[SearchStep, ...]
    """One for each field that names something, in wire order."""

    def find_actions(self, case: ActionCase) -> Iterator[Action]:
        """The actions that pass every test, in order of their fields."""
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


def make_search_plan(
    name: str, demands: Sequence[CheckDemand], manner: str = ""
) -> SearchPlan:
    """The plan for one action type, or one craft, under a book's demands."""
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
    # An introduction without a target is of something new, which needs words.
    if name == "introduce":
        return False
    records = msgspec.structs.fields(ACTIONS[name])
    return any(record.name == field and not record.required for record in records)


def _extend_rows(
    case: ActionCase, rows: Sequence[SearchRow], step: SearchStep
) -> list[SearchRow]:
    """The rows with one more field, as far as they pass."""
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
    """The field's candidates that pass what is asked of it alone, in order."""
    values = _list_candidates(step, case)
    if step.alone is None:
        return values
    kept: list[Id | None] = []
    for value in values:
        setattr(case, step.field, value)
        if step.alone(case):
            kept.append(value)
    return kept


def _list_candidates(step: SearchStep, case: ActionCase) -> Sequence[Id | None]:
    """What every list has in common, and exists; sorted, left out before given."""
    if step.bound:
        lists = [frozenset(provider(case)) for provider in (*step.bound, *step.fixed)]
        return _sort_candidates(lists, case.world, step)
    # Most fields of most actions ask for the same: what is in scope.
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
        v
        for v in values
        if v is not None and (v in world.entities or v in world.locations)
    )
    return (None, *real) if step.optional and None in values else tuple(real)


def _list_everything(world: World) -> frozenset[Id | None]:
    return frozenset({None, *world.entities, *world.locations})


EVERY_ACTION = "*"
"""The action type of the rule that holds for every action and is weighed first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCheck:
    """One thing that must be so for an action to pass."""

    name: str
    """The rule and the check's id, such as `take.in_scope`."""
    condition: Condition
    """What must hold."""
    test: Test
    """The same, ready to be asked."""
    reason: ReasonCode
    """The code of a refusal by it."""
    word: str
    """The finer word for it, where the book has one."""
    message: RefusalMessage
    """What a refusal says."""
    hint: RefusalMessage | None
    """What a refusal adds as a word of help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Craft:
    """A way of using things that a book teaches."""

    manner: Manner
    """Its name, and the words for it."""
    checks: tuple[RuleCheck, ...]
    """What it must pass, in order: those of `*`, then its own, none of plain `use`."""
    provisions: tuple[ConditionalEffect, ...]
    """What comes of it, in order."""

    def compute_effects(self, case: ActionCase) -> tuple[Effect, ...]:
        """What comes of it here: all provisions whose condition holds beforehand."""
        return tuple(
            effect for one in self.provisions for effect in one.compute_effects(case)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulebook:
    """Rules per action type."""

    id: str
    """Its name."""
    fingerprint: str
    """16 hex digits that differ when any verdict could differ."""
    document: dict[str, Any]
    """All layers as one document; reading it again gives an equal book."""
    checks: Mapping[type[Action], tuple[RuleCheck, ...]]
    """What each kind of action must pass, in order; those of `*` come first."""
    plans: tuple[SearchPlan, ...]
    """How to find everything it allows, in order of action type and craft."""
    crafts: Mapping[str, Craft]
    """The crafts it teaches, by name, in the author's order."""
    untaught: tuple[RuleCheck, ...]
    """What a use in a manner that it does not teach must pass, and cannot."""

    def find_craft(self, action: Action) -> Craft | None:
        """The craft by which an action is done, if it is one and is taught."""
        if type(action) is Use and action.manner:
            return self.crafts.get(action.manner)
        return None

    def find_checks(self, action: Action) -> tuple[RuleCheck, ...]:
        """What an action must pass, in order."""
        if type(action) is Use and action.manner:
            craft = self.crafts.get(action.manner)
            return self.untaught if craft is None else craft.checks
        return self.checks[type(action)]


def add_manners(world: World, book: Rulebook) -> World:
    """The world with words for what the book teaches; nothing else in it is otherwise."""
    manners = tuple(craft.manner for craft in book.crafts.values())
    if manners == world.manners:
        return world
    return msgspec.structs.replace(world, manners=manners)
