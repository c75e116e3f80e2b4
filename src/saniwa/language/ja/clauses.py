"""Parse one Japanese clause: a verb, and the roles of the words before it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from saniwa.language.ja.tokens import JapaneseVerb
from saniwa.language.lexicon import ja
from saniwa.language.names import index_world_names, strip_honorific
from saniwa.language.parser_context import Claim, ParserContext, list_folded_names
from saniwa.language.text import fold_text
from saniwa.world.view import is_closed

COMMAS = "、, "
"""Characters around a noun that are no part of it."""

_INSIDE = ("の中", "のなか", "の内側", "の内部", "の奥")
_ON_TOP = ("の上", "のうえ")
_PUT_IN = frozenset({"入れる", "いれる", "しまう", "仕舞う", "収める", "納める", "詰める"})
_PUT_ON = frozenset({"乗せる", "載せる", "のせる"})


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
        parts = tuple(p for p in parts if not _is_manner(lexicon, p))
        parts, left_out = _split_exception(parts, left_out)
        parts = _find_omitted_particle(lexicon, verb.asks, parts)
        parts = tuple(_strip_bearing(lexicon, verb.asks, part) for part in parts)
        parts = tuple(_order_adjective(lexicon, part) for part in parts)
        parts = tuple(_read_remainder(lexicon, part) for part in parts)
        verb = verb._replace(asks=_find_lock_verb(lexicon, verb, parts))
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

    def is_gesture(self, *, closely: bool = False) -> bool:
        """Whether it only expresses something: 頷く, テレビに目をやる, あゆの方を見る.

        A thing that is looked at closely (…をよく見る) is examined, whether it is there or not.
        """
        if self.verb.asks == "gesture":
            return True
        target = self._find_first("を")
        gazes = self.verb.word in ja.WORDS.gazing
        if gazes and target.endswith(ja.LISTS.towards):
            return True
        if self.lexicon.narrated and gazes and target and target not in ja.WORDS.here:
            seen = _strip_inside(target)
            return self.lexicon.is_person(seen) or not (closely or self.lexicon.can_see(seen))
        body = (
            target.rpartition("の")[2] in ja.WORDS.body and self.verb.word not in ja.WORDS.breaking
        )
        return body and not self.lexicon.can_see(target)

    def find_unexplained(self) -> str:
        """The words of the clause that its verb cannot use; empty if it can use all."""
        if self._find_beside():
            return self._find_first("を")
        abstract = [p.words for p in self.parts if self._is_abstract(p)]
        if abstract:
            return abstract[0]
        elsewhere = [p.words for p in self.parts if self._is_done_elsewhere(p)]
        if elsewhere:
            return elsewhere[0]
        if self.verb.asks in _LENIENT:
            lost = [
                p.words for p in self.parts if p.particle == "を" and not self._explains_noun(*p)
            ]
            return lost[0] if lost and self.verb.asks not in ("introduce", "stand") else ""
        objects = [p for p in self.parts if p.particle == "を" and p.words]
        misused = self._find_misused(objects)
        if misused:
            return misused
        seen: set[JapanesePart] = set()
        for number, part in enumerate(self.parts):
            listed = part.particle in ("、", ",") and part in seen
            seen.add(part)
            if not part.words or listed:
                continue
            if not self._explains_part(part, number, bool(objects)):
                return (part.words + part.particle).strip(COMMAS)
        return ""

    def _is_abstract(self, part: JapanesePart) -> bool:
        """Whether nothing can be done to it: 相手の要求を飲む, 自分のことを棚に上げる."""
        head = part.words.rpartition("の")[2]
        named = (
            part.particle in ("を", "は", "が", "も") and self.verb.asks not in _LENIENT | _GOING
        )
        unreal = head in ja.WORDS.abstract or part.words.endswith("のこと")
        return named and unreal and not self.lexicon.is_known(head)

    def _find_misused(self, objects: list[JapanesePart]) -> str:
        """The words that name something, but nothing that the verb can be done to."""
        asks, where = self.verb.asks, self._find_first("に", "へ")
        if asks == "approach":
            return where or self.verb.word
        climbed = self.lexicon.find_matches(where)
        if self.verb.word in ja.PAIRS.up_and_down and any(e.kind != "door" for e in climbed):
            return where
        if self.left_out and asks not in _OF_ALL:
            return f"{self.left_out}以外"
        named = {p.words for p in self.parts if p.words and p.particle in _LISTED}
        if named and named <= ja.WORDS.quantities:
            return min(named)
        listed = self._list_objects("を") or self._list_objects("は", "も", "が", "")
        unknown = [w for w in listed if not self._is_object_name(split_count(w)[0])]
        if unknown and len(listed) > 1:
            return unknown[0]
        if self._is_off(listed) or self._is_eaten_or_taken(listed):
            return self.verb.word
        if where in ja.LISTS.keyholes and asks in ("put", "use", "lay"):
            return where
        if self.verb.word in ("入れる", "いれる") and not objects and self._is_place(where):
            return self.verb.word  # 入れる is also "can enter", which asks for nothing.
        if sum(p.particle == "は" for p in self.parts) > 1:
            return next(p.words for p in self.parts if p.particle == "は")
        between = [p for p in self.parts if p.particle in ("、", ",") and not p.words]
        goes = asks in ("move", "pass", "leave")
        return objects[0].words if not goes and 0 < len(objects) - 1 > len(between) else ""

    def _is_off(self, names: list[str]) -> bool:
        """Whether it switches off what is off already."""
        meant = [
            e for name in names for e in self.lexicon.find_matches(name.rpartition("の")[0] or name)
        ]
        off = any(state.startswith(ja.LISTS.off) for e in meant for state in e.state)
        return self.verb.word in ja.WORDS.switching_off and off

    def _is_eaten_or_taken(self, names: list[str]) -> bool:
        """Whether it may mean eating as well as taking: パンを頂戴する."""
        meant = [e for name in names for e in self.lexicon.find_matches(name)]
        return self.verb.word == "頂戴する" and any(e.edible for e in meant)

    def _is_done_elsewhere(self, part: JapanesePart) -> bool:
        """Whether the part says that it is done in another place: 書斎でランプをつける."""
        goes = self.verb.asks in ("move", "pass", "leave")
        if part.particle != "で" or goes or self.lexicon.is_here(part.words):
            return False
        named = self.lexicon.find_bearers(part.words)
        return any(place in self.lexicon.world.locations for place in named)

    def _explains_noun(self, words: str, particle: str) -> bool:
        """Whether the words can name a thing here: not a part of it, nor one elsewhere."""
        if words.startswith(ja.LISTS.others) or words in ("二回", "三回"):
            return False
        name, number = split_count(words)
        if number:
            listed = [name] if name else self._list_objects("を", "は", "も", "が", "")
            return any(len(self.lexicon.find_matches(w)) == number for w in listed)
        if particle in ("に", "へ") and self.verb.asks in ("lay", "put", "bring", "hang"):
            holder = _strip_inside(words)
            if words.endswith(ja.LISTS.beside) or (
                holder != words and self.lexicon.is_person(holder)
            ):
                return False
            where = index_world_names(self.lexicon.world).find_bearers(fold_text(words))
            if any(w in self.lexicon.world.locations for w in where):
                return self.lexicon.is_here(words)
        if (
            particle == "で"
            and self._find_first("を", "は", "")
            and self.verb.asks in ("open", "close", "lock", "unlock", "use", "take")
        ):
            return self._is_instrument(words)
        return self._read_noun(words) is not None

    def _is_instrument(self, words: str) -> bool:
        if (
            ja.is_in(words, ja.WORDS.hands, ja.WORDS.things, ja.WORDS.adverbs)
            or words in ja.WORDS.here
            or self.verb.manner
        ):
            return True
        meant = self.lexicon.find_matches(words)
        if self.verb.asks != "open" or not meant:
            return bool(meant) or bool(
                index_world_names(self.lexicon.world).find_bearers(fold_text(words))
            )
        keys = {e.required_key for e in self.lexicon.find_matches(self._find_first("を", ""))}
        return any(e.id in keys for e in meant) or any(
            e.name.endswith(("鍵", "カギ", "キー")) for e in meant
        )

    def _read_noun(self, words: str) -> str | None:
        """The words without the place they are said to be in; None for a part of a thing."""
        if ("の" not in words and "にある" not in words) or "以外" in words:
            return words
        if words in ja.WORDS.here or words in ja.WORDS.its_inside:
            return words
        if _find_lock_suffixes(words) or self.lexicon.find_matches(words):
            return words
        names = index_world_names(self.lexicon.world)
        if any(between in words for between in ja.WITHIN[1:] if between != "にある") and not any(
            self.lexicon.is_here(owner) for owner, _ in _split_owners(words)
        ):
            return words
        for owner, rest in _split_owners(words):
            if self.lexicon.is_here(owner):
                return words if f"の{rest}" in ja.LISTS.inside else self._read_noun(rest)
            ids = names.find_bearers(fold_text(owner))
            if any(i in self.lexicon.world.locations for i in ids):
                known = names.find_bearers(fold_text(words)) or fold_text(words) in names.spoken
                return words if known else None
        owner, part = _split_part(words)
        if f"の{part}" in ja.LISTS.inside or part in ja.WORDS.contents or self._means_whole(part):
            return words
        whole = fold_text(_strip_inside(owner))
        # 真鍮 is the material of 真鍮の鍵, and no thing that could have a part.
        holders = [
            e
            for e in self.lexicon.find_matches(whole)
            if any(name.endswith(whole) for name in list_folded_names(e))
        ]
        inside = self.lexicon.find_matches(part)
        if holders and not any(e.place in {h.id for h in holders} for e in inside):
            return None
        return words

    def _means_whole(self, part: str) -> bool:
        """Whether an action on the part is one on the whole: a lid that is opened."""
        asks = self.verb.asks
        if asks in ("open", "close"):
            return part in ja.WORDS.lids
        if asks in ("use", "put", "hang", "lay"):
            return part in ja.WORDS.switches or part in ja.LISTS.keyholes
        seen = ja.WORDS.texts | ja.WORDS.lids | {"外", "向こう", ""}
        return asks in _LENIENT and part.strip() in seen

    def _explains_part(self, part: JapanesePart, number: int, has_object: bool) -> bool:
        words, particle = part
        asks = self.verb.asks
        if not self._explains_noun(words, particle):
            return False
        goes = asks in ("move", "pass", "leave")
        if particle in ("、", ","):
            return self._is_object_name(words) or not (has_object or goes)
        if particle == "を":
            return True
        if _is_speaker(self.lexicon, particle, words) or ja.is_in(
            words, ja.WORDS.adverbs, ja.WORDS.topics
        ):
            return True
        if particle in ("", *ja.WORDS.subjects):
            bare = (
                ja.is_in(words, ja.WORDS.all, ja.WORDS.quantities)
                or asks == "wait"
                or split_count(words)[1] > 0
            )
            if goes:
                return particle == "" and not self._find_first("へ", "に", "まで")
            return not has_object or (particle == "" and bare)
        if particle in ("と", "や"):
            follows = self.parts[number + 1 : number + 2]
            listed = follows[0].particle in _LISTED if follows else not has_object
            if self._is_person(words) and follows and follows[0].particle == "を":
                return False
            return listed and not goes and asks != "wait"
        if particle == "で" and (words in ja.WORDS.hands or self.lexicon.is_here(words)):
            return True
        if particle in ("に", "へ") and words in ("手", "両手", "手元", "手の中"):
            return True
        if particle == "に" and self.verb.word in ja.WORDS.taking_ni:
            return True
        if asks == "drop" and particle in ("に", "へ"):
            return words in ja.WORDS.floor
        if asks == "take" and particle == "に":
            return self.verb.word in ("もらう", "貰う")
        if asks in ("open", "close") and particle in ("に", "へ"):
            return self._find_first("を") in ja.WORDS.keys
        return particle in _ROLES.get(asks, ("に", "へ", "で"))

    def _is_object_name(self, words: str) -> bool:
        """Whether the words before a comma name a thing, and address no person."""
        bare = fold_text(words)
        if self.lexicon.is_person(bare) or self.lexicon.is_person(strip_honorific(bare)):
            return False
        loose = ja.is_in(
            words,
            ja.WORDS.adverbs,
            ja.WORDS.topics,
            ja.WORDS.things,
            ja.WORDS.quantities,
            ja.WORDS.keys,
        )
        whole = self._read_noun(words) or words
        head = _split_part(whole)[1]
        return (
            loose
            or _is_everything(words)
            or ja.is_in(head, ja.WORDS.switches, ja.WORDS.lids)
            or any(
                self.lexicon.is_known(name)
                for name in (words, whole, self._split_location(whole)[0])
            )
        )

    @classmethod
    def is_noun_known(cls, lexicon: ParserContext, words: str) -> bool:
        """Whether the words mean something in the world, or point to something."""
        loose = (
            ja.WORDS.things
            | ja.WORDS.quantities
            | ja.WORDS.keys
            | ja.WORDS.floor
            | ja.WORDS.origin
            | ja.WORDS.here
            | ja.WORDS.out
            | ja.WORDS.back
        )
        if (
            words in loose
            or "以外" in words
            or _is_everything(words)
            or ja.is_in(words, ja.WORDS.people, ja.WORDS.self)
        ):
            return True
        return any(lexicon.is_known(name) for name in (words, _strip_inside(words)))

    def make_claims(self) -> list[Claim]:
        """The claims of the clause."""
        asks = self.verb.asks
        if asks in ("wait", "look"):
            return [{"type": asks}]
        beside = self._find_beside()
        if beside:
            return [{"type": "inspect", "target": beside}]
        if asks in ("move", "pass", "leave"):
            return [self._move()]
        targets = self._list_objects("を") or self._list_objects("は", "も", "が", "")
        if self.left_out:
            targets = [f"{self.left_out}以外全部"]
        if not targets and self.verb.word in ja.WORDS.taking_ni:
            targets = self._list_objects("に", "へ")
        if len(targets) > 1:
            targets = [
                t for t in targets if not ja.is_in(t, ja.WORDS.all, ja.WORDS.quantities)
            ] or targets
        targets = [name for target in targets for name in self._expand_object(target)]
        made = [claim for target in targets for claim in self._claim_one(asks, target)]
        return made or self._claim_one(asks, "")

    def _find_beside(self) -> str:
        """The thing in reach that one goes up to: 戸棚のところへ行く, 食卓に近づく."""
        where = self._find_first("に", "へ", "まで")
        bare = next((where.removesuffix(s) for s in _AT if where.endswith(s)), where)
        bare = self._read_noun(bare) or bare
        if where.endswith(ja.LISTS.towards):
            return ""
        if self.verb.asks != "approach" and self.verb.asks != "move":
            return ""
        if self.lexicon.is_way(bare) or self._is_place(bare):
            return ""
        return bare if self.lexicon.find_matches(bare) else ""

    def _expand_object(self, target: str) -> list[str]:
        """The words for each thing: 持ち物, 両方のカップ; a part that is the whole here."""
        if self.verb.asks in _OF_ALL and target.endswith(_HELD) and _is_everything(target):
            return ["全部"]
        both = next((w for w in ja.WORDS.quantities if target.startswith(w + "の")), "")
        spoken = {p.words for p in self.parts if p.particle in ("", "、")}
        name, number = split_count(target)
        counts = {number, *(split_count(w)[1] for w in spoken)} - {0}
        counted = self.lexicon.find_matches(name or target)
        if len(counted) in counts:
            return [e.name for e in counted]
        if both or spoken & ja.WORDS.quantities:
            name = target.removeprefix(both + "の") if both else target
            found = self.lexicon.find_matches(name)
            if len(found) == 2:
                return [e.name for e in found]
        target = self._read_noun(target) or target
        owner, part = _split_part(target)
        whole = self._means_whole(part) and self.verb.asks != "put"
        if owner and whole and self.lexicon.find_matches(owner):
            return [target] if self.lexicon.find_in_scope(target) else [owner]
        taken = self.verb.word in ja.WORDS.accepting
        if self.verb.asks in _WITHOUT_SOURCE and not (taken and _is_everything(target)):
            return [self._split_location(target)[0]]
        return [target]

    def _is_person(self, words: str) -> bool:
        return strip_honorific(fold_text(words)) in self.lexicon.people

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
                named = words and words not in ja.WORDS.anything
                if waiting and not words:
                    listed += waiting
                elif named and not _is_speaker(self.lexicon, particle, words):
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
        owner, part = _split_part(target)
        if owner and part in ja.WORDS.contents and self.lexicon.is_known(_strip_inside(owner)):
            return "全部", _strip_inside(owner)
        for inside in ("中の", "上の"):
            if target.startswith(inside) and len(target) > len(inside):
                return target.removeprefix(inside), ""
        for between in ja.LISTS.within:
            where, found, thing = target.partition(between)
            if found and where and thing:
                return ("全部" if thing in ja.WORDS.contents else thing), where
        for holder, thing in () if self.lexicon.find_matches(target) else _split_owners(target):
            holders = {e.id for e in self.lexicon.find_matches(holder)}
            if any(e.place in holders for e in self.lexicon.find_matches(thing)):
                return thing, holder
        return target, ""

    def _lay(self, target: str) -> Claim:
        where = self._find_first("に", "へ")
        if not where or self.lexicon.is_here(where):
            return {"type": "drop", "target": target}
        return self._put_there(target, where)

    def _bring(self, target: str) -> Claim | list[Claim]:
        """箱から出す takes it out, 机に出す puts it there."""
        return self._put(target) if self._find_first("に", "へ") else self._take(target)

    def _put(self, target: str) -> Claim:
        where = self._find_first("に", "へ")
        if target in ja.WORDS.switches and where and self.lexicon.find_matches(where):
            return {"type": "use", "target": where}
        started = not where and target.endswith(ja.LISTS.started)
        if started and self.verb.word in ("入れる", "いれる"):
            owner, _, part = target.rpartition("の")
            known = part in ja.WORDS.switches and self.lexicon.find_matches(owner)
            target = owner if known else target
            return {"type": "use", "target": target, "tool": self._find_tool()}
        return self._put_there(target, where)

    def _put_there(self, target: str, where: str) -> Claim:
        relation = ""
        where = self._read_noun(where) or where
        if where in ja.WORDS.pockets and not self.lexicon.find_matches(where):
            return {"type": "take", "target": target}
        lock = next(
            (where.removesuffix("の" + k) for k in ja.LISTS.keyholes if where.endswith("の" + k)),
            "",
        )
        stuck = self.verb.word in ja.WORDS.sticking and where
        if lock or (stuck and any(e.required_key for e in self.lexicon.find_matches(where))):
            return {"type": "unlock", "target": lock or where, "tool": target or "それ"}
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
        doors = (e.kind == "door" for e in self.lexicon.find_matches(words))
        return any(who in self.lexicon.world.locations for who in called) or any(doors)

    def _give(self, target: str) -> Claim:
        whom = self._find_first("に", "へ")
        whom = _OWN_HAND.sub("", whom)
        whom = "" if whom in ja.WORDS.anyone else self._read_noun(whom) or whom
        meant = self.lexicon.find_matches(_strip_inside(whom))
        if meant and not any(
            self.lexicon.is_person(e.name) or e.kind == "character" for e in meant
        ):
            return self._put_there(target, whom)
        return {"type": "give", "target": target, "recipient": whom}

    def _find_tool(self) -> str:
        by = self._find_first("で")
        return self.tool or ("" if by in ja.WORDS.hands else by)

    def _open(self, target: str) -> Claim | list[Claim]:
        return {"type": "open", "target": target, "tool": self._find_tool()}

    def _lock(self, target: str) -> Claim:
        """扉の鍵を開ける, 扉に鍵をかける: the lock belongs to the door."""
        locked = next((target.removesuffix(s) for s in _find_lock_suffixes(target)), "")
        named = locked or ("" if target in ja.WORDS.keys else target)
        where = named or self._find_first("に", "へ")
        return {"type": self.verb.asks, "target": where, "tool": self._find_tool()}

    def _use(self, target: str) -> Claim:
        if self.verb.manner:
            made = {"type": "use", "target": target, "tool": self._find_tool()}
            return made | {"manner": self.verb.manner}
        on = self._find_first("に", "へ")
        if target in ja.WORDS.switches and not self.lexicon.is_known(target):
            return {"type": "use", "target": self._split_location(on)[0], "tool": self._find_tool()}
        if on and self.verb.word in ja.WORDS.tool_verbs:
            return {"type": "use", "target": _strip_inside(on), "tool": target or "それ"}
        return {"type": "use", "target": target, "tool": self._find_tool()}

    def _inspect(self, target: str) -> Claim:
        return self._see(target)

    def _see(self, target: str) -> Claim:
        inside = _strip_inside(target)
        if not target or target in ja.WORDS.here:
            return {"type": "look"}
        if target in ja.WORDS.its_inside:
            return {"type": "search", "target": "それ"}
        if inside != target and not self.lexicon.find_in_scope(target):
            return {"type": "search", "target": inside}
        return {"type": "inspect", "target": target}

    def _search(self, target: str) -> Claim:
        known = self.lexicon.find_in_scope(target)
        shut = (e.kind == "door" or is_closed(e) for e in self.lexicon.find_matches(target))
        if fold_text(target) in self.lexicon.people or ja.is_in(
            target, ja.WORDS.people, ja.WORDS.self
        ):
            return {"type": "inspect", "target": target}
        # 調べる means both searching and inspecting; a closed thing can only be inspected.
        if self.verb.word in ja.WORDS.looking_closely and any(shut):
            return {"type": "inspect", "target": target}
        if target in ja.WORDS.its_inside:
            return {"type": "search", "target": "それ"}
        if target in ja.WORDS.floor and not known:
            return {"type": "search", "target": "ここ"}
        return {"type": "search", "target": target if known else _strip_inside(target)}

    def _hunt(self, target: str) -> Claim:
        inside = _strip_inside(target)
        where = self._find_first("で", "から")
        if target and (inside != target or self.lexicon.find_in_scope(target)):
            known = self.lexicon.find_in_scope(target)
            return {"type": "search", "target": target if known else inside}
        if where and where not in ja.WORDS.here:
            return {"type": "search", "target": _strip_inside(where)}
        return {"type": "search", "target": target if target in ja.WORDS.here else "ここ"}

    def _move(self) -> Claim:
        target = self._find_first("へ", "に", "まで") or self._find_first("")
        through = self._find_first("を", "から", "で")
        if not target and self.verb.asks == "leave":
            side = next((through.removesuffix(s) for s in _SIDES if through.endswith(s)), "")
            leaves = not through or self._is_leaving(through)
            target = side if side and self.lexicon.is_way(side) else "外" if leaves else through
        target = target or through
        upward = ja.PAIRS.up_and_down.get(self.verb.word, "")
        target = target.rpartition("にある")[2] or target
        climbed = not target or target in ja.WORDS.stairs or self.lexicon.find_matches(target)
        climbs = bool(climbed) and upward in ("上", "下")
        climbs = climbs and not self.lexicon.is_destination(_strip_inside(target))
        if not target or climbs:
            target = upward or target
        target = target if self.lexicon.is_way(target) else _strip_inside(target)
        side = next((target.removesuffix(s) for s in _SIDES if target.endswith(s)), target)
        target = side if side != target and self.lexicon.is_way(side) else target
        return {"type": "move"} | ({"target": target} if target else {})

    def _is_leaving(self, words: str) -> bool:
        """Whether Xを出る leaves a place, and does not go through a door."""
        return not any(e.kind == "door" for e in self.lexicon.find_in_scope(words))

    def _introduce(self, target: str) -> Claim:
        """トムという赤い猫: a new one gets its name and what is said of it."""
        if self.verb.word == "呼び出す" and self._is_person(target):
            return {"type": "speak", "to": target}
        if not target or index_world_names(self.lexicon.world).find_bearers(fold_text(target)):
            return {"type": "introduce", "target": target}
        found = _NAMED.fullmatch(target)
        parts = found.groupdict() if found else {}
        name = parts.get("name") or parts.get("last") or target
        look = parts.get("what") or parts.get("who") or ""
        # 赤い猫 and 猫 are トム as well.
        facts = {"name": name} | ({"description": look, "aliases": [look]} if look else {})
        return {"type": "introduce", "target": name, "metadata": facts}

    def _eat(self, target: str) -> Claim | list[Claim]:
        """いただく eats food, and takes anything else."""
        meant = self.lexicon.find_matches(target)
        food = any(e.edible for e in meant) if meant else not _is_everything(target)
        if self.verb.word in ja.WORDS.accepting and not food:
            return self._take(target)
        return {"type": "eat", "target": target}


_MAKERS = {
    "take": JapaneseClause._take,
    "lay": JapaneseClause._lay,
    "bring": JapaneseClause._bring,
    "put": JapaneseClause._put,
    "hang": JapaneseClause._put,
    "give": JapaneseClause._give,
    "open": JapaneseClause._open,
    "lock": JapaneseClause._lock,
    "unlock": JapaneseClause._lock,
    "use": JapaneseClause._use,
    "inspect": JapaneseClause._inspect,
    "see": JapaneseClause._see,
    "search": JapaneseClause._search,
    "hunt": JapaneseClause._hunt,
    "introduce": JapaneseClause._introduce,
    "eat": JapaneseClause._eat,
}
"""The function that makes the claim of each verb; others name only their target."""


_WITHOUT_SOURCE = frozenset({"put", "lay", "give", "eat", "use", "open", "close", "drop"})
"""Verbs that do not ask where the thing was."""
_LENIENT = frozenset({"inspect", "see", "look", "search", "hunt", "stand", "introduce"})
"""Verbs that change nothing, whatever is said besides their object."""
_AT = ("のところ", "の所", "のそば", "の前", "の近く")
"""Words after a thing that one goes up to."""
_OWN_HAND = re.compile("の(?:手|両手|手のひら|掌)(?:の中|の上)?$")
"""ナナの手に渡す gives it to ナナ."""
_NAMED = re.compile(
    "(?P<name>.+?)という(?:名の|名前の)?(?P<what>.+)"
    "|(?P<who>.*[猫犬鳥馬男女人子師者屋士娘童婆爺君鼠兎狐狼])の?(?P<last>[ァ-ヺー]+)"
)
"""A name and what is said of its bearer."""
_SIDES = ("の部屋", "の出口", "の方角", "の方向", "の扉", "の道", "のドア")
"""Words after a direction that add nothing to it."""
_OF_ALL = frozenset({"take", "bring", "drop", "lay", "put", "give", "hang"})
"""Verbs that can be done to everything at once."""
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


_LOCKING = {"open": "unlock", "take": "unlock", "use": "unlock", "close": "lock", "hang": "lock"}


def _find_lock_verb(
    lexicon: ParserContext, verb: JapaneseVerb, parts: tuple[JapanesePart, ...]
) -> str:
    """What the verb asks for: 錠を外す unlocks, 鍵をかける locks."""
    named = [p.words for p in parts if p.particle in ("を", "は", "が", "も", "") and p.words]
    found = [w for w in named if w in ja.WORDS.keys or _find_lock_suffixes(w)]
    undoes = verb.asks not in ("take", "use") or verb.word in ja.WORDS.undoing
    # 鉄の鍵 is a thing, and no lock of 鉄; something called 錠 may open itself.
    keys = [e for w in found if w not in ja.WORDS.keys for e in lexicon.find_in_scope(w)]
    openable = any(e.openable for w in found for e in lexicon.find_in_scope(w))
    if not found or not undoes or openable or any(e.takeable for e in keys):
        return verb.asks
    return _LOCKING.get(verb.asks, verb.asks)


def _is_manner(lexicon: ParserContext, part: JapanesePart) -> bool:
    """Whether the part only says how it is done, or who does it: 笑顔で, 俺、."""
    words, particle = part
    if (words in ja.WORDS.self and particle in ("、", "")) or (
        words in ja.WORDS.single and not particle
    ):
        return True
    if particle != "で" or words in ja.WORDS.hands or lexicon.is_known(words):
        return False
    return words in ja.WORDS.manner_nouns or words.endswith(ja.LISTS.manner_heads)


_GOING = frozenset({"move", "pass", "leave"})


def _strip_within(words: str) -> str:
    return next((words.removesuffix(inside) for inside in _INSIDE if words.endswith(inside)), words)


def _strip_bearing(lexicon: ParserContext, asks: str, part: JapanesePart) -> JapanesePart:
    """玄関の方へ goes to 玄関; 千代のことを見る looks at 千代."""
    bare = next(
        (part.words.removesuffix(b) for b in ja.LISTS.bearings if part.words.endswith(b)), ""
    )
    place = bare and (lexicon.is_way(bare) or lexicon.is_near(bare))
    inside = _strip_within(part.words)
    if asks in _GOING and part.particle in ("に", "へ") and lexicon.is_near(inside):
        return part._replace(words=inside)
    if asks in _GOING and place and part.particle in ("に", "へ", "まで"):
        return part._replace(words=bare)
    own = asks in _LENIENT
    return part._replace(words=part.words.removesuffix("のこと")) if own else part


def _order_adjective(lexicon: ParserContext, part: JapanesePart) -> JapanesePart:
    """茶碗の黒いほう is 黒い茶碗."""
    bare = next((part.words.removesuffix(w) for w in _WHICH if part.words.endswith(w)), "")
    noun, _, which = bare.rpartition("の")
    if not noun or not which.endswith(("い", "な")) or not lexicon.find_matches(which + noun):
        return part
    return part._replace(words=which + noun)


_WHICH = ("ほう", "方", "やつ", "の")


def _find_omitted_particle(
    lexicon: ParserContext, asks: str, parts: tuple[JapanesePart, ...]
) -> tuple[JapanesePart, ...]:
    """傘食卓置く: of two nouns without a particle the holder is where it is put."""
    bare = [n for n, p in enumerate(parts) if p.words and p.particle in ("", "、")]
    if asks not in ("lay", "put", "give") or not bare or len(parts) < 2:
        return parts
    if any(p.particle in ("に", "へ", "と", "や") for p in parts):
        return parts
    words = parts[bare[-1]].words
    holders = [e for e in lexicon.find_matches(words) if not e.takeable]
    if not (words in ja.WORDS.floor or (holders and bare[-1] == len(parts) - 1)):
        return parts
    return tuple(p._replace(particle="に") if n == bare[-1] else p for n, p in enumerate(parts))


def _split_exception(
    parts: tuple[JapanesePart, ...], before: str
) -> tuple[tuple[JapanesePart, ...], str]:
    """The parts without 鍵以外 and the "all" after it, and what is excluded.

    Words that name anything else remain, so that the clause does nothing.
    """
    named = [n for n, part in enumerate(parts) if "以外" in part.words]
    objects = [p for p in parts if p.words and p.particle in ("を", "は", "も", "が", "", "、")]
    if before:
        if not all(_is_everything(p.words) for p in objects):
            return parts, ""
        return (*_list_sources(objects), *(p for p in parts if p not in objects)), before
    if len(named) != 1:
        return parts, ""
    place = named[0]
    words, _, rest = parts[place].words.partition("以外")
    listed = [p.words for p in parts[:place] if p.particle in ("と", "や") and p.words]
    others = [p for n, p in enumerate(parts) if n != place and p in objects]
    rest = rest.removeprefix("の")
    plain = rest == "" or _is_everything(rest)
    if not words or not plain or not all(_is_everything(p.words) for p in others):
        return parts, ""
    if parts[place].particle not in ("を", "は", "も", "", "、", ","):
        return parts, ""
    remaining = tuple(p for n, p in enumerate(parts) if p not in others and n != place
                 and p.particle not in ("と", "や"))  # fmt: skip
    sources = _list_sources([*others, JapanesePart(rest, "")])
    return (*sources, *remaining), "と".join((*listed, words))


_ALL = "|".join(sorted(ja.ALL))
_EVERYTHING = re.compile(rf"(?:(?:{'|'.join(ja.LISTS.rest)}|{_ALL})の?)?(?P<what>.*?)(?:{_ALL})?")


def _is_everything(words: str) -> bool:
    """Whether the words mean all things, or all of a holder: 全部, 持ち物, 棚のもの."""
    found = _EVERYTHING.fullmatch(words)
    what = found["what"] if found and words else words
    owner, part = _split_part(what)
    return (
        not what
        or ja.is_in(what, ja.WORDS.held, ja.WORDS.contents)
        or (bool(owner) and part in ja.WORDS.contents)
    )


_HELD = tuple(ja.WORDS.held)


def _list_sources(objects: list[JapanesePart]) -> list[JapanesePart]:
    """から with the holder for each object such as 棚の上のもの."""
    owners = (_split_part(p.words)[0] for p in objects if not p.words.endswith(_HELD))
    return [
        JapanesePart(_strip_inside(owner.removesuffix("の")), "から")
        for owner in owners
        if owner and owner not in ja.LISTS.rest
    ]


_CONTENTS = tuple(sorted(ja.WORDS.contents, key=len, reverse=True))
_OF_CONTENTS = tuple("の" + part for part in _CONTENTS)


def _split_part(words: str) -> tuple[str, str]:
    """The thing and the part that is named of it; もの has no の in it."""
    words = words.replace("にある", "の")
    if words in ja.WORDS.contents:
        return "", words
    if words.endswith(_OF_CONTENTS):
        part = next(part for part in _CONTENTS if words.endswith("の" + part))
        return words[: -len(part) - 1], part
    owner, _, part = words.rpartition("の")
    return owner, part


_OWNING = re.compile("にある|の")


def _split_owners(words: str) -> Iterator[tuple[str, str]]:
    """Each reading of the words as a place and a thing in it."""
    for found in _OWNING.finditer(words):
        if found.start() and found.end() < len(words):
            yield words[: found.start()], words[found.end() :]


def _is_speaker(lexicon: ParserContext, particle: str, words: str) -> bool:
    own = fold_text(words) in lexicon.own_names or words in ja.WORDS.self
    return particle in ja.WORDS.subjects and own


def _strip_inside(words: str) -> str:
    """箱 for 箱の中, 机 for 机の上."""
    for inside in () if words in ja.WORDS.its_inside else ja.LISTS.inside:
        if words.endswith(inside) and len(words) > len(inside):
            return words.removesuffix(inside)
    return words


_HOLDERS = frozenset({"supporter", "container"})


def _read_remainder(lexicon: ParserContext, part: JapanesePart) -> JapanesePart:
    """棚の残り is 棚のもの: what was taken before is gone from it."""
    holder = part.words.removesuffix("の残り")
    meant = lexicon.find_matches(holder) if holder != part.words else ()
    if not meant or not all(e.kind in _HOLDERS and not e.takeable for e in meant):
        return part
    return part._replace(words=f"{holder}のもの")


_COUNTED = re.compile(
    "(?P<name>.*?)(?P<number>[二三四五六七八九2-9]|ふた|みっ|よっ)(?:つ|個|本|枚|冊|通|匹|杯|皿|束)"
)
_COUNTED_BEFORE = re.compile(
    "(?P<number>[二三四五六七八九2-9]|ふた|みっ|よっ)(?:つ|個|本|枚|冊|通|匹|杯|皿|束)の(?P<name>.{1,40})"
)
_NUMBERS = {"ふた": 2, "みっ": 3, "よっ": 4} | {n: i for i, n in enumerate("二三四五六七八九", 2)}


def split_count(words: str) -> tuple[str, int]:
    """カップ二つ or 二つのカップ as the name and the number; 0 if there is none."""
    found = _COUNTED.fullmatch(words) or _COUNTED_BEFORE.fullmatch(words)
    if not found:
        return words, 0
    number = found["number"]
    return found["name"], _NUMBERS.get(number) or int(number)


def _find_lock_suffixes(target: str) -> frozenset[str]:
    return frozenset(s for s in ja.LISTS.locks if target.endswith(s) and target != s)
