from collections.abc import Iterator
from itertools import product
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.judge import find_admissible_actions, is_allowed, judge
from saniwa.world.actions import ACTIONS, Action, Use
from saniwa.world.model import Id, World
from saniwa.world.queries import find_room, list_off_stage
from saniwa.world.snapshot import find_broken_invariants
from tests.fakes.books import (
    COOKING,
    DEFAULT,
    STRICT,
    build_book,
    build_book_over,
    draw_craft_book,
    draw_world,
    make_rule,
)
from tests.fakes.nightly import scale_examples

BOOKS = {
    "default": DEFAULT,
    "strict": STRICT,
    "cooking": COOKING,
    "without rules": build_book(),
    "take is free": build_book_over("strict", {"actionType": "take", "enabled": False}),
    "nothing is free": build_book(make_rule("*", {"not": {"entityExists": "actor"}})),
    "take from the same place": build_book_over(
        "default",
        make_rule(
            "take",
            {"directlyIn": {"role": "target", "holderRole": "source"}},
            {"eq": {"role": "target", "attribute": "id", "value": "cup"}},
            replace=True,
        ),
    ),
    "a tool for everything": build_book(
        make_rule("*", {"not": {"held": "tool"}}),
        make_rule("use", {"entityExists": "tool"}),
        make_rule("take", {"attributeTrue": {"role": "source", "attribute": "openable"}}),
    ),
    "a tool in hand": build_book(make_rule("*", {"held": "tool"})),
    "odd joints": build_book(
        make_rule(
            "use",
            {"or": [{"held": "tool"}, {"sameThing": {"roleA": "tool", "roleB": "actor"}}]},
            {"not": {"not": {"inScope": "target"}}},
        ),
        make_rule("put", {"contains": {"outerRole": "destination", "innerRole": "target"}}),
        make_rule("give", {"directlyIn": {"role": "recipient", "holderRole": "target"}}),
        make_rule("unlock", {"or": [{"not": {"given": "tool"}}, {"keyFits": {"keyRole": "tool"}}]}),
        make_rule("take", {"not": {"entityExists": "source"}}, {"itemInInventory": {}}),
        make_rule("move", {"and": [{"connected": "target"}, {"isPlace": "target"}]}),
        make_rule("introduce", {"or": [{"offStage": "target"}, {"held": "target"}]}),
        make_rule("inspect", {"eq": {"role": "target", "attribute": "id", "value": 3}}),
        make_rule("lock", {"inScope": "tool"}, {"or": [{"given": "tool"}, "actorsTurn"]}),
    ),
}


@pytest.mark.slow
@settings(max_examples=scale_examples(80), deadline=None)
@given(world=draw_world())
def test_every_allowed_action_is_listed_and_no_other(world: World) -> None:
    """The list equals trying every action on every combination of entities and locations.

    Only in an invalid world may the list miss an `introduce`: for a thing that is in a cycle of
    containers, or at a location that does not exist.
    """
    lost = {("introduce", "", e) for e in world.entities if find_room(world, e) is None}
    lost -= {("introduce", "", e) for e in list_off_stage(world)}
    assert not lost or find_broken_invariants(world)
    for name, book in BOOKS.items():
        for actor in world.entities:
            listed = list(map(_to_key, find_admissible_actions(world, actor, book)))
            missing = set(_list_allowed(world, actor, book)) ^ set(listed)

            assert missing <= lost, name
            assert sorted(set(listed)) == listed, name


@settings(max_examples=scale_examples(30), deadline=None)
@given(world=draw_world())
def test_listed_actions_pass_the_judge(world: World) -> None:
    """`judge`, `is_allowed` and the list of admissible actions always agree."""
    for book in BOOKS.values():
        for action in find_admissible_actions(world, Id("ann"), book):
            assert is_allowed(action, world, book)
            assert judge(action, world, book).success


@pytest.mark.slow
@settings(max_examples=scale_examples(60), deadline=None)
@given(world=draw_world(), book=draw_craft_book())
def test_every_allowed_craft_is_listed_and_no_other(world: World, book: Rulebook) -> None:
    """For any crafts in a rulebook, the list equals trying every craft on everything."""
    for actor in world.entities:
        listed = [
            _to_key(a) for a in find_admissible_actions(world, actor, book) if isinstance(a, Use)
        ]
        there: list[Id | None] = [*world.entities, *world.locations]
        every = (
            Use(actor_id=actor, target_id=target, tool_id=tool, manner=manner)
            for manner in ("", "work", "play")
            for target, tool in product(there, (None, *there))
            if target is not None
        )

        assert sorted(_to_key(a) for a in every if is_allowed(a, world, book)) == listed


def _list_allowed(world: World, actor: Id, book: Rulebook) -> list[tuple[str, ...]]:
    return sorted(
        _to_key(action)
        for action in _iterate_actions(world, actor)
        if is_allowed(action, world, book)
    )


def _iterate_actions(world: World, actor: Id) -> Iterator[Action]:
    there: list[Id | None] = [*world.entities, *world.locations]
    for name, cls in ACTIONS.items():
        if name in ("speak", "describe", "emote"):
            continue
        make: Any = cls
        required = {f.name: f.required for f in msgspec.structs.fields(cls)}
        spans = [
            there if required[role] or name == "introduce" else [None, *there] for role in cls.roles
        ]
        for values in product(*spans):
            fields = dict(zip(cls.roles, values, strict=True))
            yield make(actor_id=actor, **fields)
            for manner in ("cook", "prepare", "slice", "chop", "dice") if name == "use" else ():
                yield make(actor_id=actor, manner=manner, **fields)


def _to_key(action: Action) -> tuple[str, ...]:
    fields = (getattr(action, role) or "" for role in action.roles)
    manner = getattr(action, "manner", "")
    return (str(action.__struct_config__.tag), manner, *fields)
