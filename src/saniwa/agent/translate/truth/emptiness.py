"""Things a narration says are empty, though the viewer sees what is in them."""

import re
from collections.abc import Iterator
from typing import Final

from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.parts import Telling, meant
from saniwa.turn.trace import Flag
from saniwa.world.model import Entity, Id
from saniwa.world.view import within_reach

_EMPTY: Final = re.compile(
    r"\b(?:empty|bare)\b|\b(?:finds?|found|inside|within|contains?|holds?|sees?|is|lies)\b"
    r" nothing(?! (?:new|else|more|but|unusual|special|of|further|other|save|besides))"
)
_EMPTY_JA: Final = re.compile(
    "空(?:だ|で|っぽ)|何も(?:入ってい?ない|入っていなかった|なかった|ない|見つから)"
)
_HANDS: Final = re.compile("hand|palm|pocket")


def untrue_emptiness(telling: Telling, facts: Facts) -> Iterator[Flag]:
    """A flag for each chest or table that is said to be empty and is not."""
    last: Entity | None = None
    says = _EMPTY_JA if facts.after.language == "ja" else _EMPTY
    for clause in telling.clauses:
        held = [t for m in clause.mentions if (t := meant(m, facts)) and _holds(t)]
        last = held[0] if held else last
        if last is None or clause.so or not says.search(clause.text):
            continue
        if not _HANDS.search(clause.text) and any(_seen_in(last.id, facts)):
            yield Flag(
                kind="contradiction",
                words=clause.text.strip()[:80],
                message=f"{last.name!r} is not empty",
            )


def _holds(thing: Entity) -> bool:
    return thing.kind in ("container", "supporter")


def _seen_in(thing: Id, facts: Facts) -> Iterator[Id]:
    """What is in or on it now, in plain view."""
    for inner in facts.after.inside(thing):
        if within_reach(facts.after, facts.viewer, inner):
            yield inner
