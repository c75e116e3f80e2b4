"""Deeds a narration tells as done that were refused, or never tried.

Each clause is stripped of who acts and read by the phrase parser, as if that person had
said it; what comes out must be among what happened.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from saniwa.agent.translate.truth.denial import denied
from saniwa.agent.translate.truth.done import ToldDeed, happened, other_part
from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.parts import Clause, Telling, meant
from saniwa.agent.translate.truth.words import en, ja
from saniwa.core.quoted import quoted
from saniwa.turn.normalise import Understood, normalise
from saniwa.turn.parse import parse
from saniwa.turn.trace import Clarification, Flag, Words
from saniwa.world import action as act
from saniwa.world.model import Id

_QUIET: Final = frozenset(
    {"look", "inspect", "wait", "speak", "describe", "unrecognised"}
)
"""What changes nothing; speech is looked at for itself."""
_ABOUT_THINGS: Final = frozenset(
    {"open", "close", "lock", "unlock", "eat", "give", "move", "drop"}
)
"""What is a deed though nobody knows what it was done to; idioms take and use much."""
_YOU = re.compile(r"\b(?:you|i|we)(?:'ve| have| had| then| now| both)*\s+")
_OTHER = re.compile(r"\b(?:he|she|they)(?:'ve| have| has| had| then| now)*\s+")
_YOU_JA = re.compile("^(?:あなた|私|わたし|僕|君)(?:は|が|も)")
_OPENING = re.compile(r"^\s*(?:and\s+|then\s+|finally\s+|[a-z]+ly\s+)*")
_STATES: Final = frozenset({"lock", "close", "unlock", "open", "shut"})
"""What is left of a lone "Locked." once it is put into the present."""
_STATE_JA = re.compile("が(?:入って|並んで|見え)|閉ざして")
_ADJECTIVE = re.compile(r"\b(the|a|an|your) (open|closed|locked|unlocked|heavy) (?=\w)")
_SETTING: Final = en.PREPOSITIONS | en.DETERMINERS
"""A clause that begins so sets the scene and has no verb of its own in front."""


def untrue_deeds(telling: Telling, facts: Facts) -> Iterator[Flag]:
    """A flag for each deed that did not happen."""
    last: tuple[Id, ...] = (facts.viewer,)
    for clause in telling.clauses:
        actors, rest = _parted(clause, facts, last)
        rest = _ADJECTIVE.sub(partial(_plainer, clause), rest)
        last = actors
        if clause.so or denied(clause.text, facts.after.language):
            continue
        for deed in _told(actors, rest, facts):
            if not happened(deed, facts) and not _only_tried(deed, clause, facts):
                yield Flag(
                    kind="contradiction",
                    words=clause.text.strip()[:80],
                    message=f"nobody did this: {quoted(deed.words)}",
                )


def _plainer(clause: Clause, found: re.Match[str]) -> str:
    """An article without the adjective behind it, unless that is part of a name."""
    named = any(f"{found[2]} " in f"{m.name} " for m in clause.mentions)
    return found[0] if named else f"{found[1]} "


def _parted(
    clause: Clause, facts: Facts, last: tuple[Id, ...]
) -> tuple[tuple[Id, ...], str]:
    """Who acts in the clause, and what is left of it without them."""
    text = clause.text
    if facts.after.language == "ja":
        return _parted_ja(clause, facts, last)
    for mention in clause.mentions:
        who = meant(mention, facts)
        before = text[: mention.start].removesuffix("the ").strip()
        if who is not None and who.kind == "character" and not before:
            return (who.id,), text[mention.end :]
    you, other = _YOU.search(text), _OTHER.search(text)
    if you and not (other and other.start() < you.start()):
        return (facts.viewer,), text[you.end() :]
    if other:
        others = tuple(w for w in facts.after.cast if w != facts.viewer)
        return others, text[other.end() :]
    return last, text


def _parted_ja(
    clause: Clause, facts: Facts, last: tuple[Id, ...]
) -> tuple[tuple[Id, ...], str]:
    text = clause.text.strip()
    lead = len(clause.text) - len(clause.text.lstrip())
    for mention in clause.mentions:
        who = meant(mention, facts)
        after = clause.text[mention.end : mention.end + 1]
        if who is None or who.kind != "character" or after not in ("は", "が", "も"):
            continue
        if mention.start == lead:
            return (who.id,), clause.text[mention.end + 1 :]
    found = _YOU_JA.match(text)
    if found:
        return (facts.viewer,), text[found.end() :]
    return last, text


def _told(actors: tuple[Id, ...], rest: str, facts: Facts) -> Iterator[ToldDeed]:
    """The deeds in the words, as the phrase parser hears them."""
    words = _in_the_present(_OPENING.sub("", rest)).strip()
    first = words.split(" ")[0]
    if first in _SETTING or first in en.NOTICING or _only_state(words):
        return
    # Anybody could have done it: the viewer's eyes are enough to know what is meant.
    reader = actors[0] if actors else facts.viewer
    for claim in parse(words, reader, facts.before):
        kind = claim["type"]
        if kind not in _QUIET:
            yield from _resolved(claim, kind, actors, reader, words, facts)


def _only_state(words: str) -> bool:
    """Whether they say how a thing is, not what was done to it."""
    return words in _STATES or bool(_STATE_JA.search(words))


def _in_the_present(words: str) -> str:
    """The words with verbs in the form people ask in."""
    for form, asked in ja.ASKED.items():
        words = words.replace(form, asked)
    parts = re.split(r"(\band\b|\bthen\b)", words)
    for place, part in enumerate(parts):
        bare = part.strip()
        first = bare.split(" ")[0]
        if first in en.PAST:
            parts[place] = f" {en.PAST[first]}{bare[len(first) :]} "
        if first in en.GESTURES and place + 2 < len(parts):
            parts[place] = parts[place + 1] = ""
        taking = next((t for t in en.TAKING if bare.startswith(f"{t} ")), "")
        if taking:
            parts[place] = f" take{bare[len(taking) :]} "
    return "".join(parts)


def _resolved(
    claim: dict[str, object],
    kind: str,
    actors: tuple[Id, ...],
    reader: Id,
    words: str,
    facts: Facts,
) -> Iterator[ToldDeed]:
    spoken = Words(actor_id=reader, text="", mentioned=_mentioned(facts))
    for world in (facts.before, facts.after):
        found = normalise(claim, 0, spoken, world)
        if isinstance(found, Clarification) and found.field == "targetId":
            options = tuple(option.id for option in found.options)
            if options:
                yield ToldDeed(actors, kind, options, words)
                return
        if isinstance(found, Understood):
            target = Id(getattr(found.action, "target_id", None) or "")
            if facts.thing(target) is not None:
                name, other = act.type_of(found.action), other_part(found.action)
                yield ToldDeed(actors, name, (target,), words, other)
                return
    if kind == "drop" and words.endswith(" behind"):
        return  # One leaves a place behind, too.
    # In Japanese a sound is "put up" too.
    if kind in _ABOUT_THINGS or (kind == "put" and facts.after.language == "en"):
        yield ToldDeed(actors, kind, (), words)


def _mentioned(facts: Facts) -> tuple[Id, ...]:
    named = [
        getattr(action, role)
        for action in reversed(facts.turn.normalized_actions)
        for role in action.roles
    ]
    return tuple(dict.fromkeys(name for name in named if name is not None))[:8]


def _only_tried(deed: ToldDeed, clause: Clause, facts: Facts) -> bool:
    """Whether the sentence goes on to say that what was refused came to nothing."""
    approached = deed.kind == "move" and not deed.targets and facts.came_to_nothing
    tried = approached or not facts.refused.isdisjoint(deed.targets)
    language = facts.after.language
    return tried and (denied(clause.sentence, language) or "but " in clause.sentence)
