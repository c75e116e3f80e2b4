"""Whose hands a narration says things are in, or on."""

import re
from collections.abc import Iterator

from saniwa.agent.translate.truth.denial import ATTEMPTS, NOT_JA, words_in
from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.parts import Clause, Telling, meant
from saniwa.agent.translate.truth.words import en
from saniwa.turn.trace import Flag
from saniwa.world.model import Id, World

_HOLD = re.compile(
    r"\b(?:hold|holds|holding|carry|carries|carrying|clutch|clutches|clutching|grip|grips"
    r"|gripping|grasp|grasps|has|have)\b"
)
_OFFERED = re.compile(r"\b(?:hold|holds|holding) (?:out|up)\b")
_OTHERS = re.compile(
    r"^\s*(?:and )?(?:he|she|they)\b|\b(?:his|her|their) (?:hand|palm|g)"
)
_WORN = re.compile(r"\b(?:(?:puts?|slips?|pulls?) on|wears?|dons?)(?: the| your| a)? $")
_IN_HAND = re.compile(
    r"\bin (?:your|his|her|their) (?:hand|hands|pocket|palm|grip|fist|grasp)"
)
_HOLD_JA = re.compile(
    "を(?:はめて|着けて|かぶって|まとって)|を(?:手に)?(?:持って|握って|握りしめて|抱えて|携えて|手にして)い?|を所持して"
)
_IN_HAND_JA = re.compile("手(?:の中)?には?|手元には?")


def untrue_holdings(telling: Telling, facts: Facts) -> Iterator[Flag]:
    """A flag for each thing that is said to be in hands it is not in."""
    japanese = facts.after.language == "ja"
    for clause in telling.clauses:
        things = [t for m in clause.mentions if (t := meant(m, facts)) and t.takeable]
        told = _held_ja(clause) if japanese else _held_en(clause)
        if told is None or not things or clause.so:
            continue
        holders = _holders(clause, facts)
        # Who holds something out had it before; whoever takes it has it after.
        worlds = facts.worlds if _OFFERED.search(clause.text) else facts.worlds[-2:]
        for thing in things:
            held = any(_holds(w, who, thing.id) for w in worlds for who in holders)
            if held != told:
                yield _flag(clause, f"{thing.name!r} is in other hands, or in none")


def _held_en(clause: Clause) -> bool | None:
    """Whether it says that something is held, is not, or nothing about that."""
    words = words_in(clause.text)
    if not ATTEMPTS.isdisjoint(words):
        return None
    if any(_WORN.search(clause.text[: mention.start]) for mention in clause.mentions):
        return en.NEGATIONS.isdisjoint(words)
    found = _HOLD.search(clause.text)
    if found and found.group() in ("has", "have"):
        # Only what follows at once is had; much is had done.
        behind = clause.text[found.end() :]
        ahead = [
            m.start - found.end() for m in clause.mentions if m.start >= found.end()
        ]
        near = bool(ahead) and behind[: min(ahead)].strip() in ("", "the", "a", "an")
        found = found if near else None
    if found is None and not _IN_HAND.search(clause.text):
        return None
    return en.NEGATIONS.isdisjoint(words)


def _held_ja(clause: Clause) -> bool | None:
    found = _HOLD_JA.search(clause.text)
    if found is None:
        there = _IN_HAND_JA.search(clause.text) and "ある" in clause.text
        return True if there else None
    return not NOT_JA.match(clause.text[found.end() :])


def _holders(clause: Clause, facts: Facts) -> tuple[Id, ...]:
    """Whoever may be meant to hold it: who is named, whoever else is here, the viewer."""
    for mention in clause.mentions:
        who = meant(mention, facts)
        if who is not None and who.kind == "character":
            return (who.id,)
    if _OTHERS.search(clause.text):
        return tuple(who for who in facts.after.cast if who != facts.viewer)
    return (facts.viewer,)


def _holds(world: World, who: Id, thing: Id) -> bool:
    found = world.entities.get(thing)
    return found is not None and found.place == who


def _flag(clause: Clause, message: str) -> Flag:
    return Flag(kind="contradiction", words=clause.text.strip()[:80], message=message)
