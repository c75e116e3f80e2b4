"""Answers to a question that was asked back: the earlier claims, made complete.

Pure: whoever keeps the run decides whether the next words are offered here first.
"""

from typing import Any

from saniwa.turn.languages import en, ja
from saniwa.turn.mood import is_withheld
from saniwa.turn.naming import rank, said
from saniwa.turn.parse import parse
from saniwa.turn.spoken import blank, fold
from saniwa.turn.trace import Clarification, Option, Turn
from saniwa.world.action import ACTIONS
from saniwa.world.model import Entity, Id, Location, World

_ORDINALS = en.ORDINALS | {w.removesuffix("の"): n for w, n in ja.ORDINALS.items()}
_LONGEST_ANSWER = 200
_IN_LABEL = 4


def answer(question: Turn, text: str, world: World) -> tuple[Any, ...] | None:
    """The claims of the turn that asked, with the chosen option filled in.

    An option is chosen by its number, its id, its label, or words that name it and no
    other option ("the brass one"). Where something was left out, any other words that
    ask for nothing name it; where the question was what to say, they are said. None if
    the words answer nothing: then they are new words.
    """
    asked = question.clarification
    if asked is None or blank(text) or len(text) > _LONGEST_ANSWER:
        return None
    if asked.field == "content":
        return _said(question, text, world)
    chosen = _chosen(asked, text, world)
    if chosen is not None:
        return _completed(question, asked, {asked.field: chosen})
    if asked.code == "MISSING_REFERENCE" and _names(question, text, world):
        # Whatever it is, it is for the judge to say that it is not here.
        return _completed(
            question, asked, {asked.field.removesuffix("Id"): text.strip()}
        )
    return None


def _said(question: Turn, text: str, world: World) -> tuple[Any, ...] | None:
    if not _asks_nothing(question, text, world):
        return None
    return tuple(
        {**claim, "content": text} if claim == {"type": "speak"} else claim
        for claim in question.parsed_actions
    )


def _names(question: Turn, text: str, world: World) -> bool:
    """Whether the words can only be a name: they ask for nothing, and are no question."""
    heard = parse(text, question.actor_id, world)
    return all(c["type"] == "unrecognised" and not is_withheld(c) for c in heard)


def _asks_nothing(question: Turn, text: str, world: World) -> bool:
    heard = parse(text, question.actor_id, world)
    return all(claim["type"] == "unrecognised" for claim in heard)


def _chosen(asked: Clarification, text: str, world: World) -> Id | None:
    options = asked.options
    spoken = fold(text).strip(" .。、,!?#番")
    number = int(spoken) if spoken.isascii() and spoken.isdigit() else _nth(spoken)
    if 0 < number <= len(options):
        return options[number - 1].id
    exact = [o.id for o in options if spoken in (fold(o.id), fold(o.label))]
    if exact:
        return exact[0]
    named = _named(options, spoken, world)
    return named[0] if len(named) == 1 else None


def _nth(spoken: str) -> int:
    """2 for "the second one", 0 for words that count nothing."""
    phrase = said(spoken)
    counts = phrase.bare in en.ONE | {"もの", "やつ", "ほう", "方"}
    return phrase.number if counts else _ORDINALS.get(phrase.bare, 0)


def _named(options: tuple[Option, ...], spoken: str, world: World) -> list[Id]:
    phrase = said(spoken)
    ranked: dict[Id, int] = {}
    for option in options:
        thing = _thing(option.id, world)
        best = rank(phrase, thing) if thing is not None else None
        if best is None and phrase.bare in fold(option.label).split():
            best = _IN_LABEL
        if best is not None:
            ranked[option.id] = best
    return [i for i, r in ranked.items() if r == min(ranked.values())]


def _thing(named: Id, world: World) -> Entity | Location | None:
    return world.entities.get(named) or world.locations.get(named)


def _completed(
    question: Turn, asked: Clarification, answered: dict[str, str]
) -> tuple[Any, ...] | None:
    words = asked.field.removesuffix("Id")
    claims = list(question.parsed_actions)
    for index, claim in enumerate(claims):
        if isinstance(claim, dict) and _asks(claim, asked, words):
            rest = {k: v for k, v in claim.items() if k != words}
            claims[index] = rest | answered
            return tuple(claims)
    return None


def _asks(claim: dict[Any, Any], asked: Clarification, words: str) -> bool:
    """Whether this is the claim the question was about."""
    action = ACTIONS.get(claim["type"]) if isinstance(claim.get("type"), str) else None
    if action is None or f"{words}_id" not in action.roles or asked.field in claim:
        return False
    if asked.words:
        return claim.get(words) == asked.words
    return not str(claim.get(words) or "").strip()
