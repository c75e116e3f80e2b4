"""Renders what a character sees now, and what it believes of things elsewhere.

Beliefs about things that its goals name come first, then the latest. Lines are fitted
into a given number of characters; every field must be quoted already.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from saniwa.agent.mind.mind import Belief, GuidanceCard, KnownExit, Mind, Rumour, get_known_name
from saniwa.agent.prompt_quoting import quote
from saniwa.language.text import fold_text
from saniwa.world.fingerprint import DEFAULT_STATE
from saniwa.world.model import Id


@cache
def _read_wordings() -> dict[str, tuple[str, str]]:
    """Read each line in English and in Japanese."""
    content = Path(__file__).with_name("wording.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, tuple[str, str]])


def render_wording(language: str, line: str, **fields: str) -> str:
    """Render one line with its fields; English for an unsupported language."""
    return _read_wordings()[line][language == "ja"].format(**fields)


@lru_cache(maxsize=512)
def render_age(language: str, turns: int) -> str:
    """Render how long ago something was, in turns."""
    if turns <= 0:
        return render_wording(language, "now")
    return render_wording(language, "ago" if turns == 1 else "agos", count=str(turns))


_COUNT_ROOM = 40
"""Characters reserved for the note about what was left out."""


def fit_lines(lines: Sequence[str], largest: int, language: str, unsaid: int = 0) -> str:
    """Join the first lines that fit, and a note of how many do not.

    `unsaid` counts further lines that were not rendered at all.
    """
    return _join_fitting(lines, largest, language, "\n", "more.lines", unsaid)


def fit_list(items: Sequence[str], largest: int, language: str) -> str:
    """Join the first items that fit on one line, and a note of how many do not."""
    return _join_fitting(items, largest, language, render_wording(language, "between"), "more")


def _join_fitting(
    parts: Sequence[str], largest: int, language: str, between: str, more: str, unsaid: int = 0
) -> str:
    length = sum(map(len, parts)) + len(between) * len(parts)
    if not unsaid and length <= largest:
        return between.join(parts)
    shown_parts: list[str] = []
    room = largest - _COUNT_ROOM
    for part in parts:
        room -= len(part) + len(between)
        if room < 0:
            break
        shown_parts.append(part)
    count = render_wording(language, more, count=str(unsaid + len(parts) - len(shown_parts)))
    shown = between.join((*shown_parts, count))
    return shown if len(shown) <= largest else ""


_LONGEST_CARD_LINE = 200
_MOST_OPTIONS = 9


def render_guidance(cards: Sequence[GuidanceCard], language: str, largest: int) -> str:
    """Render the cards in at most `largest` characters."""
    lines = ["\n".join(_render_card(card, language)) for card in cards]
    if not lines:
        return render_wording(language, "guidance.none")
    return fit_lines(lines, largest, language)


def _render_card(card: GuidanceCard, language: str) -> Iterator[str]:
    why = quote(card.why, language, _LONGEST_CARD_LINE)
    if card.asked:
        asked = quote(card.asked, language, _LONGEST_CARD_LINE)
        yield render_wording(language, "refused", asked=asked, why=why)
    else:
        yield render_wording(language, "refused.plainly", why=why)
    if card.hint:
        yield render_wording(language, "hint", hint=quote(card.hint, language, _LONGEST_CARD_LINE))
    for number, option in enumerate(card.options[:_MOST_OPTIONS], start=1):
        shown = quote(option, language)
        yield render_wording(language, "option", number=str(number), option=shown)


_SCENE_SHARES = {"looks": 20, "exits": 25, "things": 30, "people": 12, "holding": 12}
"""The percentage of the space that each line may take."""
_LOCK_WORDS = {None: "closed", True: "locked", False: "unlocked"}
"""What is said of a closed thing, by what is known of its lock."""


def render_scene(mind: Mind, largest: int) -> str:
    """Render what the character perceives now, in at most `largest` characters."""
    if mind.place is None:
        return render_wording(mind.language, "nowhere")
    return fit_lines([*_render_scene_lines(mind, largest)], largest, mind.language)


def render_placed_entity(mind: Mind, thing: Belief, at: Id | None) -> str:
    """Render a thing and where it is: “key” in “drawer”.

    Only its name if that is unknown.
    """
    name = quote(thing.name, mind.language)
    if at is None:
        return name
    holder = mind.beliefs.get(at)
    lines = {"supporter": "at.on", "character": "at.held"}
    line = "at.place" if holder is None else lines.get(holder.kind, "at.in")
    line = "at.own" if at == mind.who else line
    named = quote(get_known_name(mind, at), mind.language)
    return render_wording(mind.language, line, name=name, holder=named)


def list_state_notes(mind: Mind, thing: Belief) -> list[str]:
    """List what is special about it: closed, locked if that is known, its state."""
    notes = []
    if thing.closed:
        notes.append(render_wording(mind.language, _LOCK_WORDS[thing.locked]))
    if thing.state and thing.state != DEFAULT_STATE:
        notes += [quote(each, mind.language, 30) for each in thing.state[:4]]
    return notes


def add_notes(mind: Mind, shown: str, notes: Iterable[str]) -> str:
    """Append notes in brackets."""
    joined = render_wording(mind.language, "notes.between").join(notes)
    return render_wording(mind.language, "noted", name=shown, notes=joined) if joined else shown


def _render_scene_lines(mind: Mind, largest: int) -> Iterator[str]:
    language = mind.language
    room = {part: largest * share // 100 - 30 for part, share in _SCENE_SHARES.items()}
    here = mind.places[mind.place or Id("")]
    yield render_wording(language, "place", place=quote(here.name, language))
    if here.description and here.description != here.name and room["looks"] > 0:
        looks = quote(here.description, language, room["looks"])
        yield render_wording(language, "place.looks", description=looks)
    ways = [_render_exit(mind, way) for way in here.exits]
    yield _render_list_line(mind, "exits", "ways", ways, room["exits"])
    yield _render_list_line(mind, "things", "things", _list_entities(mind), room["things"])
    people = [_render_entity(mind, e) for e in _list_visible(mind) if e.kind == "character"]
    yield _render_list_line(mind, "people", "people", people, room["people"])
    held = [
        add_notes(mind, quote(e.name, language), list_state_notes(mind, e))
        for e in _list_visible(mind)
        if e.place == mind.who
    ]
    yield _render_list_line(mind, "holding", "things", held, room["holding"])
    if mind.hour:
        yield render_wording(language, "hour", hour=quote(mind.hour, language))


def _render_list_line(mind: Mind, line: str, field: str, items: list[str], room: int) -> str:
    if not items:
        return render_wording(mind.language, f"{line}.none")
    shown = fit_list(items, room, mind.language)
    return render_wording(mind.language, line, **{field: shown})


def _list_visible(mind: Mind) -> list[Belief]:
    seen = (mind.beliefs[thing] for thing in mind.view)
    return sorted(seen, key=lambda each: (each.name, each.id))


def _list_entities(mind: Mind) -> list[str]:
    doors = {way.door for way in mind.places[mind.place or Id("")].exits}
    return [
        _render_entity(mind, each)
        for each in _list_visible(mind)
        if each.kind != "character" and each.place != mind.who and each.id not in doors
    ]


def _render_entity(mind: Mind, thing: Belief) -> str:
    at = None if thing.place == mind.place else thing.place
    return add_notes(mind, render_placed_entity(mind, thing, at), list_state_notes(mind, thing))


def _render_exit(mind: Mind, way: KnownExit) -> str:
    language = mind.language
    shown = render_wording(language, "way", place=quote(get_known_name(mind, way.to), language))
    if way.label:
        label = quote(way.label, language, 30)
        shown = render_wording(language, "way.label", label=label, place=shown)
    door = mind.beliefs.get(way.door) if way.door else None
    if door is not None:
        named = add_notes(mind, quote(door.name, language), list_state_notes(mind, door))
        shown = render_wording(language, "way.door", way=shown, door=named)
    return shown


_MOST_BELIEFS = 60
"""The most beliefs that are rendered; more never fit."""
_LONGEST_GOALS = 2000


def render_beliefs(mind: Mind, largest: int) -> str:
    """Render a line for each thing elsewhere and each rumour, then the known places."""
    language = mind.language
    places = sorted(place.name for place in mind.places.values())
    named = [quote(name, language) for name in places]
    row = render_wording(language, "places", places=fit_list(named, largest // 4, language))
    known = _list_absent_beliefs(mind)
    lines = [
        _render_rumour(mind, each) if isinstance(each, Rumour) else _render_belief(mind, each)
        for each in known[:_MOST_BELIEFS]
    ]
    room = largest - len(row) - 1
    if not lines:
        lines = [render_wording(language, "beliefs.none")]
    shown = fit_lines(lines, room, language, max(len(known) - _MOST_BELIEFS, 0))
    return f"{shown}\n{row}" if shown and places else shown


def _list_absent_beliefs(mind: Mind) -> list[Belief | Rumour]:
    """List everything that is elsewhere, what matters most first."""
    found: list[Belief | Rumour] = [
        belief
        for thing, belief in mind.beliefs.items()
        if thing not in mind.view and belief.kind != "fixture"
    ]
    wanted = fold_text(" ".join(mind.goals)[:_LONGEST_GOALS])

    def rank(each: Belief | Rumour) -> tuple[bool, int, str, str]:
        thing = each.id if isinstance(each, Belief) else ""
        return fold_text(each.name) not in wanted, -_get_turn(each), each.name, thing

    return sorted([*found, *mind.rumours], key=rank)


def _get_turn(each: Belief | Rumour) -> int:
    if isinstance(each, Belief) and each.how == "seen":
        return each.seen
    return each.since


def _render_belief(mind: Mind, belief: Belief) -> str:
    language, name = mind.language, quote(belief.name, mind.language)
    when = render_age(language, mind.turn - _get_turn(belief))
    if not belief.exists:
        return render_wording(language, "ended", name=name)
    if belief.how == "told":
        return _render_hearsay(mind, belief, when)
    if belief.how == "inferred" and belief.place is not None:
        place = quote(get_known_name(mind, belief.place), language)
        return render_wording(language, "saw.leave", name=name, place=place, ago=when)
    if belief.how == "inferred" and belief.seen_place is None:
        return render_wording(language, "gone", name=name)
    if belief.how == "inferred":
        where = render_placed_entity(mind, belief, belief.seen_place)
        return render_wording(language, "gone.from", where=where)
    where = add_notes(
        mind, _render_location(mind, belief, belief.place), list_state_notes(mind, belief)
    )
    return render_wording(language, "saw", where=where, ago=when)


def _render_hearsay(mind: Mind, belief: Belief, when: str) -> str:
    language, teller = mind.language, render_source(mind, belief.by)
    if belief.words:
        name, place = quote(belief.name, language), quote(belief.words, language)
        where = render_wording(language, "at.place", name=name, holder=place)
    else:
        where = _render_location(mind, belief, belief.place)
    notes = list_state_notes(mind, belief)
    if belief.kind in ("container", "door") and not belief.closed:
        notes.insert(0, render_wording(language, "told.open"))
    shown = add_notes(mind, where, notes)
    return render_wording(language, "told", teller=teller, ago=when, where=shown)


def _render_location(mind: Mind, belief: Belief, at: Id | None) -> str:
    """Render a thing, its holder, and where that is: “key” in “drawer” (“Kitchen”)."""
    holder = mind.beliefs.get(at) if at is not None else None
    shown = render_placed_entity(mind, belief, at)
    outer = holder.place if holder is not None else None
    if outer is None or outer == mind.who or outer not in mind.places:
        return shown
    return add_notes(mind, shown, [quote(get_known_name(mind, outer), mind.language)])


def _render_rumour(mind: Mind, rumour: Rumour) -> str:
    language = mind.language
    return render_wording(
        language,
        "rumour",
        teller=render_source(mind, rumour.by),
        ago=render_age(language, mind.turn - rumour.since),
        name=quote(rumour.name, language),
        place=quote(rumour.words, language),
    )


def render_source(mind: Mind, by: Id | None) -> str:
    """Render who said or did something, as far as the character knows."""
    named = get_known_name(mind, by)
    return quote(named, mind.language) if named else render_wording(mind.language, "somebody")
