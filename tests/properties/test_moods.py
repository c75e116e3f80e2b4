"""No words that ask for nothing change a shipped world, wherever they are spoken."""

from functools import lru_cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from saniwa.rulebook.book import Rulebook, taught
from saniwa.rulebook.load import book_from_layers, layers_of
from saniwa.scenario.load import load
from saniwa.scenario.registry import Registry
from saniwa.turn.parse import parse
from saniwa.turn.play import mentioned_in, play_turn
from saniwa.turn.reply import claims_of, read_reply
from saniwa.turn.trace import Words
from saniwa.world.canonical import fingerprint
from saniwa.world.model import Id, World
from saniwa.world.view import name_of, scope
from tests.unit.turn.mood_lines import NAMES, MoodLine, read_lines

SCENARIOS = Path(__file__).parents[2] / "experiments" / "scenarios"
WALKS = sorted((SCENARIOS / "walkthroughs").glob("*.txt"))
SILENT = [line for line in read_lines() if not line.deeds]
THINGS = slice(3, 12)
"""The names among `NAMES` that are things."""


@lru_cache(maxsize=64)
def _play_moments(walk: Path) -> tuple[Rulebook, tuple[World, ...]]:
    """The worlds of a shipped scenario, one after each line of its walkthrough."""
    registry = Registry.open(SCENARIOS / "registry.yaml")
    scenario = load(registry.resolve(walk.name.split(".")[0]))
    spec = scenario.rulebook
    named = spec if isinstance(spec, str) else "default"
    layers = [*layers_of(named), *([spec] if isinstance(spec, dict) else [])]
    book = book_from_layers(layers)
    world = taught(scenario.world, book)
    worlds = [world]
    mentioned: tuple[Id, ...] = ()
    for line in walk.read_text(encoding="utf-8").split("\n"):
        if line.strip() and not line.startswith("#"):
            actor = world.protagonist or Id("")
            words = Words(actor_id=actor, text=line, mentioned=mentioned)
            turn, world = play_turn(words, parse(line, actor, world), world, book)
            mentioned = mentioned_in(turn, mentioned)
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


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_no_line_that_asks_for_nothing_changes_a_shipped_world(
    data: st.DataObject,
) -> None:
    """Typed or in a written reply, with any names, at any moment of a walkthrough."""
    book, worlds = _play_moments(data.draw(st.sampled_from(WALKS)))
    world = data.draw(st.sampled_from(worlds))
    actor = world.protagonist or Id("")
    around = [name_of(world, i) for i in sorted(scope(world, actor)) if i != actor]
    names = data.draw(st.permutations(around or ["-"]))
    line = data.draw(st.sampled_from(SILENT))
    text = _transplant(line, names)
    typed = parse(text, actor, world)
    reply = read_reply(f"Thought: -\nOutput: *{text}*")
    written = claims_of(reply, actor, world)
    # In a reply, a clause that is not understood does not stop the others, and "she"
    # is the character.
    ways = [typed] if line.label in ("leftover", "statement") else [typed, written]
    claims = data.draw(st.sampled_from(ways))

    _, after = play_turn(Words(actor_id=actor, text=text), claims, world, book)

    assert fingerprint(world) == fingerprint(after), text
