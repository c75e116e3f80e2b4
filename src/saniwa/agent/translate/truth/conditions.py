"""What a narration says things are: open, shut, locked."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from saniwa.agent.translate.truth.denial import ATTEMPTS, NOT_JA, words_in
from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.parts import Clause, Telling
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
_IT = re.compile(r"^\s*(?:and |then )?it\b")
_ONLY_JA = re.compile("ようと|つもり|なければ|たら|れば|ために")


def untrue_conditions(telling: Telling, facts: Facts) -> Iterator[Flag]:
    """A flag for each door or chest that is said to be what it is not."""
    last: Entity | None = None
    parts: list[Entity] = []
    read = _read_ja if facts.after.language == "ja" else _read_en
    for clause in telling.clauses:
        things = [thing for m in clause.mentions if (thing := _shuts(m.ids, facts))]
        last = things[0] if things else last
        parts = _parts_of(clause, facts) or (parts if _IT.match(clause.text) else [])
        meant_here = [last] if last else parts
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
    if not ATTEMPTS.isdisjoint(words):
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
            yield condition, not NOT_JA.match(behind), lasting


def _true(
    condition: _Condition, is_so: bool, lasting: bool, who: Id, facts: Facts
) -> bool:
    """So now; or so before, where this turn has changed it and no word says it lasts."""
    worlds = (facts.after,) if lasting else (facts.after, facts.before)
    return any(_is(condition, who, world) == is_so for world in worlds)


def _is(condition: _Condition, who: Id, world: World) -> bool:
    thing = world.entities.get(who)
    return thing is not None and condition.holds(thing)


def _flag(clause: Clause, message: str) -> Flag:
    return Flag(kind="contradiction", words=clause.text.strip()[:80], message=message)
