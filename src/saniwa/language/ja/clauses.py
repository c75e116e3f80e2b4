"""Parse one Japanese clause: a verb, and the roles of the words before it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from saniwa.language.ja.conjugation import FormMood
from saniwa.language.lexicon import ja
from saniwa.language.names import index_world_names, parse_noun_phrase, rank_match, strip_honorific
from saniwa.language.parser_context import Claim, ParserContext
from saniwa.language.text import fold_text
from saniwa.world.model import Entity
from saniwa.world.view import is_closed, list_scope

_TOUCHING = ("触る", "触れる", "さわる", "ふれる")
COMMAS = "、, "
"""Characters around a noun that are no part of it."""

_INSIDE = ("の中", "のなか", "の内側", "の内部", "の奥")
_ON_TOP = ("の上", "のうえ")
_PUT_IN = frozenset({"入れる", "いれる", "しまう", "仕舞う", "収める", "納める", "詰める"})
_PUT_ON = frozenset({"乗せる", "載せる", "のせる"})


class JapaneseVerb(NamedTuple):
    """One form of a verb that was found in the text."""

    word: str
    """Its dictionary form."""
    asks: str
    """What it asks for: an action's wire name, or another key of `ja.VERBS`."""
    kind: str
    """`end`, `link` or `stem`."""
    manner: str = ""
    """The craft it asks for, if it is the verb of one."""
    mood: FormMood = "command"
    """The mood of the form by itself."""


class JapanesePart(NamedTuple):
    """The words before a particle."""

    words: str
    """The words, without commas around them."""
    particle: str
    """The particle; empty if none follows."""


@dataclass(frozen=True, slots=True)
class JapaneseClause:
    """One verb with the words before it."""

    lexicon: ParserContext
    """What the parser may know of the world."""
    verb: JapaneseVerb
    """The verb."""
    parts: tuple[JapanesePart, ...]
    """The words before it, split at the particles."""
    tool: str
    """The tool named by the clause before; empty if there is none."""
    firsts: Mapping[str, tuple[int, str]]
    """The first words before each particle, with their position."""
    left_out: str = ""
    """What is excluded from the "all" that it names; empty if nothing is."""

    @classmethod
    def from_parts(
        cls,
        lexicon: ParserContext,
        verb: JapaneseVerb,
        parts: tuple[JapanesePart, ...],
        tool: str,
        left_out: str = "",
    ) -> "JapaneseClause":
        """Make a clause; its words are scanned once, however many things it names."""
        parts, left_out = _split_exception(parts, left_out)
        firsts: dict[str, tuple[int, str]] = {}
        for place, (words, particle) in enumerate(parts):
            if words and not _is_speaker(lexicon, particle, words):
                firsts.setdefault(particle, (place, words))
        return cls(lexicon, verb, parts, tool, firsts, left_out)

    def is_done_by_another(self) -> bool:
        """Whether another person is the subject: あゆが鍵を取る."""
        if self.verb.asks in ("inspect", "search", "stand"):
            return False
        doers = (p.words for p in self.parts if p.particle in ("が", "は", "も"))
        return any(fold_text(words) in self.lexicon.people for words in doers)

    def is_gesture(self) -> bool:
        """Whether it only expresses something: 頷く, テレビに目をやる, あゆの方を見る."""
        if self.verb.asks == "gesture":
            return True
        target = self._find_first("を")
        gazes = self.verb.word in ja.GAZING
        if gazes and target.endswith(ja.TOWARDS):
            return True
        if self.lexicon.narrated and gazes and target and target not in ja.HERE:
            seen = _strip_inside(target)
            return self.lexicon.is_person(seen) or not self.lexicon.can_see(seen)
        body = target.rpartition("の")[2] in ja.BODY
        return body and not self.lexicon.can_see(target)

    def find_unexplained(self) -> str:
        """The words of the clause that its verb cannot use; empty if it can use all."""
        asks = self.verb.asks
        if asks in _LENIENT:
            return ""
        objects = [p for p in self.parts if p.particle == "を" and p.words]
        where = self._find_first("に", "へ")
        if self.verb.word in ("入れる", "いれる") and not objects and self._is_place(where):
            return self.verb.word  # 入れる is also "can enter", which asks for nothing.
        if len(objects) > 1 and asks not in ("move", "pass", "leave"):
            between = [p for p in self.parts if p.particle in ("、", ",") and not p.words]
            if len(between) < len(objects) - 1:
                return objects[0].words
        seen: set[JapanesePart] = set()
        for number, part in enumerate(self.parts):
            listed = part.particle in ("、", ",") and part in seen
            seen.add(part)
            if not part.words or listed:
                continue
            if not self._explains_part(part, number, bool(objects)):
                return (part.words + part.particle).strip(COMMAS)
        return ""

    def _explains_part(self, part: JapanesePart, number: int, has_object: bool) -> bool:
        words, particle = part
        asks = self.verb.asks
        goes = asks in ("move", "pass", "leave")
        if particle in ("、", ","):
            return not has_object or self._is_object_name(words)
        if particle == "を":
            return True
        if _is_speaker(self.lexicon, particle, words) or words in ja.ADVERBS | ja.TOPICS:
            return True
        if particle in ("", *ja.SUBJECTS):
            bare = words in ja.ALL or asks == "wait"
            if goes:
                return particle == "" and not self._find_first("へ", "に", "まで")
            return not has_object or (particle == "" and bare)
        if particle in ("と", "や"):
            follows = self.parts[number + 1 : number + 2]
            listed = not follows or follows[0].particle in _LISTED
            return listed and not goes and asks != "wait"
        if particle == "で" and words in ja.HANDS:
            return True
        if particle in ("に", "へ") and words in ("手", "両手", "手元", "手の中"):
            return True
        if asks == "drop" and particle in ("に", "へ"):
            return words in ja.FLOOR
        if asks == "take" and particle == "に":
            return self.verb.word in ("もらう", "貰う")
        if asks in ("open", "close") and particle in ("に", "へ"):
            return self._find_first("を") in ja.KEYS
        return particle in _ROLES.get(asks, ("に", "へ", "で"))

    def _is_object_name(self, words: str) -> bool:
        """Whether the words before a comma name a thing, and address no person."""
        bare = fold_text(words)
        if self.lexicon.is_person(bare) or self.lexicon.is_person(strip_honorific(bare)):
            return False
        loose = words in ja.ADVERBS | ja.TOPICS | ja.ALL | ja.THINGS
        known = index_world_names(self.lexicon.world).find_bearers(bare)
        return loose or bool(known) or bool(self.find_candidates(self.lexicon, words))

    def make_claims(self) -> list[Claim]:
        """The claims of the clause."""
        asks = self.verb.asks
        if asks in ("wait", "look"):
            return [{"type": asks}]
        if asks in ("move", "pass", "leave"):
            return [self._move()]
        targets = self._list_objects("を") or self._list_objects("は", "も", "が", "")
        if self.left_out:
            targets = [f"{self.left_out}以外全部"]
        if not targets and self.verb.word in _TOUCHING:
            targets = self._list_objects("に", "へ")
        made = [claim for target in targets for claim in self._claim_one(asks, target)]
        return made or self._claim_one(asks, "")

    def make_state_claims(self) -> list[Claim] | None:
        """The inspections that answer a question about the state of a thing.

        None if the clause is no such question.
        """
        if self.verb.word in ("持つ", "もつ"):
            return [self.lexicon.make_inventory_claim()]
        targets = self._list_objects("は", "が", "も", "を", "")
        shown = self.verb.asks in ("open", "close", "stand", "lock", "unlock")
        if not shown or not targets:
            return None
        return [{"type": "inspect", "target": target} for target in targets]

    @staticmethod
    def find_candidates(lexicon: ParserContext, words: str) -> tuple[Entity, ...]:
        """Everything in reach that the words may name, in full or in part."""
        phrase = parse_noun_phrase(words)
        ids = list_scope(lexicon.world, lexicon.actor) if phrase.bare else ()
        around = (lexicon.world.entities[e] for e in ids if e in lexicon.world.entities)
        return tuple(e for e in around if rank_match(phrase, e) is not None)

    def _find_first(self, *particles: str) -> str:
        found = [self.firsts[p] for p in particles if p in self.firsts]
        return min(found)[1] if found else ""

    def _list_objects(self, *particles: str) -> list[str]:
        """鍵とコインを: everything joined to the object by と, や or a comma."""
        listed: list[str] = []
        waiting: list[str] = []
        for words, particle in self.parts:
            if particle in ("と", "や", "、", ","):
                waiting += [words] if words else []
            elif particle in particles:
                named = words and words not in ja.ANYTHING
                if named and not _is_speaker(self.lexicon, particle, words):
                    listed += [*waiting, words]
                waiting = []
            else:
                waiting = []
        if not listed and "" in particles:  # 鍵、とって
            return [w for w, particle in self.parts if w and particle in ("、", ",")]
        return listed

    def _claim_one(self, asks: str, target: str) -> list[Claim]:
        claim = _MAKERS.get(asks, JapaneseClause._claim_plain)(self, target)
        if isinstance(claim, list):
            return claim
        kept = {k: v for k, v in claim.items() if v}
        return self.lexicon.settle_destination(kept)

    def _claim_plain(self, target: str) -> Claim:
        return {"type": self.verb.asks, "target": target}

    def _take(self, target: str) -> Claim | list[Claim]:
        claim = {"type": "take", "target": target}
        if self.verb.word in ("外す", "はずす") and (
            target in ja.KEYS or _find_lock_suffixes(target)
        ):
            return self._claim_lock("unlock", target)
        source = self._find_first("から") or (
            self._find_first("に") if self.verb.word in ("もらう", "貰う") else ""
        )
        if not source:
            claim["target"], source = self._split_location(target)
        return claim | {"source": _strip_inside(source)}

    def _split_location(self, target: str) -> tuple[str, str]:
        """箱の中のコイン as the coin and the box; a name that contains の中の is not split."""
        if self.lexicon.find_in_scope(target):
            return target, ""
        for inside in ("中の", "上の"):
            if target.startswith(inside) and len(target) > len(inside):
                return target.removeprefix(inside), ""
        for between in ja.WITHIN:
            where, found, thing = target.partition(between)
            if found and where and thing:
                return thing, where
        return target, ""

    def _lay(self, target: str) -> Claim:
        where = self._find_first("に", "へ")
        if not where:
            return {"type": "drop", "target": target}
        return self._put_there(target, where)

    def _bring(self, target: str) -> Claim | list[Claim]:
        """箱から出す takes it out, 机に出す puts it there."""
        return self._put(target) if self._find_first("に", "へ") else self._take(target)

    def _put(self, target: str) -> Claim:
        where = self._find_first("に", "へ")
        started = not where and target.endswith(ja.STARTED)
        if started and self.verb.word in ("入れる", "いれる"):
            return {"type": "use", "target": target, "tool": self._find_tool()}
        return self._put_there(target, where)

    def _put_there(self, target: str, where: str) -> Claim:
        relation = ""
        if where.endswith(_INSIDE) or self.verb.word in _PUT_IN:
            relation = "in"
        elif where.endswith(_ON_TOP) or self.verb.word in _PUT_ON:
            relation = "on"
        claim = {"type": "put", "target": target, "destination": _strip_inside(where)}
        return claim | {"relation": relation}

    def _is_place(self, words: str) -> bool:
        if self.lexicon.is_way(words) or self.lexicon.is_near(words):
            return True
        called = index_world_names(self.lexicon.world).find_bearers(fold_text(words))
        doors = (e.kind == "door" for e in self.find_candidates(self.lexicon, words))
        return any(who in self.lexicon.world.locations for who in called) or any(doors)

    def _hang(self, target: str) -> Claim | list[Claim]:
        if target in ja.KEYS or _find_lock_suffixes(target):
            return self._claim_lock("lock", target)
        return self._put(target)

    def _give(self, target: str) -> Claim:
        whom = self._find_first("に", "へ")
        return {"type": "give", "target": target, "recipient": whom}

    def _find_tool(self) -> str:
        by = self._find_first("で")
        return self.tool or ("" if by in ja.HANDS else by)

    def _open(self, target: str) -> Claim | list[Claim]:
        if (target in ja.KEYS and not self._is_openable(target)) or _find_lock_suffixes(target):
            return self._claim_lock("unlock", target)
        return {"type": "open", "target": target, "tool": self._find_tool()}

    def _close(self, target: str) -> Claim | list[Claim]:
        if (target in ja.KEYS and not self._is_openable(target)) or _find_lock_suffixes(target):
            return self._claim_lock("lock", target)
        return {"type": "close", "target": target}

    def _is_openable(self, words: str) -> bool:
        return any(e.openable for e in self.lexicon.find_in_scope(words))

    def _claim_lock(self, kind: str, target: str) -> list[Claim]:
        """扉の鍵を開ける, 扉に鍵をかける: the lock belongs to the door."""
        locked = next((target.removesuffix(s) for s in _find_lock_suffixes(target)), "")
        claim = {
            "type": kind,
            "target": locked or self._find_first("に", "へ"),
            "tool": self._find_tool(),
        }
        return [{k: v for k, v in claim.items() if v}]

    def _lock(self, target: str) -> Claim:
        return {"type": "lock", "target": target, "tool": self._find_tool()}

    def _unlock(self, target: str) -> Claim:
        target = next((target.removesuffix(s) for s in _find_lock_suffixes(target)), target)
        return {"type": "unlock", "target": target, "tool": self._find_tool()}

    def _use(self, target: str) -> Claim:
        if self.verb.manner:
            made = {"type": "use", "target": target, "tool": self._find_tool()}
            return made | {"manner": self.verb.manner}
        on = self._find_first("に", "へ")
        if on and self.verb.word in ja.TOOL_VERBS:
            return {"type": "use", "target": _strip_inside(on), "tool": target}
        return {"type": "use", "target": target, "tool": self._find_tool()}

    def _inspect(self, target: str) -> Claim:
        return self._see(target)

    def _see(self, target: str) -> Claim:
        inside = _strip_inside(target)
        if not target or target in ja.HERE:
            return {"type": "look"}
        if target in ja.ITS_INSIDE:
            return {"type": "search", "target": "それ"}
        if inside != target and not self.lexicon.find_in_scope(target):
            return {"type": "search", "target": inside}
        return {"type": "inspect", "target": target}

    def _search(self, target: str) -> Claim:
        known = self.lexicon.find_in_scope(target)
        shut = (
            e.kind == "door" or is_closed(e) for e in self.find_candidates(self.lexicon, target)
        )
        if fold_text(target) in self.lexicon.people or target in ja.PEOPLE | ja.SELF:
            return {"type": "inspect", "target": target}
        # 調べる means both searching and inspecting; a closed thing can only be inspected.
        if self.verb.word in ja.LOOKING_CLOSELY and any(shut):
            return {"type": "inspect", "target": target}
        if target in ja.ITS_INSIDE:
            return {"type": "search", "target": "それ"}
        return {"type": "search", "target": target if known else _strip_inside(target)}

    def _hunt(self, target: str) -> Claim:
        inside = _strip_inside(target)
        where = self._find_first("で", "から")
        if target and (inside != target or self.lexicon.find_in_scope(target)):
            known = self.lexicon.find_in_scope(target)
            return {"type": "search", "target": target if known else inside}
        if where and where not in ja.HERE:
            return {"type": "search", "target": _strip_inside(where)}
        return {"type": "search", "target": target if target in ja.HERE else "ここ"}

    def _move(self) -> Claim:
        target = self._find_first("へ", "に", "まで") or self._find_first("")
        through = self._find_first("を", "から", "で")
        if not target and self.verb.asks == "leave":
            target = through if through and not self._is_leaving(through) else "外"
        target = target or through
        upward = ja.UP_AND_DOWN.get(self.verb.word, "")
        climbs = upward in ("上", "下") and not self.lexicon.is_destination(_strip_inside(target))
        if not target or climbs:
            target = upward or target
        target = target if self.lexicon.is_way(target) else _strip_inside(target)
        return {"type": "move"} | ({"target": target} if target else {})

    def _is_leaving(self, words: str) -> bool:
        """Whether Xを出る leaves a place, and does not go through a door."""
        return not any(e.kind == "door" for e in self.lexicon.find_in_scope(words))

    def _introduce(self, target: str) -> Claim:
        return {"type": "introduce", "target": target}

    def _eat(self, target: str) -> Claim:
        return {"type": "eat", "target": target}


_MAKERS = {
    "take": JapaneseClause._take,
    "lay": JapaneseClause._lay,
    "bring": JapaneseClause._bring,
    "put": JapaneseClause._put,
    "hang": JapaneseClause._hang,
    "give": JapaneseClause._give,
    "open": JapaneseClause._open,
    "close": JapaneseClause._close,
    "lock": JapaneseClause._lock,
    "unlock": JapaneseClause._unlock,
    "use": JapaneseClause._use,
    "inspect": JapaneseClause._inspect,
    "see": JapaneseClause._see,
    "search": JapaneseClause._search,
    "hunt": JapaneseClause._hunt,
    "introduce": JapaneseClause._introduce,
    "eat": JapaneseClause._eat,
}
"""The function that makes the claim of each verb; others name only their target."""


_LENIENT = frozenset({"inspect", "see", "look", "search", "hunt", "stand", "introduce"})
"""Verbs that change nothing, whatever is said besides their object."""
_LISTED = ("と", "や", "を", "は", "も", "が", "", "、", ",")
_ROLES: Mapping[str, tuple[str, ...]] = {
    "take": ("から",),
    "drop": (),
    "bring": ("から", "に", "へ"),
    "lay": ("に", "へ"),
    "put": ("に", "へ", "で"),
    "give": ("に", "へ"),
    "hang": ("に", "へ", "で"),
    "open": ("で",),
    "close": ("で",),
    "lock": ("で", "に", "へ"),
    "unlock": ("で", "に", "へ"),
    "use": ("に", "へ", "で"),
    "eat": (),
    "move": ("に", "へ", "まで", "から", "で"),
    "pass": ("に", "へ", "まで", "から", "で"),
    "leave": ("に", "へ", "まで", "から", "で"),
    "wait": ("で", "に"),
}
"""The particles besides を whose words each verb can use."""


def _split_exception(
    parts: tuple[JapanesePart, ...], before: str
) -> tuple[tuple[JapanesePart, ...], str]:
    """The parts without 鍵以外 and the "all" after it, and what is excluded.

    Words that name anything else remain, so that the clause does nothing.
    """
    named = [n for n, part in enumerate(parts) if "以外" in part.words]
    objects = [p for p in parts if p.particle in ("を", "は", "も", "が", "")]
    if before:
        every = bool(objects) and all(p.words in ja.ALL for p in objects)
        return (tuple(p for p in parts if p not in objects), before) if every else (parts, "")
    if len(named) != 1:
        return parts, ""
    place = named[0]
    words, _, rest = parts[place].words.partition("以外")
    listed = [p.words for p in parts[:place] if p.particle in ("と", "や") and p.words]
    others = [p for n, p in enumerate(parts) if n != place and p in objects]
    plain = rest.removeprefix("の") in ("", "もの", "物", *ja.ALL)
    if not words or not plain or any(p.words not in ja.ALL for p in others):
        return parts, ""
    if parts[place].particle not in ("を", "は", "も", "", "、", ","):
        return parts, ""
    remaining = tuple(p for n, p in enumerate(parts) if p not in others and n != place
                 and p.particle not in ("と", "や"))  # fmt: skip
    return remaining, "と".join((*listed, words))


def _is_speaker(lexicon: ParserContext, particle: str, words: str) -> bool:
    own = fold_text(words) in lexicon.own_names or words in ja.SELF
    return particle in ja.SUBJECTS and own


def _strip_inside(words: str) -> str:
    """箱 for 箱の中, 机 for 机の上."""
    for inside in ja.INSIDE:
        if words.endswith(inside) and len(words) > len(inside):
            return words.removesuffix(inside)
    return words


def _find_lock_suffixes(target: str) -> frozenset[str]:
    return frozenset(s for s in ja.LOCKS if target.endswith(s) and target != s)
