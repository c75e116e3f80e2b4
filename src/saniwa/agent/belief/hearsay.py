"""What a listener makes of statements: hearsay, kept apart from what was seen.

Words are understood by the listener's own names for things, never by the world's: what
it has never perceived it can only know by the name it was told. What is in view is never
overruled, and all that was said is remembered as said, believed or not.
"""

import msgspec

from saniwa.agent.belief.model import Belief, Rumour
from saniwa.agent.belief.notebook import Notebook
from saniwa.agent.belief.stated import STATES, Statement, statements
from saniwa.core.quoted import cut
from saniwa.turn.languages import en, ja
from saniwa.turn.naming import said, spellings
from saniwa.world.model import Id

_LONGEST_NAME = 80
_SPEAKER = frozenset({"i", "私", "わたし", "僕", "ぼく", "俺", "あたし", "自分"})
_POINTING = (
    frozenset({"you", "we", "here", "there", "あなた", "君", "ここ", "そこ", "あそこ"})
    | (en.THINGS | en.PEOPLE | en.HERE)
    | (ja.THINGS | ja.PEOPLE | ja.HERE)
)
"""Words that name nothing by themselves; what they mean is not guessed."""


def believe_statements(notes: Notebook, speech: str, by: Id | None) -> None:
    """Believe what the words plainly state of things that are not in view now."""
    for statement in statements(speech, notes.named):
        if _points(statement.thing) or _points(statement.where):
            continue
        thing = _meant(notes, statement.thing, by)
        if thing is None:
            _hear_of(notes, statement, by)
        elif thing in notes.beliefs and thing in notes.view:
            _believe_of_lock(notes, thing, statement)
        elif thing in notes.beliefs and thing != notes.who:
            _believe(notes, thing, statement, by)


def _points(words: str) -> bool:
    return said(words).bare in _POINTING


def _believe_of_lock(notes: Notebook, thing: Id, statement: Statement) -> None:
    """Of what is in view, eyes know all but whether it is locked."""
    facts = STATES.get(statement.state, {})
    shut = notes.beliefs[thing].closed
    if "locked" in facts and shut and facts.get("closed", shut):
        notes.feel_lock(thing, facts["locked"])


def _believe(notes: Notebook, thing: Id, statement: Statement, by: Id | None) -> None:
    known = notes.beliefs[thing]
    told = msgspec.structs.replace(known, how="told", since=notes.now, by=by)
    if statement.state:
        facts = STATES[statement.state]
        notes.hold(msgspec.structs.replace(told, **facts))
        return
    place = _meant(notes, statement.where, by)
    # Not what eyes disprove; though "in this room" may mean something shut in it.
    if place == thing or (place != notes.place and notes.shows(place)):
        return
    notes.hold(
        msgspec.structs.replace(
            told,
            place=place,
            words="" if place else _bare(statement.where),
            seen_place=_last_seen(known),
        )
    )


def _last_seen(known: Belief) -> Id | None:
    """Where it was seen, unless it has been missed there since."""
    if known.how == "inferred":
        return None
    return known.place if known.how == "seen" else known.seen_place


def _hear_of(notes: Notebook, statement: Statement, by: Id | None) -> None:
    """The name of something never seen, and where it is said to be."""
    bare = said(statement.thing).bare
    if statement.where and bare not in _SPEAKER and notes.named.get(bare) is None:
        where = _meant(notes, statement.where, by)
        words = _bare(statement.where)
        known = notes.beliefs.get(where) or notes.places.get(where) if where else None
        notes.hear_rumour(
            Rumour(
                name=_bare(statement.thing),
                words=known.name if known is not None else words,
                by=by,
                since=notes.now,
            )
        )


def _bare(words: str) -> str:
    return cut(said(words).bare, _LONGEST_NAME)


def _meant(notes: Notebook, words: str, by: Id | None) -> Id | None:
    """The one thing, person or place the listener knows by these words."""
    phrase = said(words)
    if phrase.bare in _SPEAKER:
        return by
    found = {thing for name in spellings(phrase) for thing in notes.named.get(name, ())}
    return next(iter(found)) if len(found) == 1 else None
