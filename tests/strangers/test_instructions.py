"""Instructions written by TextWorld for its own walkthroughs."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from saniwa.integrations.textworld.importer import import_game
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.loader import build_rulebook, resolve_layers
from saniwa.runs.word_interpreter import interpret_phrases
from saniwa.scenario.loader import load_scenario
from saniwa.turn.play import play_turn
from saniwa.turn.record import SpokenWords
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import World
from tests.fakes.nightly import NIGHTLY
from tests.fakes.textworld import make_custom_game, to_document
from tests.strangers.conftest import Tally
from tests.strangers.textworld_dialect import PLAYER

_SEEDS = range(1000) if NIGHTLY else range(15)
_FEWEST_RIGHT = 0.95
_END = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[\w'-]+")


class ForeignInstruction(NamedTuple):
    """A sentence of an instruction, and what it did."""

    sentence: str
    command: str
    score: str
    """`right` if the sentence did what the command does, `missed` if it did nothing, else
    `untrue`."""


def test_written_instructions_do_what_their_commands_do(tally: Tally) -> None:
    """A sentence does what TextWorld's command for it does, or nothing."""
    scored = [each for seed in _SEEDS for each in _follow_game(seed)]
    counts = Counter(each.score for each in scored)

    assert [] == [each for each in scored if each.score == "untrue"]
    assert counts["right"] >= _FEWEST_RIGHT * len(scored), counts
    tally("foreign instructions", len(scored))


def _follow_game(seed: int) -> Iterator[ForeignInstruction]:
    """Say each sentence of a game's instructions in the state it is meant for."""
    from textworld.generator import QuestGenerationError

    try:
        game = make_custom_game(seed, 6, 12, 6, theme="house", include_adj=bool(seed % 2))
    except QuestGenerationError:
        return
    document = import_game(to_document(game), "game").scenario
    assert document is not None
    world = load_scenario(document).world
    book = build_rulebook(resolve_layers(document["rulebook"]))
    commands = game.metadata["walkthrough"]
    for sentence, command in zip(_find_sentences(game.objective, commands), commands, strict=True):
        wanted, heard = _say(command, world, book), _say(sentence, world, book)
        score = "right" if _is_same(wanted, heard) else "untrue"
        score = "missed" if score == "untrue" and _is_same(world, heard) else score
        yield ForeignInstruction(sentence, command, score)
        world = wanted


def _say(text: str, world: World, book: Rulebook) -> World:
    words = SpokenWords(actor_id=PLAYER, text=text)
    claims, _ = interpret_phrases(words, world, None)
    return play_turn(words, claims, world, book)[1]


def _is_same(one: World, other: World) -> bool:
    return compute_fingerprint(one) == compute_fingerprint(other)


def _find_sentences(objective: str, commands: list[str]) -> list[str]:
    """The sentences of the commands, without the greeting before and the praise after them."""
    sentences = _END.split(objective)
    starts = range(len(sentences) - len(commands) + 1)
    start = max(starts, key=lambda at: sum(map(_measure_overlap, sentences[at:], commands)))
    return sentences[start : start + len(commands)]


def _measure_overlap(sentence: str, command: str) -> float:
    """The share of the command's words, without its verb, that the sentence has."""
    words = _WORD.findall(command.lower())[1:]
    return sum(word in sentence.lower() for word in words) / len(words)
