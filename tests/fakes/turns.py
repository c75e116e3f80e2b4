"""Playing one utterance in a test, under a shipped book."""

from saniwa.rulebook.load import read_book, shipped
from saniwa.turn.parse import parse
from saniwa.turn.play import Played, play_turn
from saniwa.turn.trace import Words
from saniwa.world.model import Id, World

DEFAULT = read_book(shipped("default"))


def speak(text: str, world: World, actor: Id | None = None) -> Played:
    """What becomes of the text, said by the protagonist or somebody else."""
    who = actor or world.protagonist or Id("")
    words = Words(actor_id=who, text=text)
    return play_turn(words, parse(text, who, world), world, DEFAULT)


def world_after(world: World, *texts: str) -> World:
    """The world after the texts, said one after another."""
    for text in texts:
        world = speak(text, world).world
    return world
