"""No words that ask for nothing change a shipped world, wherever they are spoken."""

from functools import lru_cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from saniwa.language.parse import parse
from saniwa.rulebook.book import Rulebook, add_manners
from saniwa.rulebook.loader import build_rulebook, resolve_layers
from saniwa.scenario.loader import load_scenario
from saniwa.scenario.registry import Registry
from saniwa.turn.play import play_turn, update_mentioned
from saniwa.turn.record import SpokenWords
from saniwa.turn.reply import parse_reply_claims, read_reply
from saniwa.world.canonical import compute_fingerprint
from saniwa.world.model import Id, World
from saniwa.world.view import get_name, list_scope
from tests.fakes.nightly import scale_examples
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
    """Typed or in a written reply, with any names, at any moment of a walkthrough."""
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
