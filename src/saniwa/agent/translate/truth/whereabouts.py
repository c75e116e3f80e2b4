"""Where a narration says people and things are, come from or go."""

import re
from collections.abc import Iterator

from saniwa.agent.translate.truth.denial import denied, words_in
from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.parts import (
    Clause,
    Mention,
    Telling,
    meant,
    place_meant,
)
from saniwa.agent.translate.truth.words import en, ja
from saniwa.turn.trace import Flag
from saniwa.world.model import Entity, Id
from saniwa.world.view import contains, room_of, scope

_AT = re.compile(
    r"\b(?:(?:are|is|stand|stands|wait|waits|find yourself|sit|sits) (?:now |back |still )?"
    r"(?:in|inside|at|within)|(?:enter|enters|entered|reach|reaches|arrive in|arrive at"
    r"|step into|steps into|walk into|return to|stepped into|walked into|arrived in"
    r"|emerge into|come into))(?: the)? $"
)
_LIES = re.compile(
    r"^ (?:is|are|lies|lie|rests|sits|waits|hangs|lay|rested|remains|stays|falls|fell|drops"
    r"|lands|rolls|tumbles|slides)"
    r"(?: (?:now|still|back))? (?:on|in|inside|upon|atop|within|at|onto|into)(?: the)? $"
)
_AT_JA = re.compile(
    "^(?:の中)?(?:に|へ)(?:は?(?:いる|いた|立って|着い|到着|入っ|戻っ|足を踏み入れ|辿り着|たどり着|出た))"
)
_INSIDE = re.compile(
    r"^\s*(?:there )?(?:inside|within|in it) (?:lie|lies|lay|is|are|rests?|sits?|waits?"
    r"|you (?:see|find))\b"
)
"""Before what is in the thing that was named last."""
_TOWARDS = re.compile(
    r"^ (?:is|lies|rises|stands|waits) (?:to|in) the (north|south|east|west)\b"
)
_THEY = re.compile(r"^\s*(?:and |then )*(?:who|he|she|they)\b")
_LIES_JA = re.compile("^(?:は|が|も)$")
_THERE_JA = re.compile(
    "^の(?:上|中)に(?:は)?(?:ある|あっ|置か|入って|載って|乗って|残って|転が)"
)

_HERE = re.compile(
    r"^ (?:is|are|stands|waits|lies) (?:here|nearby|beside you|with you)\b"
)
_SEEN = re.compile(r"\byou (?:can )?see (?:the |a |an |some )?$")
_STAYS = re.compile(
    r"\b(?:stay|stays|remain|remains|linger) (?:in|on|at|inside|by)(?: the)? $"
)
_BUSY_JA = re.compile("^(?:が|も|は).*(?:座って|立って|待って|眠って|寝て)い")
_HERE_JA = re.compile("^(?:が|も)(?:いる|ある|見える|立って|見えた|置かれて)")


def untrue_whereabouts(telling: Telling, facts: Facts) -> Iterator[Flag]:
    """A flag for each person or thing that is said to be where it is not."""
    last, holder = facts.viewer, Id("")
    for clause in telling.clauses:
        inside, holder = holder, _holder(clause, holder, facts)
        who = _subject(clause, facts, last)
        last = who if who != facts.viewer else last
        if clause.so or denied(clause.text, facts.after.language):
            continue
        yield from _people(clause, who, facts)
        yield from _things(clause, facts)
        yield from _insides(clause, inside, facts)
        yield from _comings(clause, who, facts)
        yield from _present(clause, facts)
        yield from _directions(clause, facts)


def _people(clause: Clause, who: Id, facts: Facts) -> Iterator[Flag]:
    """People are said to be in a place."""
    for mention in clause.mentions:
        place = place_meant(mention, facts)
        if place is None or not _says_there(clause, mention, facts):
            continue
        stays = _STAYS.search(clause.text[: mention.start])
        worlds = facts.worlds[-1:] if stays else facts.worlds
        if all(room_of(world, who) != place for world in worlds):
            yield _flag(clause, f"nobody came to {mention.name!r}")


def _says_there(clause: Clause, mention: Mention, facts: Facts) -> bool:
    if facts.after.language == "ja":
        return bool(_AT_JA.match(clause.text[mention.end :]))
    before = clause.text[: mention.start]
    return bool(_AT.search(before) or _STAYS.search(before))


def _things(clause: Clause, facts: Facts) -> Iterator[Flag]:
    """A thing is said to lie in or on another, or somebody in a place."""
    for first, second in zip(clause.mentions, clause.mentions[1:], strict=False):
        between = clause.text[first.end : second.start]
        told = bool(_LIES.match(between))
        if facts.after.language == "ja":
            behind = clause.text[second.end :]
            told = bool(_LIES_JA.match(between) and _THERE_JA.match(behind))
        thing = meant(first, facts)
        if told and thing is not None and not _is_in(thing, second, facts):
            yield _flag(clause, f"{first.name!r} is somewhere else")


def _insides(clause: Clause, holder: Id, facts: Facts) -> Iterator[Flag]:
    """Things are said to lie in what was named before."""
    if not holder or not _INSIDE.match(clause.text):
        return
    for mention in clause.mentions:
        inner = any(
            contains(world, holder, who)
            for who in mention.ids
            for world in facts.worlds[-2:]
        )
        if not inner:
            yield _flag(clause, f"{mention.name!r} is not in there")


def _holder(clause: Clause, last: Id, facts: Facts) -> Id:
    for mention in clause.mentions:
        thing = meant(mention, facts)
        if thing is not None and thing.kind == "container":
            return thing.id
    return last


def _is_in(thing: Entity, outer: Mention, facts: Facts) -> bool:
    return any(
        contains(world, who, thing.id)
        for who in outer.ids
        for world in facts.worlds[-2:]
    )


def _present(clause: Clause, facts: Facts) -> Iterator[Flag]:
    """Something is said to be here that was only seen before."""
    for mention in clause.mentions:
        before, behind = clause.text[: mention.start], clause.text[mention.end :]
        told = _HERE_JA.match(behind) or (mention.person and _BUSY_JA.match(behind))
        if facts.after.language != "ja":
            told = _HERE.match(behind) or _SEEN.search(before)
        entities = [who for who in mention.ids if who in facts.after.entities]
        around = scope(facts.after, facts.viewer) if told and entities else ()
        if told and entities and not any(who in around for who in entities):
            yield _flag(clause, f"{mention.name!r} is not here now")


def _directions(clause: Clause, facts: Facts) -> Iterator[Flag]:
    """A place is said to lie where no way leads to it."""
    for mention in clause.mentions:
        told = _TOWARDS.match(clause.text[mention.end :])
        if told is None or clause.text.strip() in facts.corpus:
            continue
        room = facts.after.locations.get(room_of(facts.after, facts.viewer) or Id(""))
        ways = room.exits if room is not None else ()
        places = [who for who in mention.ids if who in facts.after.locations]
        if places and not any(w.to in places and w.label == told[1] for w in ways):
            yield _flag(clause, f"{mention.name!r} is not to the {told[1]}")


def _comings(clause: Clause, who: Id, facts: Facts) -> Iterator[Flag]:
    """Somebody is said to have come or gone who stayed."""
    if who == facts.viewer or who in facts.moved:
        return
    if facts.after.language == "ja":
        told = any(word in clause.text for word in ja.COMINGS)
    else:
        named = [m.end for m in clause.mentions if who in m.ids]
        behind = clause.text[min(named) :] if named else _THEY.sub("", clause.text)
        told = not en.COMINGS.isdisjoint(words_in(behind)[:3])
    if told:
        yield _flag(clause, f"{who!r} neither came nor went")


def _subject(clause: Clause, facts: Facts, last: Id) -> Id:
    """Who the clause is about: the first person in it, the last one, or the viewer."""
    for mention in clause.mentions:
        who = meant(mention, facts)
        if who is not None and who.kind == "character":
            return who.id
    return last if _THEY.match(clause.text) else facts.viewer


def _flag(clause: Clause, message: str) -> Flag:
    return Flag(kind="contradiction", words=clause.text.strip()[:80], message=message)
