"""The scenarios that ship with Saniwa."""

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from saniwa.scenario.loader import load_scenario
from saniwa.scenario.registry import Registry
from saniwa.world.model import Entity, Location, World

_FOLDER = Path(str(files("experiments"))) / "scenarios"
_IDS = [e.scenario_id for e in Registry.open(_FOLDER / "registry.yaml").entries]


def _load_world(scenario_id: str) -> World:
    return load_scenario(Registry.open(_FOLDER / "registry.yaml").resolve(scenario_id)).world


@pytest.mark.parametrize("scenario_id", _IDS)
def test_a_shipped_scenario_has_no_finding_and_a_walkthrough(scenario_id: str) -> None:
    """A shipped scenario has no finding, not even a warning, and a walkthrough."""
    loaded = load_scenario(Registry.open(_FOLDER / "registry.yaml").resolve(scenario_id))
    walkthrough = _FOLDER / "walkthroughs" / f"{scenario_id}.txt"

    assert () == loaded.report.findings
    assert len(walkthrough.read_text(encoding="utf-8").split("\n")) > 4


_PUBLISHED = {"default", "coffee_trap"}
"""Their worlds have published hashes, and must stay unchanged."""
_OURS = sorted(set(_IDS) - _PUBLISHED)


@pytest.mark.parametrize("scenario_id", _OURS)
def test_a_story_says_what_it_is_about_and_how_it_ended(scenario_id: str) -> None:
    """A shipped scenario has an opening, a goal and a final message in its language."""
    loaded = load_scenario(Registry.open(_FOLDER / "registry.yaml").resolve(scenario_id))

    assert loaded.opening
    assert loaded.world.goal is not None
    assert loaded.world.goal.message


def test_a_trap_for_models_says_so() -> None:
    """A scenario that is a trap for models says so in its description."""
    entries = Registry.open(_FOLDER / "registry.yaml").entries
    traps = [e for e in entries if "trap" in e.tags]

    assert {"coffee_trap", "missing_tool"} < {e.scenario_id for e in traps}
    assert [] == [e.scenario_id for e in traps if "trap" not in e.description.lower()]


@pytest.mark.parametrize("scenario_id", _IDS)
def test_no_character_is_called_you(scenario_id: str) -> None:
    """No character is named "you" or "me"."""
    names = {who.name for who in _load_world(scenario_id).list_characters()}

    assert set() == names & {"you", "You", "あなた", "me", "自分"}


@pytest.mark.parametrize("scenario_id", _OURS)
def test_no_description_mentions_what_can_be_taken_away(scenario_id: str) -> None:
    """A description does not mention a thing that can be taken away."""
    made = _load_world(scenario_id)
    carried = [t for t in made.entities.values() if t.takeable]
    described: list[Entity | Location] = [*made.locations.values(), *made.entities.values()]

    assert [] == [
        (record.id, name)
        for record in described
        for thing in carried
        if thing.id != record.id
        for name in _iterate_names(thing)
        if re.search(_make_word_pattern(name), _drop_quotes(record.description), re.IGNORECASE)
    ]


def _iterate_names(thing: Entity) -> Iterator[str]:
    yield thing.name
    yield from thing.aliases


def _make_word_pattern(name: str) -> str:
    if name.isascii():
        return rf"\b{re.escape(name)}s?\b"
    # A single kanji is part of other words: 傘 of 傘立て.
    return re.escape(name) if len(name) > 1 else "(?!)"


def _drop_quotes(text: str) -> str:
    """The text without quotations, which stay true when things move."""
    return re.sub('"[^"]*"|「[^」]*」', "", text)


@pytest.mark.parametrize("scenario_id", _OURS)
def test_furniture_stays_where_it_is(scenario_id: str) -> None:
    """Furniture cannot be taken."""
    heavy = re.compile(
        "counter|form|mirror|stool|stove|board|ストーブ|掲示板|ピアノ|棚|柱時計|譜面台"
    )
    made = _load_world(scenario_id)

    assert [] == [t.id for t in made.entities.values() if t.takeable and heavy.search(t.name)]


@pytest.mark.parametrize(
    ("scenario_id", "spoken", "meant"),
    [
        ("door_and_key_ja", "かぎ", "真鍮の鍵"),
        ("door_and_key_ja", "はこ", "樫の箱"),
        ("door_and_key_ja", "もん", "鉄の門"),
        ("door_and_key_ja", "とびら", "鉄の門"),
        ("door_and_key_ja", "さかな", "石の魚"),
        ("locked_door", "ドア", "樫の扉"),
        ("locked_door", "くろいかぎ", "黒い鍵"),
        ("wrong_location", "かさ", "赤い傘"),
        ("missing_tool", "缶詰", "桃の缶詰"),
        ("lantern_island_ja", "あぶら", "灯油の缶"),
        ("lantern_island_ja", "ぎんのかぎ", "銀の鍵"),
    ],
)
def test_a_japanese_item_answers_to_its_reading(scenario_id: str, spoken: str, meant: str) -> None:
    """A Japanese item can be named by its reading in kana."""
    (thing,) = [t for t in _load_world(scenario_id).entities.values() if t.id == meant]

    assert spoken in (thing.name, *thing.aliases)


@pytest.mark.parametrize("scenario_id", _OURS)
def test_no_other_name_belongs_to_two_items_of_one_room(scenario_id: str) -> None:
    """No two items of a room share an alias."""
    made = _load_world(scenario_id)
    seen: dict[tuple[str, str], str] = {}
    shared = []
    for thing in made.entities.values():
        for room in _list_rooms(made, thing):
            for name in {n.casefold() for n in _iterate_names(thing)}:
                if seen.setdefault((room, name), thing.id) != thing.id:
                    shared.append((room, name))

    assert [] == shared


def _list_rooms(made: World, thing: Entity) -> tuple[str, ...]:
    if thing.connects is not None:
        return thing.connects
    place = thing.place
    while place is not None and place not in made.locations:
        place = made.entities[place].place
    return (place,) if place is not None else ()


def test_the_promised_scenarios_are_there() -> None:
    """The documented scenarios exist."""
    assert {
        "default",
        "coffee_trap",
        "missing_tool",
        "wrong_location",
        "locked_door",
        "hidden_object",
        "door_and_key",
        "door_and_key_ja",
        "lantern_island",
        "lantern_island_ja",
        "kitchen",
        "kitchen_ja",
    } == set(_IDS)


def test_our_coffee_trap_is_the_published_world() -> None:
    """The shipped coffee trap has the published world hash."""
    loaded = load_scenario(Registry.open(_FOLDER / "registry.yaml").resolve("coffee_trap"))

    assert "4f45a5f08875044b" == loaded.world_hash


@pytest.mark.parametrize("scenario_id", ["lantern_island", "lantern_island_ja"])
def test_the_flagship_has_everything_a_story_world_needs(scenario_id: str) -> None:
    """The flagship has eight rooms, locks, containers, hidden and edible things, and a goal."""
    made = _load_world(scenario_id)
    things = list(made.entities.values())

    assert len(made.locations) >= 8
    assert 3 == sum(1 for _ in made.list_characters())
    assert {"container", "supporter", "door", "fixture", "item"} < {t.kind for t in things}
    assert sum(t.locked for t in things) >= 3
    assert sum(t.hidden for t in things) >= 2
    assert sum(t.edible for t in things) >= 2
    assert made.goal is not None


@pytest.mark.parametrize(
    ("english", "japanese"),
    [("door_and_key", "door_and_key_ja"), ("lantern_island", "lantern_island_ja")],
)
def test_twins_are_built_alike(english: str, japanese: str) -> None:
    """The English and the Japanese version of a scenario have the same structure."""
    shapes = []
    for scenario_id in (english, japanese):
        made = _load_world(scenario_id)
        kinds = sorted(
            (t.kind, t.locked, t.hidden, t.edible, t.openable) for t in made.entities.values()
        )
        shapes.append((kinds, sorted(len(p.exits) for p in made.locations.values())))

    assert shapes[0] == shapes[1]
    assert ("en", "ja") == (_load_world(english).language, _load_world(japanese).language)
