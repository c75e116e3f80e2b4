"""What "all" stands for when its turn comes: one claim for each thing.

Pure: a claim goes in, the claims it stands for come out. Nothing is judged here, and a
claim about anything else comes back as it is.
"""

import re
from functools import lru_cache
from typing import Any

from saniwa.turn.languages import en, ja
from saniwa.turn.mood import report_leftover
from saniwa.turn.naming import ALIAS, EXACT, rank, said
from saniwa.turn.refer import Several, Sought, refer
from saniwa.turn.rough import names_of, plain, unrecognised
from saniwa.turn.trace import Words
from saniwa.world.model import Entity, Id, World
from saniwa.world.view import scope

ALL = en.ALL | ja.ALL
"""Every word for "all"."""
_OTHER = {"take": "source", "put": "destination", "give": "recipient"}
"""The role that is not spread, for each verb that has one."""
_SPREAD = frozenset((*_OTHER, "drop"))


_ALL_BUT = re.compile(
    rf"(?:{'|'.join(sorted(en.ALL, key=len, reverse=True))}) "
    rf"(?:{'|'.join(en.EXCEPTIONS)}) (.+)"
)
_ALL_BUT_JA = re.compile(rf"(.+)以外(?:の(?:もの|物)?)?(?:{'|'.join(sorted(ja.ALL))})")
_AND = re.compile(r",| and | & | plus |、|と(?=.)")


def means_all(claim: object) -> bool:
    """Whether the claim says "all" where others name a thing."""
    if not isinstance(claim, dict):
        return False
    target, kind = claim.get("target"), claim.get("type")
    if not isinstance(target, str) or not isinstance(kind, str):
        return False
    return kind in _SPREAD and find_exceptions(target) is not None


@lru_cache(maxsize=256)
def find_exceptions(target: str) -> str | None:
    """The names left out of "all but the key", 鍵以外全部; None where no "all" is said."""
    bare = plain(target)
    if bare in ALL:
        return ""
    found = _ALL_BUT.fullmatch(bare) or _ALL_BUT_JA.fullmatch(bare)
    return None if found is None else found[1].strip()


def spread(claim: object, words: Words, world: World) -> tuple[object, ...]:
    """The claims this one stands for now: one for each thing, in order of id."""
    # Most claims name one thing, by id or in words: they should not wait here.
    if not isinstance(claim, dict) or "target" not in claim or not means_all(claim):
        return (claim,)
    around = [world.entities[e] for e in scope(world, words.actor_id)
              if e in world.entities]  # fmt: skip
    if any(plain(claim["target"]) in names_of(e) for e in around):
        return (claim,)
    names = find_exceptions(claim["target"])
    if not names:
        return _each(claim, around, words, world)
    left_out = _named(names, around, words, world)
    for name in () if left_out else map(str.strip, _AND.split(names)):
        named = _named(name, around, words, world)
        if not named:
            return (report_leftover(claim["target"], name),)
        left_out |= named
    return _each(claim, [e for e in around if e.id not in left_out], words, world)


def _named(name: str, around: list[Entity], words: Words, world: World) -> set[Id]:
    """Everything that a name to be left out could mean; nothing for a strange name."""
    phrase = said(name)
    ranks = {e.id: place for e in around if (place := rank(phrase, e)) is not None}
    whole = {i for i, place in ranks.items() if place in (EXACT, ALIAS)}
    if ranks:
        return whole or set(ranks)
    found = refer(Sought(name, "take", "target_id"), words, world)
    ids = set(found.ids) if isinstance(found, Several) else {found.id}
    return {i for i in ids if i in world.entities}


def _each(
    claim: dict[Any, Any], around: list[Entity], words: Words, world: World
) -> tuple[object, ...]:
    kind, me = claim["type"], words.actor_id
    other = _other(claim, words, world)
    if kind == "take":
        loose = [e for e in around if e.takeable]
        things = (
            [e for e in loose if e.place == other]
            if other
            else [e for e in loose if not _held(e, world)]
        )
    else:
        things = [e for e in around if e.place == me and e.id != other]
    if not things:
        where = " there" if kind == "take" and other is not None else ""
        return (unrecognised(claim["target"], f"nothing to {kind}{where}"),)
    rest = {key: value for key, value in claim.items() if key != "target"}
    return tuple({"type": kind, "targetId": e.id} | rest for e in things)


def _other(claim: dict[Any, Any], words: Words, world: World) -> Id | None:
    """What the things are in, or should go to, where that was said and is clear."""
    role = _OTHER.get(claim["type"], "")
    for key in (f"{role}Id", f"{role}_id"):
        if isinstance(claim.get(key), str):
            return Id(claim[key])
    spoken = claim.get(role)
    if not isinstance(spoken, str):
        return None
    found = refer(Sought(spoken, claim["type"], f"{role}_id"), words, world)
    return None if isinstance(found, Several) else found.id


def _held(thing: Entity, world: World) -> bool:
    """Whether somebody has it, in hand or in something in hand."""
    here = world.entities.get(thing.place) if thing.place else None
    while here is not None and here.kind != "character":
        here = world.entities.get(here.place) if here.place else None
    return here is not None
