"""One Japanese clause: a verb, and the roles of the words before it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from saniwa.language.ja.nouns import (
    LOOKING,
    find_described,
    is_everything,
    is_place,
    read_noun,
    split_owners,
    split_part,
    strip_end,
    strip_inside,
    strip_lock,
)
from saniwa.language.ja.tokens import JapaneseVerb
from saniwa.language.lexicon import ja
from saniwa.language.parser_context import ParserContext
from saniwa.language.text import fold_text


class JapanesePart(NamedTuple):
    """The words before a particle."""

    words: str
    """The words, without commas around them."""
    particle: str
    """The particle; empty if none follows."""


_Parts = tuple[JapanesePart, ...]
_LOCKING = {"open": "unlock", "take": "unlock", "use": "unlock", "close": "lock", "hang": "lock"}
_OPENING = frozenset({"open", "close", "lock", "unlock"})
_OWN_HAND = re.compile(
    "の(?:[^の]{1,8}な|[^の]{1,8}い|[^の]{1,8}た)?(?:手|両手|手のひら|掌)(?:の中|の上)?$"
)
"""ナナの手に渡す gives it to ナナ."""
_HELD = re.compile(f"(?:{'|'.join(sorted(ja.WORDS.held))})(?:{'|'.join(sorted(ja.ALL))})?$")


@dataclass(frozen=True, slots=True)
class JapaneseClause:
    """One verb with the words before it."""

    lexicon: ParserContext
    """What the parser may know of the world."""
    verb: JapaneseVerb
    """The verb."""
    parts: _Parts
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
        parts: _Parts,
        tool: str = "",
        left_out: str = "",
    ) -> "JapaneseClause":
        """Make a clause; its words are scanned once, however many things it names."""
        parts = tuple(p for p in parts if not _is_manner(lexicon, p))
        if verb.goes and any(p.particle in ("に", "へ", "まで") and p.words for p in parts):
            parts = tuple(p for p in parts if p != JapanesePart("そこ", "から"))
        parts, left_out = _split_exception(parts, left_out)
        parts = _find_omitted_particle(lexicon, verb.asks, parts)
        parts = tuple(_simplify_part(lexicon, verb, part) for part in parts)
        verb = verb._replace(asks=_find_lock_verb(lexicon, verb, parts))
        owners = (split_part(p.words)[0] for p in parts if verb.word in ja.WORDS.meeting)
        where = next((o for o in owners if o and is_place(lexicon, o)), "")
        if where:  # 帳場の番頭に会いに行く
            verb, parts = JapaneseVerb("行く", "move"), (JapanesePart(where, "に"),)
        if verb.asks == "hang" and _is_played(lexicon, parts):
            verb = verb._replace(asks="use")
        if verb.word in ja.WORDS.lifting and any(_is_takeable(lexicon, p) for p in parts):
            verb = verb._replace(asks="take")
        lids = (split_part(p.words) for p in parts if verb.word in ja.WORDS.uncovering)
        if any(lid in ("ふた", "蓋", "フタ") and lexicon.find_matches(box) for box, lid in lids):
            verb = verb._replace(asks="open")  # 木箱のふたを持ち上げる
        opened = _find_handle_owner(lexicon, verb, parts)
        if opened:  # 引き出しの取っ手を引く
            verb, parts = verb._replace(asks="open"), (JapanesePart(opened, "を"),)
        if verb.asks == "drop" and any(_is_holder(lexicon, p) for p in parts):
            verb = verb._replace(asks="lay")  # 机の上に放り出す
        firsts: dict[str, tuple[int, str]] = {}
        for place, (words, particle) in enumerate(parts):
            if words and not is_speaker(lexicon, particle, words):
                firsts.setdefault(particle, (place, words))
        return cls(lexicon, verb, parts, tool, firsts, left_out)

    def find_first(self, *particles: str) -> str:
        """The first words before one of the particles; empty if there are none."""
        found = [self.firsts[p] for p in particles if p in self.firsts]
        return min(found)[1] if found else ""

    def list_objects(self, *particles: str) -> list[str]:
        """鍵とコインを: everything joined to the object by と, や or a comma."""
        listed: list[str] = []
        waiting: list[str] = []
        for words, particle in self.parts:
            if particle in ("と", "や", "、", ","):
                waiting += [words] if words else []
                continue
            if particle in particles:
                own = words in ja.WORDS.anything or is_speaker(self.lexicon, particle, words)
                listed += waiting if not words else () if own else (*waiting, words)
            waiting = []
        if not listed and "" in particles:  # 鍵、とって; 手ぬぐいと一緒に取る
            return [w for w, particle in self.parts if w and particle in ("、", ",", "と")]
        return listed

    def list_targets(self) -> list[str]:
        """What it is done to: the words before を, else those that may stand for them."""
        objects = self.list_objects("を")
        if objects:
            return objects
        # 棚の物は牛乳だけ取る: the topic says of which things.
        among = any(p == "は" and words.endswith(("もの", "物")) for words, p in self.parts)
        named = self.list_objects("") if among else []
        if named and not ja.is_in(named[0], ja.ALL, ja.WORDS.quantities):
            return named
        return self.list_objects("は", "も", "が", "")

    def is_done_by_another(self) -> bool:
        """Whether another person is the subject: あゆが鍵を取る."""
        if self.verb.asks in ("inspect", "search", "stand"):
            return False
        doers = (p.words for p in self.parts if p.particle in ja.WORDS.subjects)
        return any(fold_text(words) in self.lexicon.people for words in doers)

    def is_gesture(self, *, closely: bool = False) -> bool:
        """Whether it only expresses something: 頷く, テレビに目をやる, あゆの方を見る.

        A thing that is looked at closely (…をよく見る) is examined, whether it is there or not.
        """
        target = self.find_first("を")
        gazes = self.verb.word in ja.WORDS.gazing
        prepares = self.verb.asks == "light" and target.endswith(("準備", "支度", "用意"))
        traces = self.verb.goes and not self.find_first("に", "へ", "まで")
        traces = traces and self.find_first("で") in ja.WORDS.body  # 航路を指でたどる
        if (
            traces
            or prepares
            or self.verb.asks == "gesture"
            or (gazes and target.endswith(ja.LISTS.towards) and not self.find_faced())
        ):
            return True
        if self.lexicon.narrated and gazes and target and target not in ja.HERE:
            seen = strip_inside(target)
            if self.lexicon.can_see(self.find_first("から")):
                return False  # 窓から校庭を眺める
            return self.lexicon.is_person(seen) or not (closely or self.lexicon.can_see(seen))
        held = self.lexicon.world.list_contents(self.lexicon.actor)
        grips = self.verb.word in ja.WORDS.gripping
        if grips and any(e.id in held for e in self.lexicon.find_matches(target)):
            return True
        head = target.rpartition("の")[2]
        body = head in ja.WORDS.body
        if self.verb.asks == "eat" and head in ja.WORDS.inner:
            return not self.lexicon.can_see(target)  # 朝の空気を味わう
        broken = self.verb.word in ja.WORDS.breaking
        return body and not broken and not self.lexicon.can_see(target)

    def find_faced(self) -> str:
        """The thing in reach to which one looks: 時計 in 時計の方を見る; empty if it is a person."""
        seen = self.find_first("を")
        bare = strip_end(seen, ja.LISTS.towards)
        meant = self.lexicon.find_in_scope(bare) if bare != seen else ()
        fixed = all(e.kind not in ("character", "door") for e in meant)
        return bare if meant and fixed and not is_place(self.lexicon, bare) else ""

    def find_absent(self) -> str:
        """What a gesture is made at, and is not in reach: ラベンダー in ラベンダーを嗅ぐ; else empty."""
        lexicon, smells = self.lexicon, self.verb.word.endswith(ja.LISTS.smelling)
        vague = ja.WORDS.inner | ja.WORDS.body | ja.WORDS.manner_nouns | ja.HERE | ja.FLOOR
        vague |= ja.THINGS | ja.ALL | {""}
        if self.verb.word in ja.WORDS.minded:
            return ""
        for words, particle in (p for p in self.parts if p.particle in ("を", "に", "")):
            owner = split_part(words)[0]
            named = owner if owner and lexicon.is_known(owner) else words
            seen = lexicon.is_here(named) or lexicon.find_matches(named)
            near = lexicon.is_way(named) or lexicon.is_near(named)
            known = lexicon.is_known(named) or (
                smells and particle == "を" and words.rpartition("の")[2] not in vague
            )
            if known and not seen and (smells or not near):
                return named
        return ""

    def find_carried_to(self) -> str:
        """The place where something is taken: 甲板 in 旗を甲板に持っていく; empty if there is none."""
        where = self.find_first("に", "へ", "まで")
        takes = self.verb.word in ("持っていく", "持って行く") and self.verb.asks == "take"
        return where if takes and where and is_place(self.lexicon, where) else ""

    def find_beside(self) -> str:
        """The thing in reach that one goes up to: 戸棚のところへ行く, 食卓に近づく."""
        where = self.find_first("に", "へ", "まで")
        if self.verb.asks not in ("approach", "move") or where.endswith(ja.LISTS.towards):
            return ""
        bare = strip_end(where, ja.LISTS.nearby)
        doors = self.verb.asks == "approach" or bare != where  # 扉に近づく goes through no door.
        bare = read_noun(self.lexicon, self.verb.asks, bare) or bare
        if bare != where and is_place(self.lexicon, bare):
            bare = self.lexicon.find_door(bare) or bare  # 物置の前まで行く
        there = (doors or not is_place(self.lexicon, bare)) and self.lexicon.find_matches(bare)
        return bare if there else ""


def is_speaker(lexicon: ParserContext, particle: str, words: str) -> bool:
    """Whether the words before the particle are the speaker as the subject."""
    own = fold_text(words) in lexicon.own_names or words in ja.SELF
    return particle in ja.WORDS.subjects and own


def strip_hand(words: str) -> str:
    """ナナ for ナナの手のひら."""
    return _OWN_HAND.sub("", words)


_LEADING = re.compile(
    "(.+?)(?:への|に(?:通じ|続|つなが|繋が|降り|下り|上が|出)[^の]{1,4}|へ(?:通じ|続|つなが|繋が|降り|下り|上が|出)[^の]{1,4})"
    "(?:階段|はしご|梯子|石段|坂|道|小道|扉|ドア|戸|引き戸|出口|出入り口|入口|入り口|通路|廊下)$"
)
"""A way by where it leads: 甲板への階段."""
_WRITTEN = re.compile(
    "(.+?)(?:の(?:一番|いちばん)?(?:下|上|端|隅|裏|表|真ん中|横|右|左|中|最後|最初|隅っこ|裏側|表側))?"
    "(?:に|へ)(?:[^のにを]{0,3}(?:書|記|彫|刻|印|貼|ある|載|押)[^のにを]{0,6})?"
    "(?:字|文字|文章|文|言葉|名前|数字|書き込み|落書き|注意書き|印|絵|一文|一節|メモ)$"
)
"""Words that are written on a thing."""
_SEEN = re.compile("[るたいなうくすつむぶ]$")
"""The end of what describes a place, of which there is only one."""


def means_held(words: str) -> bool:
    """Whether the words mean everything that the speaker holds."""
    return _HELD.search(words) is not None and is_everything(words)


def _find_lock_verb(lexicon: ParserContext, verb: JapaneseVerb, parts: _Parts) -> str:
    """What the verb asks for: 錠を外す unlocks, 鍵をかける locks."""
    if verb.asks not in _LOCKING or (
        verb.asks in ("take", "use") and verb.word not in ja.WORDS.undoing
    ):
        return verb.asks
    named = [p.words for p in parts if p.particle in ("を", "は", "が", "も", "") and p.words]
    found = [w for w in named if w in ja.WORDS.keys or strip_lock(w) != w]
    # 鉄の鍵 is a thing, and no lock of 鉄; something called 錠 may open itself.
    # ロッカーの鍵を開ける unlocks ロッカー, though its key has that name.
    own = {w for w in found if any(e.required_key for e in lexicon.find_matches(strip_lock(w)))}
    hung = verb.asks == "hang" and all(p.particle != "に" for p in parts)
    own = own if verb.asks in ("open", "close") or hung else set()
    things = [(w, e) for w in found if w not in own for e in lexicon.find_in_scope(w)]
    real = any(e.openable or (e.takeable and w not in ja.WORDS.keys) for w, e in things)
    return _LOCKING[verb.asks] if found and not real else verb.asks


def _is_takeable(lexicon: ParserContext, part: JapanesePart) -> bool:
    """Whether it is a thing that can be taken: スポンジを引き上げる."""
    return part.particle == "を" and any(e.takeable for e in lexicon.find_matches(part.words))


def _is_played(lexicon: ParserContext, parts: _Parts) -> bool:
    """Whether the only thing named is one that can be used: 蓄音機をかける."""
    meant = lexicon.find_matches(parts[0].words) if len(parts) == 1 else ()
    return bool(meant) and all("use" in e.attributes for e in meant)


def _find_handle_owner(lexicon: ParserContext, verb: JapaneseVerb, parts: _Parts) -> str:
    """What is shut, and is opened by its handle: 戸棚 in 戸棚の取っ手を引く; empty if nothing is."""
    if verb.word not in ja.WORDS.pulling or len(parts) != 1 or verb.asks != "use":
        return ""
    owner, part = split_part(parts[0].words)
    if part not in ja.WORDS.handles:
        pulls = parts[0].words in ja.GROUPS.parts["drawer"] and verb.word[:1] in "引ひ"
        owner = parts[0].words if pulls else ""
    meant = lexicon.find_matches(owner) if owner else ()
    return owner if meant and all(e.openable and not e.open for e in meant) else ""


def _is_holder(lexicon: ParserContext, part: JapanesePart) -> bool:
    """Whether something can be put there: 机の上に."""
    meant = lexicon.find_matches(strip_inside(part.words)) if part.particle in ("に", "へ") else ()
    return bool(meant) and all(e.kind in ("supporter", "container") for e in meant)


def _is_manner(lexicon: ParserContext, part: JapanesePart) -> bool:
    """Whether the part only says how it is done, or who does it: 笑顔で, 俺、."""
    words, particle = part
    if words in ja.SELF | ja.WORDS.single and particle in ("、", ""):
        return True
    if particle == "として" or (particle == "に" and words in ja.WORDS.purposes):
        return not lexicon.is_known(words)
    if particle != "で" or words in ja.HANDS or lexicon.is_known(words):
        return False
    return words.endswith("手") and "の" not in words  # 震える手で


def _simplify_part(lexicon: ParserContext, verb: JapaneseVerb, part: JapanesePart) -> JapanesePart:
    """The part in plainer words.

    玄関の方へ goes to 玄関; 千代のことを見る looks at 千代; 茶碗の黒いほう is 黒い茶碗; 棚の残り is
    棚のもの, for what was taken before is gone from it.
    """
    words = part.words
    leads = _LEADING.match(words) if verb.goes else None
    if leads and lexicon.is_destination(leads[1]):
        words = leads[1]
    ways = None if verb.goes else _LEADING.match(words)
    if ways and not lexicon.find_matches(words):
        words = lexicon.find_door(ways[1]) or words  # 釜場への扉を調べる
    door = any(e.kind == "door" for e in lexicon.find_in_scope(words))
    if verb.goes and not door and part.particle in ("に", "へ", "まで", ""):
        words = _simplify_goal(lexicon, words)
    elif verb.asks in LOOKING:
        words = _simplify_sight(lexicon, words.removesuffix("のこと"))
    elif verb.asks == "give" and part.particle in ("に", "へ"):
        words = strip_hand(words)
    words = _find_drawer_owner(lexicon, words)
    for told, name in lexicon.told_parts.items() if verb.asks in _OPENING | LOOKING else ():
        if words.endswith(told) and words.removesuffix(told) in ("", f"{name}の"):
            words = name  # 絵のついた戸
    if verb.asks not in ("introduce", "describe"):
        words = find_described(lexicon, words)
    holder = words.removesuffix("の残り")
    meant = lexicon.find_matches(holder) if holder != words else ()
    if meant and all(e.kind in ("supporter", "container") and not e.takeable for e in meant):
        words = f"{holder}のもの"
    return part._replace(words=words)


def _simplify_goal(lexicon: ParserContext, words: str) -> str:
    """The place that is meant: 玄関 for 玄関の方."""
    bare, inside = strip_end(words, ja.LISTS.bearings), strip_end(words, ja.LISTS.interiors)
    near = lexicon.is_near(bare) or (bare != words and is_place(lexicon, bare))
    words = bare if near else inside if lexicon.is_near(inside) else words
    if lexicon.is_known(words):
        return words
    ends = (n for n in lexicon.near if words.endswith(n) and _SEEN.search(words[: -len(n)]))
    return next(ends, words)  # 庭が見える縁側


def _simplify_sight(lexicon: ParserContext, words: str) -> str:
    """What is looked at: 手紙 for 手紙の下に書いてある字, and 外 for 外の雪の様子."""
    written = _WRITTEN.match(words)
    if written and lexicon.find_matches(written[1]):
        return written[1]
    for owner, part in () if lexicon.is_known(words) else split_owners(words):
        meant = lexicon.find_matches(owner)
        if len(meant) == 1 and part in meant[0].description and not lexicon.is_known(part):
            return meant[0].name  # 扉の三日月の紋
    outside = words.startswith(("窓の外の", "外の")) and not lexicon.is_known(words)
    return words[: words.index("外の") + 1] if outside else words


def _find_drawer_owner(lexicon: ParserContext, words: str) -> str:
    """箪笥 for 箪笥の引き出し; other words as they are."""
    owner, part = split_part(words)
    if part not in ja.WORDS.drawers or lexicon.find_matches(words):
        return words
    holds = any(e.kind == "container" for e in lexicon.find_matches(owner))
    return owner if holds else words


def _find_omitted_particle(lexicon: ParserContext, asks: str, parts: _Parts) -> _Parts:
    """傘食卓置く: of two nouns without a particle the holder is where it is put."""
    bare = [n for n, p in enumerate(parts) if p.words and p.particle in ("", "、")]
    if asks not in ("lay", "put", "give") or not bare or len(parts) < 2:
        return parts
    if any(p.particle in ("に", "へ", "と", "や") for p in parts):
        return parts
    words, last = parts[bare[-1]].words, bare[-1] == len(parts) - 1
    holds = last and any(not e.takeable for e in lexicon.find_matches(words))
    if words not in ja.FLOOR and not holds:
        return parts
    return tuple(p._replace(particle="に") if n == bare[-1] else p for n, p in enumerate(parts))


def _split_exception(parts: _Parts, before: str) -> tuple[_Parts, str]:
    """The parts without 鍵以外 and the "all" after it, and what is excluded.

    Words that name anything else remain, so that the clause does nothing.
    """
    named = [n for n, part in enumerate(parts) if "以外" in part.words]
    if len(named) != 1 and not before:
        return parts, ""
    place = len(parts) if before else named[0]
    excepted = JapanesePart("", "") if before else parts[place]
    words, _, rest = excepted.words.partition("以外")
    rest = rest.removeprefix("の")
    joined = [p for p in parts if p.particle in ("と", "や") and not before]
    objects = [
        p
        for n, p in enumerate(parts)
        if n != place and p.words and p.particle in ("を", "は", "も", "が", "", "、")
    ]
    plain = all(is_everything(w) for w in (rest, *(p.words for p in objects)) if w)
    if not plain or not (words or before) or excepted.particle not in ("を", "は", "も", "", "、"):
        return parts, ""
    used = (*objects, *joined, excepted)
    sources = _list_sources([*(p.words for p in objects), rest])
    listed = [p.words for p in joined if p.words and p in parts[:place]]
    return (*sources, *(p for p in parts if p not in used)), before or "と".join((*listed, words))


def _list_sources(objects: list[str]) -> list[JapanesePart]:
    """から with the holder for each object such as 棚の上のもの."""
    owners = (split_part(words)[0] for words in objects if not _HELD.search(words))
    return [
        JapanesePart(strip_inside(owner.removesuffix("の")), "から")
        for owner in owners
        if owner and owner not in ja.LISTS.rest
    ]
