import msgspec
from msgspec.structs import replace

from saniwa.world.fingerprint import (
    build_world,
    build_world_document,
    compute_digest,
    compute_fingerprint,
    compute_world_hash,
)
from saniwa.world.model import Entity, Exit, Id, Location, Time, World
from tests.fakes.worlds import make_courtyard


def _make_coffee_trap(turn: int = 0) -> World:
    kitchen, living = Id("キッチン"), Id("リビング")
    things = {
        kitchen: ["コーヒーメーカー", "マグカップ", "冷蔵庫", "トースター"],
        living: ["ソファ", "テレビ", "本棚"],
    }
    people = [Entity(id=Id(n), name=n, kind="character", place=kitchen) for n in ("やな", "あゆ")]
    props = [
        Entity(id=Id(n), name=n, takeable=True, place=place)
        for place, names in things.items()
        for n in names
    ]
    return build_world(
        people + props,
        [
            Location(id=kitchen, name="キッチン", exits=(Exit(to=living),)),
            Location(id=living, name="リビング", exits=(Exit(to=kitchen),)),
        ],
        time=Time(label="朝", turn=turn),
        protagonist=Id("やな"),
    )


def test_the_published_world_hash_is_reproduced() -> None:
    """A world without extensions has the published hash."""
    assert "4f45a5f08875044b" == compute_world_hash(_make_coffee_trap())


def test_turns_passed_are_no_part_of_any_hash() -> None:
    """The number of turns passed changes no hash."""
    assert compute_world_hash(_make_coffee_trap(1)) == compute_world_hash(_make_coffee_trap(5))
    assert compute_fingerprint(_make_coffee_trap(1)) == compute_fingerprint(_make_coffee_trap(5))


def test_extensions_enter_the_world_hash() -> None:
    """A lock changes the world hash."""
    plain = _make_coffee_trap()
    box = Entity(id=Id("箱"), name="箱", kind="container", place=Id("キッチン"))
    locked = msgspec.structs.replace(box, openable=True, open=False, lockable=True, locked=True)

    hashes = {
        compute_world_hash(build_world([*plain.entities.values(), e], [*plain.locations.values()]))
        for e in (box, locked)
    }
    assert 2 == len(hashes)


def test_a_held_item_is_with_its_holder_only() -> None:
    """In the published form, a held thing has no location of its own."""
    yard = Location(id=Id("yard"), name="yard")
    you = Entity(id=Id("you"), name="you", kind="character", place=Id("yard"))
    key = Entity(id=Id("key"), name="key", takeable=True, place=Id("you"))
    odd = Entity(id=Id("odd"), name="odd", place=Id("you"), state=("wet",))

    document = build_world_document(build_world([you, key, odd], [yard]))

    assert ["key", "odd"] == document["characters"]["you"]["holding"]
    assert {"odd": {"state": ["wet"], "takeable": False}} == document["props"]


def test_names_that_begin_with_an_underscore_are_private() -> None:
    """Names that begin with an underscore enter no hash."""
    yard = Location(id=Id("yard"), name="yard")
    thing = Entity(id=Id("t"), name="t", takeable=True, place=Id("yard"), attributes={"_seen": 1})

    assert {} == build_world_document(build_world([thing], [yard]))["props"]["t"]["attributes"]


def test_private_names_are_private_in_lists_too() -> None:
    """Private names enter no hash, also inside lists."""
    yard = Location(id=Id("yard"), name="yard")
    things = [
        Entity(id=Id("t"), name="t", place=Id("yard"), attributes={"l": [inner]})
        for inner in ({"a": 1}, {"a": 1, "_n": 2})
    ]

    first, second = (compute_world_hash(build_world([thing], [yard])) for thing in things)

    assert first == second


def test_the_order_of_ways_does_not_matter_but_their_doors_do() -> None:
    """The order of exits does not change the hash; exchanging their doors does."""
    a, b = Id("a"), Id("b")
    doors = [Entity(id=Id(d), name=d, kind="door", connects=(a, b)) for d in ("d1", "d2")]

    def hash_exits(*ways: Exit) -> str:
        places = [Location(id=a, name="a", exits=ways), Location(id=b, name="b")]
        return compute_world_hash(build_world(doors, places))

    north, south = (
        Exit(to=b, label="north", door=Id("d1")),
        Exit(to=b, label="south", door=Id("d2")),
    )
    swapped = (Exit(to=b, label="north", door=Id("d2")), Exit(to=b, label="south", door=Id("d1")))

    assert hash_exits(north, south) == hash_exits(south, north)
    assert hash_exits(north, south) != hash_exits(*swapped)


def test_the_fingerprint_distinguishes_any_two_worlds() -> None:
    """Changing one field of one entity changes the fingerprint."""
    world = make_courtyard()
    ring = world.entities[Id("ring")]
    seen = msgspec.structs.replace(ring, hidden=False)
    others = [e for e in world.entities.values() if e.id != "ring"]

    other = build_world([*others, seen], [*world.locations.values()], time=world.time)

    assert compute_fingerprint(world) != compute_fingerprint(other)


def test_the_running_digest_is_the_sum_of_all_records() -> None:
    """The digest of a built world equals the digest computed from its records."""
    assert compute_digest(make_courtyard()) == make_courtyard().digest


def test_turn_order_and_flags_are_conditions_but_last_words_are_not() -> None:
    """Turn order and flags change the world hash; a goal's message does not."""
    plain = make_courtyard()
    ordered = replace(plain, turn_order=(Id("player"), Id("keeper")))
    turned = replace(plain, turn_order=(Id("keeper"), Id("player")))
    assert plain.goal is not None
    spoken = replace(plain, goal=replace(plain.goal, message="The end."))

    assert 3 == len({compute_world_hash(w) for w in (plain, ordered, turned)})
    assert compute_world_hash(plain) == compute_world_hash(spoken)
