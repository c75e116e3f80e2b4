from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saniwa.rulebook.conditions import VOCABULARY
from saniwa.rulebook.judge import is_allowed, judge
from saniwa.rulebook.loader import build_rulebook, inspect_rulebook
from saniwa.rulebook.predicates import make_case
from saniwa.rulebook.verdict import ReasonCode
from saniwa.world.actions import Action, Emote, Use
from saniwa.world.apply import apply_action
from saniwa.world.model import World
from saniwa.world.snapshot import find_broken_invariants
from tests.fakes.books import (
    COOKING,
    DEFAULT,
    STRICT,
    build_book,
    draw_action,
    draw_craft_book,
    draw_world,
    make_rule,
)
from tests.fakes.kitchen_world import make_kitchen
from tests.fakes.nightly import scale_examples
from tests.fakes.worlds import PLAYER, make_courtyard

ARGUMENTS = {
    "role": st.sampled_from(("actor", "target", "tool", "door", "key", "holder")),
    "kind": st.sampled_from(("character", "item", "location")),
    "kinds": st.just(["item", "door"]),
    "text": st.sampled_from(("id", "name", "use.needs", "has_", "state", "lit", "kind")),
    "texts": st.just(["ann", "ANN"]),
    "truth": st.booleans(),
    "value": st.sampled_from((True, 1, "cup", None, ["clean"], "clean")),
}


@settings(max_examples=scale_examples(150), deadline=None)
@given(action=draw_action(), world=draw_world())
def test_judge_answers_anything(action: Action, world: World) -> None:
    """No world and no action, however broken, makes judging raise."""
    for book in (DEFAULT, STRICT, COOKING, build_book()):
        verdict = judge(action, world, book)

        assert verdict.reason_code in get_args(ReasonCode)
        assert verdict.success == (verdict.reason_code == "OK")
        assert verdict.check
        assert bool(verdict.message) == (not verdict.success)


@settings(max_examples=scale_examples(150), deadline=None)
@given(action=draw_action(), world=draw_world())
def test_the_quick_answer_is_the_judges_answer(action: Action, world: World) -> None:
    """`is_allowed` and `judge` agree on every action."""
    for book in (DEFAULT, STRICT, COOKING, build_book()):
        assert judge(action, world, book).success == is_allowed(action, world, book)


_SOUND = {"garden": make_courtyard(), "kitchen": make_kitchen()}


@settings(max_examples=scale_examples(150), deadline=None)
@given(data=st.data(), name=st.sampled_from(sorted(_SOUND)))
def test_whatever_a_book_teaches_the_world_stays_well_formed(
    data: st.DataObject, name: str
) -> None:
    """Any sequence of crafts leaves a valid world."""
    world = _SOUND[name]
    there = st.sampled_from(sorted({*world.entities, *world.locations}))
    for _ in range(4):
        book = data.draw(draw_craft_book())
        action = Use(
            actor_id=PLAYER,
            target_id=data.draw(there),
            tool_id=data.draw(st.none() | there),
            manner="work",
        )
        verdict = judge(action, world, book)
        assert verdict.success == is_allowed(action, world, book)
        if not verdict.success:
            continue
        cast, world = world.cast, apply_action(action, world, verdict.effects).world

        assert () == find_broken_invariants(world)
        assert cast == world.cast


def _is_judged(action: Action) -> bool:
    """Whether rules can refuse the action: a gesture is always allowed, and has no checks."""
    return not isinstance(action, Emote)


@pytest.mark.slow
@settings(max_examples=scale_examples(300), deadline=None)
@given(data=st.data(), action=draw_action().filter(_is_judged), world=draw_world())
def test_every_predicate_answers_anything(
    data: st.DataObject, action: Action, world: World
) -> None:
    """Under any arguments, exactly one of a predicate and its negation is true."""
    predicate = data.draw(st.sampled_from(tuple(VOCABULARY.values())))
    arguments = {p.name: data.draw(ARGUMENTS[p.kind]) for p in predicate.params}
    condition = {"op": predicate.name, **arguments}
    case = make_case(action, world)
    holds = build_book(make_rule("*", condition)).checks[type(action)][0].test(case)
    fails = build_book(make_rule("*", {"not": condition})).checks[type(action)][0].test(case)

    assert {True, False} == {holds, fails}


@settings(max_examples=scale_examples(50), deadline=None)
@given(order=st.permutations(["exists", "in_scope", "held"]))
def test_a_book_is_what_its_document_says(order: list[str]) -> None:
    """Reading a book's own document again gives the same fingerprint."""
    conditions = {
        "exists": {"entityExists": "target"},
        "in_scope": {"inScope": "target"},
        "held": {"held": "target"},
    }
    book = build_book(make_rule("take", *(conditions[name] for name in order)))

    assert book.fingerprint == build_rulebook([book.document]).fingerprint


def _nest_value(value: object, levels: int) -> Any:
    for _ in range(levels):
        value = [value]
    return value


_WORDS = st.sampled_from(
    (
        "rules",
        "checks",
        "condition",
        "actionType",
        "take",
        "id",
        "op",
        "and",
        "extends",
        "crafts",
        "name",
        "effects",
        "set",
        "facts",
        "role",
        "words",
        "when",
        "remove",
    )
) | st.text(max_size=300)
_DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | _WORDS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(_WORDS, inner, max_size=4)
        | st.builds(_nest_value, inner, st.integers(1, 1_100))
    ),
    max_leaves=12,
)


@settings(max_examples=scale_examples(150), deadline=None)
@given(document=_DOCUMENTS)
def test_any_document_is_read_or_found_wanting(document: object) -> None:
    """Whatever a book's document contains, its findings are short."""
    for finding in inspect_rulebook(document).findings:
        assert 200 > len(finding.message)
