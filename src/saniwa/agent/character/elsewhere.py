"""What a character believes of things it does not see now, the latest first."""

from collections.abc import Iterator

from saniwa.agent.belief.model import Belief, Mind, Rumour, known_name
from saniwa.agent.character.fitting import fitted, listed
from saniwa.agent.character.quotation import quote
from saniwa.agent.character.standing import note_state, noted, place_thing
from saniwa.agent.character.wording import ago, word
from saniwa.world.model import Id


def tell_beliefs(mind: Mind, largest: int) -> str:
    """One line for each thing elsewhere, for what was heard of, and the places known."""
    tongue = mind.language
    places = sorted(quote(p.name, tongue) for p in mind.places.values())
    row = word(tongue, "places", places=listed(places, largest // 4, tongue))
    lines = [*_lines(mind)] or [word(tongue, "beliefs.none")]
    shown = fitted(lines, largest - len(row) - 1, tongue)
    return f"{shown}\n{row}" if shown and places else shown


def _lines(mind: Mind) -> Iterator[str]:
    absent = [
        belief
        for thing, belief in mind.beliefs.items()
        if thing not in mind.view and belief.kind != "fixture"
    ]
    found: list[tuple[int, str, str, str]] = [
        (-_when(b), b.name, b.id, _believed(mind, b)) for b in absent
    ]
    found += [(-r.since, r.name, "", _rumour(mind, r)) for r in mind.rumours]
    return (line for *_, line in sorted(found))


def _when(belief: Belief) -> int:
    return belief.seen if belief.how == "seen" else belief.since


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
