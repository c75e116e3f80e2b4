"""What else must not be made up: speech, endings, ruin, and success where there was none."""

import re
from collections.abc import Iterator

from saniwa.agent.translate.truth.denial import denied, words_in
from saniwa.agent.translate.truth.facts import Facts, flat
from saniwa.agent.translate.truth.parts import Clause, Telling, meant
from saniwa.agent.translate.truth.words import en, ja
from saniwa.core.quoted import quoted
from saniwa.turn.trace import Flag
from saniwa.world.action import Speak
from saniwa.world.model import Id
from saniwa.world.view import goal_reached

_VERB = re.compile(rf"\b(?:{'|'.join(sorted(en.SPEECH | en.GREETING))})\b")
_YOU, _THEY = frozenset({"you", "i", "we"}), frozenset({"he", "she", "they"})
_PUNCTUATION = " \t\n.,;:!?…、。！？"
_SHUT = (
    "locked", "blocked", "closed", "shut", "鍵がかか", "開かな", "閉ざ", "閉ま", "閉じ",
)  # fmt: skip
"""Words that tell of a refusal without denying anything."""


def made_up(telling: Telling, facts: Facts) -> Iterator[Flag]:
    """A flag for each thing said, ended or ruined that was not."""
    yield from _quoted(telling, facts)
    for clause in telling.clauses:
        if clause.so or denied(clause.text, facts.after.language):
            continue
        yield from _spoke(clause, facts)
        yield from _ruined(clause, facts)
    yield from _ended(telling, facts)
    yield from _succeeded(telling, facts)
    yield from _failed(telling, facts)


def _quoted(telling: Telling, facts: Facts) -> Iterator[Flag]:
    for quote in telling.quotes:
        words = flat(quote).strip(_PUNCTUATION)
        if words and words not in facts.corpus:
            yield _flag(quote, f"nobody said {quoted(quote)}")


def _spoke(clause: Clause, facts: Facts) -> Iterator[Flag]:
    if facts.after.language == "ja":
        told = any(word in clause.text for word in ja.SPEECH)
    else:
        words = words_in(clause.text)
        told = not en.SPEECH.isdisjoint(words)
        people = any(mention.person for mention in clause.mentions)
        told = told or (people and not en.GREETING.isdisjoint(words))
        told = told and not _met(words, facts)
    if told and not _speakers(clause, facts) & _spoken(facts):
        yield _flag(clause.text, "nobody said anything here")


def _met(words: list[str], facts: Facts) -> bool:
    """Whether each word for speech is one the viewer has met: a kettle sings."""
    looks = frozenset(words_in(facts.looks))
    return en.SPEECH.intersection(words) <= looks


def _speakers(clause: Clause, facts: Facts) -> set[Id]:
    """Whoever is meant to speak: the subject before the verb, else whoever is named."""
    verb = _VERB.search(clause.text)
    head = clause.text[: verb.start()] if verb else ""
    words = frozenset(words_in(head))
    named = _people(clause, len(head), facts)
    if named:
        return named
    if words & _YOU:
        return {facts.viewer}
    if words & _THEY:
        return {who for who in facts.after.cast if who != facts.viewer}
    return _people(clause, len(clause.text), facts) or {facts.viewer}


def _people(clause: Clause, end: int, facts: Facts) -> set[Id]:
    """The people who are named before the place."""
    people = (meant(m, facts) for m in clause.mentions if m.person and m.start < end)
    return {who.id for who in people if who is not None}


def _spoken(facts: Facts) -> set[Id]:
    applied = facts.turn.applied_actions
    return {action.actor_id for action in applied if isinstance(action, Speak)}


def _ruined(clause: Clause, facts: Facts) -> Iterator[Flag]:
    if facts.after.language == "ja":
        told = [word for word in ja.RUIN if word in clause.text]
    else:
        told = [word for word in words_in(clause.text) if word in en.RUIN]
    eaten = any(
        who not in facts.after.entities for m in clause.mentions for who in m.ids
    )
    for word in told:
        if word not in facts.corpus and not (eaten and word in en.GONE):
            yield _flag(clause.text, f"the world knows nothing of this: {word!r}")


def _ended(telling: Telling, facts: Facts) -> Iterator[Flag]:
    if goal_reached(facts.after):
        return
    endings = ja.GOAL if facts.after.language == "ja" else en.GOAL
    for words in endings:
        if words in telling.low:
            yield _flag(words, "the story has not ended")


def _succeeded(telling: Telling, facts: Facts) -> Iterator[Flag]:
    """A turn that came to nothing must be told as one."""
    language = facts.after.language
    if not facts.came_to_nothing or denied(telling.low, language):
        return
    if not any(word in telling.low for word in _SHUT):
        yield _flag(telling.text.strip(), "nothing happened, and this does not say so")


def _failed(telling: Telling, facts: Facts) -> Iterator[Flag]:
    """What was done must not be told as refused, where nothing was refused."""
    if facts.came_to_nothing or facts.anything_refused:
        return
    for clause in telling.clauses:
        named = {who for mention in clause.mentions for who in mention.ids}
        if clause.so or facts.took_part.isdisjoint(named):
            continue
        if not en.REFUSALS.isdisjoint(words_in(clause.text)):
            yield _flag(clause.text, "nothing was refused")


def _flag(words: str, message: str) -> Flag:
    return Flag(kind="contradiction", words=words.strip()[:80], message=message)
