"""Rulebooks and broken worlds for tests of the rulebook; no file is read."""

from typing import Any

from hypothesis import strategies as st

from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.loader import build_rulebook, load_shipped_book, resolve_layers
from saniwa.world import actions as world_actions
from saniwa.world.actions import Action
from saniwa.world.fingerprint import build_world
from saniwa.world.model import KINDS, Entity, Exit, Id, Kind, Location, Time, World

DEFAULT = build_rulebook(resolve_layers())
STRICT = build_rulebook(resolve_layers("strict"))
COOKING = build_rulebook(resolve_layers("cooking"))


def make_layer(*rules: dict[str, Any], **about: Any) -> dict[str, Any]:
    """A layer with these rules."""
    return {"rules": list(rules), **about}


def make_rule(action_type: str, *conditions: Any, **about: Any) -> dict[str, Any]:
    """A rule with these conditions as its checks, named `c0`, `c1` and so on."""
    checks = [
        {"id": f"c{place}", "condition": condition, "failReason": "UNKNOWN", "failMessage": "no"}
        for place, condition in enumerate(conditions)
    ]
    return {"actionType": action_type, "checks": checks, **about}


def build_book(*rules: dict[str, Any]) -> Rulebook:
    """A rulebook of these rules only."""
    return build_rulebook([make_layer(*rules)])


def build_book_over(name: str, *rules: dict[str, Any]) -> Rulebook:
    """A shipped rulebook with these rules on top."""
    return build_rulebook([load_shipped_book(name), make_layer(*rules)])


def make_craft(name: str, *conditions: Any, **about: Any) -> dict[str, Any]:
    """A craft with these conditions as its checks; it has no effects by itself."""
    made = make_rule(name, *conditions)
    return {"name": name, "checks": made["checks"], "effects": [], **about}


def build_craft_book(*crafts: dict[str, Any], rules: tuple[dict[str, Any], ...] = ()) -> Rulebook:  # fmt: skip
    """A rulebook with these crafts only."""
    return build_rulebook([make_layer(*rules, crafts=list(crafts))])


ROOMS = tuple(map(Id, ("hall", "yard", "attic")))
THINGS = tuple(map(Id, ("ann", "bob", "box", "cup", "gate", "key")))
ANYTHING: st.SearchStrategy[Id] = st.sampled_from((*ROOMS, *THINGS, Id("nowhere"), Id("")))
_FLAG = st.booleans()
_PLACES: dict[Id, tuple[Id | None, ...]] = dict.fromkeys(
    THINGS[:3], (ROOMS[0], ROOMS[0], ROOMS[0])
) | {
    Id("cup"): (ROOMS[0], Id("ann"), Id("box")),
    Id("gate"): (None, None, None),
    Id("key"): (Id("ann"), ROOMS[0], Id("nowhere")),
}
_USUAL: dict[Id, Kind] = dict(
    zip(THINGS, ("character", "character", "container", "item", "door", "item"), strict=True)
)


@st.composite
def _draw_entity(draw: st.DrawFn, name: Id) -> Entity:
    # Mostly the kind that its name says, so that not all worlds are broken.
    kind = draw(st.sampled_from((*[_USUAL[name]] * 12, *KINDS)))
    sides = st.sampled_from(((ROOMS[0], ROOMS[1]), (ROOMS[1], ROOMS[2])))
    attributes: dict[str, Any] = draw(
        st.sampled_from(
            (
                {},
                {"use": {"needs": "key"}},
                {"use": {"needs": ["key"]}},
                {"use": 1},
                {"may_introduce": True, "has_key": True},
                {"parts": ["cup", "key"], "made_in": "hall", "raw": True, "hands": 1},
                {"parts": ["box", 3, "gate"], "made_in": 3, "hands": "x", "sharp": True},
            )
        )
    )
    connects = st.one_of(sides, sides, st.none(), st.tuples(ANYTHING, ANYTHING))
    return Entity(
        id=name,
        name=draw(st.sampled_from((name.upper(), "thing", ""))),
        kind=kind,
        place=draw(st.sampled_from((*_PLACES[name] * 4, None, *ROOMS, *THINGS))),
        takeable=draw(_FLAG),
        openable=draw(_FLAG),
        open=draw(_FLAG),
        lockable=draw(_FLAG),
        locked=draw(_FLAG),
        required_key=draw(st.one_of(st.none(), ANYTHING)),
        edible=draw(_FLAG),
        hidden=draw(st.sampled_from((False, False, False, True))),
        state=draw(st.sampled_from(((), ("clean",)))),
        connects=draw(connects),
        hint=draw(st.sampled_from(("", "Look {target.name} up."))),
        attributes=attributes,
    )


@st.composite
def draw_world(draw: st.DrawFn) -> World:
    """Small worlds, many of them broken: cycles, unknown ids, doors to nowhere."""
    names = {THINGS[0], *draw(st.lists(st.sampled_from(THINGS), min_size=1))}
    rooms = {ROOMS[0], *draw(st.lists(st.sampled_from(ROOMS), max_size=2))}
    doors = st.one_of(st.none(), ANYTHING)
    exits = st.builds(lambda to, door: Exit(to=to, door=door), ANYTHING, doors)
    locations = [
        Location(id=room, name=room, exits=tuple(draw(st.lists(exits, max_size=3))))
        for room in sorted(rooms)
    ]
    order = st.sampled_from(((), (), (), THINGS[:1], THINGS[1:3], (Id("nowhere"),)))
    return build_world(
        [draw(_draw_entity(name)) for name in sorted(names)],
        locations,
        flags=draw(st.dictionaries(st.sampled_from(("lit",)), st.booleans())),
        time=Time(turn=draw(st.integers(0, 3))),
        turn_order=draw(order),
        protagonist=draw(st.one_of(st.none(), ANYTHING)),
        language=draw(st.sampled_from(("en", "ja", "ja-JP", "fr", ""))),
    )


_WHOM = st.sampled_from(("actor", "target", "tool", "holder", "actorRoom", "key"))
_LISTED = st.sampled_from(("parts", "made_in", "ingredients", "garnish"))
_SET = st.dictionaries(
    st.sampled_from(("raw", "edible", "hidden", "parts")), st.booleans(), min_size=1
)
_EFFECT: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.builds(lambda r, f: {"set": {"role": r, "facts": f}}, _WHOM, _SET),
    st.builds(lambda op, r: {op: r}, st.sampled_from(("remove", "bring", "dismiss")), _WHOM),
    st.builds(
        lambda op, r, a: {op: {"role": r, "attribute": a}},
        st.sampled_from(("remove", "bring", "dismiss")),
        _WHOM,
        _LISTED,
    ),
    st.builds(lambda v: {"flag": {"name": "lit", "value": v}}, st.booleans()),
)
_DEMAND: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.builds(lambda op, r: {op: r}, st.sampled_from(("held", "inScope", "given", "offStage")), _WHOM),
    st.builds(lambda r: {"not": {"given": r}}, _WHOM),
    st.builds(lambda r: {"attributeTrue": {"role": r, "attribute": "raw"}}, _WHOM),
    st.builds(lambda r: {"allHeld": {"role": r, "attribute": "parts"}}, _WHOM),
    st.builds(
        lambda r, o: {"attributeIs": {"role": r, "attribute": "made_in", "ofRole": o}},
        _WHOM,
        _WHOM,
    ),
    st.just({"not": {"handsFull": "actor"}}),
    st.just({"manner": ["work"]}),
)  # fmt: skip


@st.composite
def draw_craft_book(draw: st.DrawFn) -> Rulebook:
    """A rulebook with one random craft, named `work`."""
    conditional = st.builds(lambda effect, when: {**effect, "when": when}, _EFFECT, _DEMAND)
    effects = draw(st.lists(_EFFECT | conditional, max_size=4))
    demands = draw(st.lists(_DEMAND, max_size=3))
    return build_craft_book(make_craft("work", *demands, effects=effects))


_METADATA: st.SearchStrategy[dict[str, Any] | None] = st.one_of(
    st.none(),
    st.fixed_dictionaries(
        {},
        optional={
            "name": st.one_of(st.just("CUP"), st.text(max_size=5), st.integers()),
            "kind": st.one_of(st.sampled_from(KINDS), st.text(max_size=3)),
            "createIfMissing": st.booleans(),
            "aliases": st.lists(st.text(max_size=3), max_size=2),
        },
    ),
)


@st.composite
def draw_action(draw: st.DrawFn) -> Action:
    """Any action, by any actor and on any target."""
    cls: Any = draw(st.sampled_from(tuple(world_actions.ACTIONS.values())))
    fields: dict[str, Any] = {name: draw(ANYTHING) for name in cls.roles}
    if cls is world_actions.Introduce:
        fields["metadata"] = draw(_METADATA)
        fields["target_id"] = draw(st.one_of(st.none(), ANYTHING))
    if cls is world_actions.Use:
        fields["manner"] = draw(st.sampled_from(("", "", "work", "cook", "slice", "x")))
    if cls in (world_actions.Speak, world_actions.Describe, world_actions.Emote):
        fields["content"] = draw(st.text(max_size=20))
    action: Action = cls(actor_id=draw(ANYTHING), **fields)
    return action
