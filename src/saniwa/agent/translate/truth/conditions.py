"""What a narration says things are: open, shut, locked, held, somewhere."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from saniwa.agent.translate.truth.denial import words_in
from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.parts import Clause, Telling, meant
from saniwa.agent.translate.truth.words import en
from saniwa.turn.trace import Flag
from saniwa.world.model import Entity, Id, World


class _Condition(NamedTuple):
    """A word for a condition, in both languages, and when it is so."""

    name: str
    english: frozenset[str]
    japanese: re.Pattern[str]
    holds: Callable[[Entity], bool]


_CONDITIONS = (
    _Condition(
        "locked",
        frozenset({"locked", "locks", "bolted"}),
        re.compile("鍵が?(?:は|も)?(?:かかっ|掛かっ)て|施錠され|ロックされ"),
        lambda thing: thing.locked,
    ),
    _Condition(
        "unlocked",
        frozenset({"unlocked", "unlocks", "unlock"}),
        re.compile("鍵(?:が|は)(?:開い|外れ)|解錠され"),
        lambda thing: not thing.locked,
    ),
    _Condition(
        "open",
        frozenset({"open", "opens", "opened", "ajar"}),
        re.compile("(?<!鍵[がは])開い(?:て|た)|開け放|全開|開かれ"),
        lambda thing: thing.open,
    ),
    _Condition(
        "closed",
        frozenset({"closed", "closes", "shut", "shuts", "slams", "slammed"}),
        re.compile("閉ま(?:っ|り)|閉じ(?:て|た|ら)|閉ざ(?:され|して)"),
        lambda thing: not thing.open,
    ),
)
_LASTING = frozenset(
    {"is", "are", "stands", "now", "still", "remains", "remain", "stays"}
)
_ATTEMPT = en.DENIALS - en.NEGATIONS
_NOT_JA = re.compile("て?(?:は|も)?い?(?:ない|ません|なかった|なく)")
_ONLY_JA = re.compile("ようと|つもり|なければ|たら|れば|ために")


def untrue_conditions(telling: Telling, facts: Facts) -> Iterator[Flag]:
    """A flag for each door or chest that is said to be what it is not."""
    last: Entity | None = None
    read = _read_ja if facts.after.language == "ja" else _read_en
    for clause in telling.clauses:
        things = [thing for m in clause.mentions if (thing := _shuts(m.ids, facts))]
        last = things[0] if things else last
        meant_here = [last] if last else _parts_of(clause, facts)
        if not meant_here or clause.so:
            continue
        for condition, is_so, lasting in read(clause):
            if not any(
                _true(condition, is_so, lasting, thing.id, facts)
                for thing in meant_here
            ):
                name = meant_here[0].name
                yield _flag(clause, f"{name!r} is not so: {condition.name}")


def _parts_of(clause: Clause, facts: Facts) -> list[Entity]:
    """Everything in view that may have the lid or the lock that is spoken of."""
    if (en.DOOR_PARTS | {"lid"}).isdisjoint(words_in(clause.text)):
        return []
    seen = (_shuts((who,), facts) for who in sorted(facts.perceived))
    return [thing for thing in seen if thing is not None]


def _shuts(ids: tuple[Id, ...], facts: Facts) -> Entity | None:
    for who in ids:
        found = facts.thing(who)
        if isinstance(found, Entity) and (found.openable or found.lockable):
            return found if who in facts.perceived else None
    return None


def _read_en(clause: Clause) -> Iterator[tuple[_Condition, bool, bool]]:
    words = words_in(clause.text)
    if not _ATTEMPT.isdisjoint(words):
        return
    lasting = not _LASTING.isdisjoint(words)
    for place, word in enumerate(words):
        around = words[max(0, place - 3) : place]
        for condition in _CONDITIONS:
            if word in condition.english:
                yield condition, en.NEGATIONS.isdisjoint(around), lasting


def _read_ja(clause: Clause) -> Iterator[tuple[_Condition, bool, bool]]:
    if _ONLY_JA.search(clause.text):
        return
    for condition in _CONDITIONS:
        found = condition.japanese.search(clause.text)
        if found:
            behind = clause.text[found.end() :]
            lasting = "いる" in behind or "まま" in behind
            yield condition, not _NOT_JA.match(behind), lasting


def _true(
    condition: _Condition, is_so: bool, lasting: bool, who: Id, facts: Facts
) -> bool:
    """So now; or so before, where this turn has changed it and no word says it lasts."""
    worlds = (facts.after,) if lasting else (facts.after, facts.before)
    return any(_is(condition, who, world) == is_so for world in worlds)


def _is(condition: _Condition, who: Id, world: World) -> bool:
    thing = world.entities.get(who)
    return thing is not None and condition.holds(thing)


_HOLD = re.compile(
    r"\b(?:hold|holds|holding|carry|carries|carrying|clutch|clutches|clutching|grip|grips"
    r"|gripping|grasp|grasps|has|have)\b"
)
_OFFERED = re.compile(r"\b(?:hold|holds|holding) (?:out|up)\b")
_WORN = re.compile(r"\b(?:(?:puts?|slips?|pulls?) on|wears?|dons?)(?: the| your| a)? $")
_IN_HAND = re.compile(
    r"\bin (?:your|his|her|their) (?:hand|hands|pocket|palm|grip|fist|grasp)"
)
_HOLD_JA = re.compile(
    "を(?:手に)?(?:持って|握って|握りしめて|抱えて|携えて|手にして)い?|を所持して"
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
        holder = _holder(clause, facts)
        # Who holds something out had it before; whoever takes it has it after.
        worlds = facts.worlds if _OFFERED.search(clause.text) else facts.worlds[-2:]
        for thing in things:
            held = any(_holds(world, holder, thing.id) for world in worlds)
            if held != told:
                yield _flag(clause, f"{thing.name!r} is in other hands, or in none")


def _held_en(clause: Clause) -> bool | None:
    """Whether it says that something is held, is not, or nothing about that."""
    words = words_in(clause.text)
    if not _ATTEMPT.isdisjoint(words):
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
    return not _NOT_JA.match(clause.text[found.end() :])


def _holder(clause: Clause, facts: Facts) -> Id:
    for mention in clause.mentions:
        who = meant(mention, facts)
        if who is not None and who.kind == "character":
            return who.id
    return facts.viewer


def _holds(world: World, who: Id, thing: Id) -> bool:
    found = world.entities.get(thing)
    return found is not None and found.place == who


def _flag(clause: Clause, message: str) -> Flag:
    return Flag(kind="contradiction", words=clause.text.strip()[:80], message=message)
