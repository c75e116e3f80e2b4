"""A character's memories in words: lately, what comes to mind, long ago."""

from collections.abc import Sequence

from saniwa.agent.belief.meaning import Meaning
from saniwa.agent.belief.model import Digest, Memory, Mind, Tally, known_name
from saniwa.agent.belief.recall import recall
from saniwa.agent.character.fitting import fitted, listed
from saniwa.agent.character.wording import ago, word
from saniwa.agent.quotation import quote

RECENT = 10
"""Memories told because they are the latest."""
RECALLED = 5
"""Memories told because they come to mind."""
_LONGEST = 200
_LONGEST_OLD = 100
_LONGEST_QUERY = 400


def tell_memories(mind: Mind, largest: int, meaning: Meaning | None = None) -> str:
    """What was witnessed: the latest, what comes to mind here, and the digest."""
    if not mind.memories:
        return word(mind.language, "memories.none")
    found = recall(
        mind,
        what_matters(mind),
        mind.place,
        RECALLED,
        older_than=RECENT,
        meaning=meaning,
    )
    before = sorted((each.memory for each in found), key=lambda m: m.at)
    parts = (
        _part(mind, "lately", mind.memories[-RECENT:], largest // 2),
        _part(mind, "recalled", before, largest // 4),
        _long_ago(mind, mind.digest, largest // 4 - 2),
    )
    return "\n".join(part for part in parts if part)


def what_matters(mind: Mind) -> str:
    """What a character has on its mind: its goals, what it sees, what it last heard."""
    seen = sorted(mind.beliefs[thing].name for thing in mind.view)
    heard = [m.text for m in mind.memories[-RECENT:] if m.said][-1:]
    return " ".join((*heard, *mind.goals, *seen))[:_LONGEST_QUERY]


def _part(mind: Mind, heading: str, memories: Sequence[Memory], largest: int) -> str:
    head, lines = word(mind.language, heading), list[str]()
    room = largest - len(head)
    # The latest tell the most: where not all fit, the first ones go.
    for memory in reversed(memories):
        line = _line(mind, memory, _LONGEST)
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    return "\n".join((head, *reversed(lines))) if lines else ""


def _long_ago(mind: Mind, digest: Digest, largest: int) -> str:
    if not digest.count:
        return ""
    tongue = mind.language
    head = word(
        tongue,
        "long.ago",
        count=str(digest.count),
        first=ago(tongue, mind.turn - digest.first),
        last=ago(tongue, mind.turn - digest.last),
    )
    met = tuple(t for t in digest.people if t.id != mind.who)
    lines = [
        head,
        *_tallies(mind, "met", "people", met, largest // 5),
        *_tallies(mind, "been", "places", digest.places, largest // 5),
    ]
    old = [*digest.changes[::-1], *digest.firsts]
    # Put into words only as far as there is room.
    while old and sum(map(len, lines)) < largest:
        lines.append(_line(mind, old.pop(0), _LONGEST_OLD))
    return fitted(lines, largest, tongue, unsaid=len(old))


def _tallies(
    mind: Mind, line: str, field: str, tallies: tuple[Tally, ...], largest: int
) -> list[str]:
    tongue = mind.language
    named = [
        word(
            tongue,
            "times",
            name=quote(known_name(mind, tally.id), tongue, 40),
            count=str(tally.count),
        )
        for tally in tallies
        if known_name(mind, tally.id)
    ]
    shown = listed(named, largest, tongue)
    return [word(tongue, line, **{field: shown})] if shown else []


def _line(mind: Mind, memory: Memory, longest: int) -> str:
    tongue = mind.language
    text = quote(memory.text, tongue, longest)
    when = ago(tongue, mind.turn - memory.at)
    if not memory.said:
        return word(tongue, "memory", ago=when, text=text)
    if memory.by == mind.who:
        return word(tongue, "memory.own", ago=when, text=text)
    named = known_name(mind, memory.by)
    who = quote(named, tongue) if named else word(tongue, "somebody")
    return word(tongue, "memory.said", ago=when, who=who, text=text)
