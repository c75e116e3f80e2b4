"""What a character believes of things it does not see now.

What its goals name comes first, then the latest.
"""

from saniwa.agent.belief.model import Belief, Mind, Rumour, known_name
from saniwa.agent.character.fitting import fitted, listed
from saniwa.agent.character.standing import note_state, noted, place_thing
from saniwa.agent.character.wording import ago, word
from saniwa.agent.quotation import quote
from saniwa.turn.spoken import fold
from saniwa.world.model import Id

_MOST = 60
"""Beliefs put into words; no room is large enough for more."""
_LONGEST_GOALS = 2000


def tell_beliefs(mind: Mind, largest: int) -> str:
    """One line for each thing elsewhere, for what was heard of, and the places known."""
    tongue = mind.language
    places = sorted(place.name for place in mind.places.values())
    named = [quote(name, tongue) for name in places]
    row = word(tongue, "places", places=listed(named, largest // 4, tongue))
    known = _known(mind)
    lines = [_line(mind, each) for each in known[:_MOST]]
    room = largest - len(row) - 1
    if not lines:
        lines = [word(tongue, "beliefs.none")]
    shown = fitted(lines, room, tongue, max(len(known) - _MOST, 0))
    return f"{shown}\n{row}" if shown and places else shown


def _known(mind: Mind) -> list[Belief | Rumour]:
    """Everything elsewhere, what matters most first."""
    found: list[Belief | Rumour] = [
        belief
        for thing, belief in mind.beliefs.items()
        if thing not in mind.view and belief.kind != "fixture"
    ]
    wanted = fold(" ".join(mind.goals)[:_LONGEST_GOALS])

    def rank(each: Belief | Rumour) -> tuple[bool, int, str, str]:
        thing = each.id if isinstance(each, Belief) else ""
        return fold(each.name) not in wanted, -_when(each), each.name, thing

    return sorted([*found, *mind.rumours], key=rank)


def _line(mind: Mind, each: Belief | Rumour) -> str:
    return _rumour(mind, each) if isinstance(each, Rumour) else _believed(mind, each)


def _when(each: Belief | Rumour) -> int:
    if isinstance(each, Belief) and each.how == "seen":
        return each.seen
    return each.since


def _believed(mind: Mind, belief: Belief) -> str:
    tongue, name = mind.language, quote(belief.name, mind.language)
    when = ago(tongue, mind.turn - _when(belief))
    if not belief.exists:
        return word(tongue, "ended", name=name)
    if belief.how == "told":
        return _told(mind, belief, when)
    if belief.how == "inferred" and belief.place is not None:
        place = quote(known_name(mind, belief.place), tongue)
        return word(tongue, "saw.leave", name=name, place=place, ago=when)
    if belief.how == "inferred":
        return _gone(mind, belief, name)
    where = noted(mind, _where(mind, belief, belief.place), note_state(mind, belief))
    return word(tongue, "saw", where=where, ago=when)


def _gone(mind: Mind, belief: Belief, name: str) -> str:
    if belief.seen_place is None:
        return word(mind.language, "gone", name=name)
    where = place_thing(mind, belief, belief.seen_place)
    return word(mind.language, "gone.from", where=where)


def _told(mind: Mind, belief: Belief, when: str) -> str:
    tongue, teller = mind.language, _teller(mind, belief.by)
    if belief.words:
        name, said = quote(belief.name, tongue), quote(belief.words, tongue)
        where = word(tongue, "at.place", name=name, holder=said)
    else:
        where = _where(mind, belief, belief.place)
    notes = note_state(mind, belief)
    if belief.kind in ("container", "door") and not belief.closed:
        notes.insert(0, word(tongue, "told.open"))
    shown = noted(mind, where, notes)
    return word(tongue, "told", teller=teller, ago=when, where=shown)


def _where(mind: Mind, belief: Belief, at: Id | None) -> str:
    """The thing in what it is in, and where that is: “key” in “drawer” (“Kitchen”)."""
    holder = mind.beliefs.get(at) if at is not None else None
    shown = place_thing(mind, belief, at)
    outer = holder.place if holder is not None else None
    if outer is None or outer == mind.who or outer not in mind.places:
        return shown
    return noted(mind, shown, [quote(known_name(mind, outer), mind.language)])


def _rumour(mind: Mind, rumour: Rumour) -> str:
    tongue = mind.language
    return word(
        tongue,
        "rumour",
        teller=_teller(mind, rumour.by),
        ago=ago(tongue, mind.turn - rumour.since),
        name=quote(rumour.name, tongue),
        place=quote(rumour.words, tongue),
    )


def _teller(mind: Mind, by: Id | None) -> str:
    named = known_name(mind, by)
    return quote(named, mind.language) if named else word(mind.language, "somebody")
