"""Playing one utterance in a test, with a shipped rulebook."""

from saniwa.language.parse import parse
from saniwa.rulebook.loader import load_shipped_book, read_rulebook
from saniwa.turn.play import TurnOutcome, play_turn
from saniwa.turn.record import SpokenWords
from saniwa.world.model import Id, World

DEFAULT = read_rulebook(load_shipped_book("default"))


def speak(text: str, world: World, actor: Id | None = None) -> TurnOutcome:
    """The outcome of a text, said by the protagonist or another character."""
    who = actor or world.protagonist or Id("")
    words = SpokenWords(actor_id=who, text=text)
    return play_turn(words, parse(text, who, world), world, DEFAULT)


def speak_all(world: World, *texts: str) -> World:
    """The world after the texts, said one after another."""
    for text in texts:
        world = speak(text, world).world
    return world
