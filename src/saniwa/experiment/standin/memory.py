"""What a stand-in makes of the talk so far: what is here, what was elsewhere, where to go.

It believes what it reads. Where no game master keeps the talk true, that is how one
character's invention becomes another's.
"""

from typing import NamedTuple

from saniwa.experiment.standin.deed import Deed, deeds_in, sayable
from saniwa.experiment.standin.hearing import Heard


class Memory(NamedTuple):
    """What was read of in the talk."""

    here: tuple[str, ...]
    """Things somebody had to do with since the speaker came here."""
    elsewhere: tuple[str, ...]
    """Things from before the speaker went away."""
    taken: frozenset[str]
    """Things the speaker or somebody else took."""
    places: tuple[str, ...]
    """Places somebody went to, except the one the speaker is at."""
    done: frozenset[Deed]
    """The speaker's own deeds."""
    fruitless: frozenset[str]
    """What the game master said did not happen."""


def remember(heard: Heard) -> Memory:
    """The talk, gone through from its first line to its last."""
    here: dict[str, None] = {}
    elsewhere: dict[str, None] = {}
    places: dict[str, None] = {}
    taken, done, at = set[str](), set[Deed](), ""
    for who, text in heard.talk:
        for deed in deeds_in(text) if "*" in text else ():
            if who == heard.name:
                done.add(deed)
            if not sayable(deed.target):
                continue
            if deed.kind != "go":
                here[deed.target] = None
                if deed.kind == "take":
                    taken.add(deed.target)
            else:
                places[deed.target] = None
                if who == heard.name:
                    elsewhere |= here
                    here, at = {}, deed.target
    return Memory(
        here=tuple(here),
        elsewhere=tuple(elsewhere),
        taken=frozenset(taken),
        places=tuple(place for place in places if place != at),
        done=frozenset(done),
        fruitless=frozenset(line.partition(":")[0] for line in heard.remarks),
    )
