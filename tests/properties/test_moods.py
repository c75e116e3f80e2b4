"""Words that ask for nothing change no shipped world, wherever they are said."""

import re
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saniwa.language.parse import parse
from saniwa.rulebook.book import Rulebook, add_manners
from saniwa.rulebook.loader import build_rulebook, resolve_layers
from saniwa.scenario.loader import load_scenario
from saniwa.scenario.registry import Registry
from saniwa.turn.model_reply import parse_reply_claims, read_reply
from saniwa.turn.play import play_turn, update_mentioned
from saniwa.turn.record import SpokenWords
from saniwa.world.actions import Speak
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import Id, World
from saniwa.world.queries import find_room, get_name, list_scope
from tests.fakes.nightly import choose_cases, sample_cases, scale_examples
from tests.hearing.score import FOLDER, LabelledLine, load_house
from tests.hearing.score import read_lines as read_labelled_lines
from tests.properties.mood_frames import list_deeds, list_framed_lines
from tests.unit.turn.mood_lines import NAMES, MoodLine, read_lines

SCENARIOS = Path(__file__).parents[2] / "experiments" / "scenarios"
WALKS = sorted((SCENARIOS / "walkthroughs").glob("*.txt"))
SILENT = [line for line in read_lines() if not line.deeds]
THINGS = slice(3, 12)
"""The names in `NAMES` that are things."""


@lru_cache(maxsize=64)
def _play_moments(walk: Path) -> tuple[Rulebook, tuple[World, ...]]:
    """The worlds of a shipped scenario, one after each line of its walkthrough."""
    registry = Registry.open(SCENARIOS / "registry.yaml")
    scenario = load_scenario(registry.resolve(walk.name.split(".")[0]))
    spec = scenario.rulebook
    named = spec if isinstance(spec, str) else "default"
    layers = [*resolve_layers(named), *([spec] if isinstance(spec, dict) else [])]
    book = build_rulebook(layers)
    world = add_manners(scenario.world, book)
    worlds = [world]
    mentioned: tuple[Id, ...] = ()
    for line in walk.read_text(encoding="utf-8").split("\n"):
        if line.strip() and not line.startswith("#"):
            actor = world.protagonist or Id("")
            words = SpokenWords(actor_id=actor, text=line, mentioned=mentioned)
            turn, world = play_turn(words, parse(line, actor, world), world, book)
            mentioned = update_mentioned(turn, mentioned)
            worlds.append(world)
    return book, tuple(worlds)


def _transplant(line: MoodLine, names: list[str]) -> str:
    """The line with the names of another world in place of its own."""
    text = line.text
    for place, own in enumerate(NAMES[line.language][THINGS]):
        text = text.replace(own, f"\0{place}\0")
    for place in range(len(NAMES[line.language][THINGS])):
        text = text.replace(f"\0{place}\0", names[place % len(names)])
    return text


@settings(max_examples=scale_examples(200), deadline=None)
@given(st.data())
def test_no_line_that_asks_for_nothing_changes_a_shipped_world(data: st.DataObject) -> None:
    """Such a line does nothing, typed or in a reply, with any names, at any point of a story."""
    book, worlds = _play_moments(data.draw(st.sampled_from(WALKS)))
    world = data.draw(st.sampled_from(worlds))
    actor = world.protagonist or Id("")
    around = [get_name(world, i) for i in sorted(list_scope(world, actor)) if i != actor]
    names = data.draw(st.permutations(around or ["-"]))
    line = data.draw(st.sampled_from(SILENT))
    text = _transplant(line, names)
    typed = parse(text, actor, world)
    reply = read_reply(f"Thought: -\nOutput: *{text}*")
    written = parse_reply_claims(reply, actor, world)
    # In a reply, a clause that is not understood does not stop the others, and "she"
    # is the character.
    ways = [typed] if line.label in ("leftover", "statement") else [typed, written]
    claims = data.draw(st.sampled_from(ways))

    _, after = play_turn(SpokenWords(actor_id=actor, text=text), claims, world, book)

    assert compute_fingerprint(world) == compute_fingerprint(after), text


FILES = ("lines_en", "lines_ja", "more_lines_en", "more_lines_ja")
MOMENTS_BY_NIGHT = 6
"""In how many worlds the nightly run says each labelled line; other runs use one."""
KNOWN = {
    "千代さんにりんごを渡してほっとしている",
    "そこの女の子、木箱から離れなさい",
    "木箱を開けてがっかりした",
}
"""Lines that are still misread in some world; remove lines from this set, never add one."""


class Scene(NamedTuple):
    """One step of a shipped scenario, and what its protagonist can name."""

    book: Rulebook
    world: World
    actor: Id
    things: list[str]
    people: list[str]
    way: str

    def is_changed_by(self, text: str) -> bool:
        """Whether the words, typed by the protagonist, change the world by an action.

        Speech does not count: answers may have effects that their author wrote.
        """
        words = SpokenWords(actor_id=self.actor, text=text)
        claims = parse(text, self.actor, self.world)
        turn, after = play_turn(words, claims, self.world, self.book)
        acted = any(not isinstance(action, Speak) for action in turn.applied_actions)
        return acted and compute_fingerprint(self.world) != compute_fingerprint(after)


@lru_cache(maxsize=2)
def _list_scenes(language: str) -> list[Scene]:
    played = [_play_moments(walk) for walk in WALKS]
    return [_make_scene(b, w) for b, worlds in played for w in worlds if w.language == language]


def _name_scene(scene: Scene) -> str:
    return " ".join([*scene.things, *scene.people, scene.way])


def _make_scene(book: Rulebook, world: World) -> Scene:
    actor = world.protagonist or Id("")
    around = [world.entities[i] for i in sorted(list_scope(world, actor)) if i != actor]
    room = world.locations.get(find_room(world, actor) or Id(""))
    ways = [way.label or get_name(world, way.to) for way in (room.exits if room else ())]
    things = [e.name for e in around if e.kind != "character"] or ["-"]
    people = [e.name for e in around if e.kind == "character"]
    return Scene(book, world, actor, things, people, (ways or ["-"])[0])


@lru_cache(maxsize=4)
def _find_names(language: str, people: bool) -> re.Pattern[str]:
    """Every name in the house of the labelled lines, the longest first."""
    house = load_house(language).entities.values()
    chosen = [e for e in house if (e.kind == "character") is people and e.id != "player"]
    names = sorted({name for e in chosen for name in (e.name, *e.aliases)}, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, names)), re.IGNORECASE)


def _move_line(line: LabelledLine, language: str, scene: Scene, turn: int) -> str:
    """The line with the names of the scene; empty if it needs a person and none is present."""
    named = dict[str, str]()

    def rename(found: re.Match[str], names: list[str]) -> str:
        own = found.group().lower()
        return named.setdefault(own, names[(turn + len(named)) % len(names)])

    if _find_names(language, True).search(line.text) and not scene.people:
        return ""
    text = _find_names(language, True).sub(lambda m: rename(m, scene.people), line.text)
    return _find_names(language, False).sub(lambda m: rename(m, scene.things), text)


@pytest.mark.parametrize("file", FILES)
def test_no_labelled_line_without_a_deed_changes_a_shipped_world(file: str) -> None:
    """A line whose mood is not a command changes no shipped world, with the names of that world."""
    language = file[-2:]
    scenes, every = _list_scenes(language), read_labelled_lines(FOLDER / f"{file}.yaml")
    silent = [
        line
        for line in every
        if line.label["mood"] != "command"
        and not line.deeds
        and not line.label["class"].startswith("model_reply")
    ]
    rounds = choose_cases(range(MOMENTS_BY_NIGHT), 0)
    changed = set()
    for again, (number, line) in product(rounds, enumerate(silent)):
        scene = scenes[(number * 7 + again * 31) % len(scenes)]
        text = _move_line(line, language, scene, number + again)
        if text and scene.is_changed_by(text):
            changed.add(line.text)

    assert changed <= KNOWN


@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_mood_but_a_command_makes_any_deed(language: str) -> None:
    """Questions, prohibitions, conditions, wishes and reports around a command do nothing.

    The commands alone must do something, or the test would prove nothing.
    """
    changed, done = list[str](), 0
    for number, scene in enumerate(sample_cases(_list_scenes(language), 4, _name_scene)):
        x, y = (names[number % len(names)] for names in (scene.things, scene.people or ["-"]))
        words = (language, _add_article(language, x), _add_article(language, y), scene.way)
        done += sum(map(scene.is_changed_by, list_deeds(*words)))
        framed = list(list_framed_lines(*words))
        changed += filter(scene.is_changed_by, sample_cases(framed, 8))

    assert [] == changed
    assert 20 < done


def _add_article(language: str, name: str) -> str:
    return name if language == "ja" else f"the {name}"
