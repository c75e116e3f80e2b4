"""Where a character stands, line by line: place, ways out, things, people, hands, hour."""

from collections.abc import Iterable, Iterator

from saniwa.agent.belief.model import Belief, KnownExit, Mind, known_name
from saniwa.agent.character.fitting import fitted, listed
from saniwa.agent.character.wording import word
from saniwa.agent.quotation import quote
from saniwa.world.canonical import DEFAULT_STATE
from saniwa.world.model import Id

_SHARES = {"looks": 20, "exits": 25, "things": 30, "people": 12, "holding": 12}
"""Hundredths of the room that each line may take."""
_SHUT = {None: "closed", True: "locked", False: "unlocked"}
"""What is said of something closed, by what is known of its lock."""


def tell_scene(mind: Mind, largest: int) -> str:
    """Everything the character perceives now, at most so large."""
    if mind.place is None:
        return word(mind.language, "nowhere")
    return fitted([*_lines(mind, largest)], largest, mind.language)


def place_thing(mind: Mind, thing: Belief, at: Id | None) -> str:
    """A thing and where it is: “key” in “drawer”; the bare name where that is unknown."""
    name = quote(thing.name, mind.language)
    if at is None:
        return name
    holder = mind.beliefs.get(at)
    line = "at.place" if holder is None else "at.in"
    if at == mind.who:
        line = "at.own"
    elif holder is not None and holder.kind == "supporter":
        line = "at.on"
    elif holder is not None and holder.kind == "character":
        line = "at.held"
    named = quote(known_name(mind, at), mind.language)
    return word(mind.language, line, name=name, holder=named)


def note_state(mind: Mind, thing: Belief) -> list[str]:
    """What is special about it: closed, locked as far as that is known, its state."""
    notes = []
    if thing.closed:
        notes.append(word(mind.language, _SHUT[thing.locked]))
    if thing.state and thing.state != DEFAULT_STATE:
        notes += [quote(each, mind.language, 30) for each in thing.state[:4]]
    return notes


def noted(mind: Mind, shown: str, notes: Iterable[str]) -> str:
    """Something with what is special about it in brackets."""
    between = word(mind.language, "notes.between")
    joined = between.join(notes)
    if not joined:
        return shown
    return word(mind.language, "noted", name=shown, notes=joined)


def _lines(mind: Mind, largest: int) -> Iterator[str]:
    tongue = mind.language
    room = {part: largest * share // 100 - 30 for part, share in _SHARES.items()}
    here = mind.places[mind.place or Id("")]
    yield word(tongue, "place", place=quote(here.name, tongue))
    if here.description and here.description != here.name and room["looks"] > 0:
        looks = quote(here.description, tongue, room["looks"])
        yield word(tongue, "place.looks", description=looks)
    ways = [_way(mind, way) for way in here.exits]
    yield _listed(mind, "exits", "ways", ways, room["exits"])
    yield _listed(mind, "things", "things", _things(mind), room["things"])
    people = [_thing(mind, e) for e in _in_view(mind) if e.kind == "character"]
    yield _listed(mind, "people", "people", people, room["people"])
    held = [
        noted(mind, quote(e.name, tongue), note_state(mind, e))
        for e in _in_view(mind)
        if e.place == mind.who
    ]
    yield _listed(mind, "holding", "things", held, room["holding"])
    if mind.hour:
        yield word(tongue, "hour", hour=quote(mind.hour, tongue))


def _listed(mind: Mind, line: str, field: str, items: list[str], room: int) -> str:
    if not items:
        return word(mind.language, f"{line}.none")
    shown = listed(items, room, mind.language)
    return word(mind.language, line, **{field: shown})


def _in_view(mind: Mind) -> list[Belief]:
    seen = (mind.beliefs[thing] for thing in mind.view)
    return sorted(seen, key=lambda each: (each.name, each.id))


def _things(mind: Mind) -> list[str]:
    doors = {way.door for way in mind.places[mind.place or Id("")].exits}
    return [
        _thing(mind, each)
        for each in _in_view(mind)
        if each.kind != "character" and each.place != mind.who and each.id not in doors
    ]


def _thing(mind: Mind, thing: Belief) -> str:
    at = None if thing.place == mind.place else thing.place
    return noted(mind, place_thing(mind, thing, at), note_state(mind, thing))


def _way(mind: Mind, way: KnownExit) -> str:
    tongue = mind.language
    shown = word(tongue, "way", place=quote(known_name(mind, way.to), tongue))
    if way.label:
        label = quote(way.label, tongue, 30)
        shown = word(tongue, "way.label", label=label, place=shown)
    door = mind.beliefs.get(way.door) if way.door else None
    if door is not None:
        named = noted(mind, quote(door.name, tongue), note_state(mind, door))
        shown = word(tongue, "way.door", way=shown, door=named)
    return shown
