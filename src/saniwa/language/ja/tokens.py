"""Split a Japanese sentence into tokens; every character belongs to one.

The cheapest path through all tokens that may begin at each character is chosen: names of
the world, verbs with their auxiliaries, particles, adverbs, endings of a sentence, and
unknown words, which cost most. A verb is only found where a word can begin, so a
compound such as 食べ忘れる, which is not in the lexicon, is an unknown word and not 食べる.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from saniwa.language.ja.conjugation import (
    ADJECTIVE,
    ENDINGS,
    SURU,
    Inflection,
    find_honorifics,
    find_inflections,
    find_verb_class,
    is_ichidan,
)
from saniwa.language.ja.manner_adverb_patterns import (
    list_adverb_ends,
    match_katakana_sound,
    match_sound_word,
)
from saniwa.language.lexicon import ja, readings
from saniwa.language.name_index import index_world_names
from saniwa.language.parser_context import ParserContext
from saniwa.language.text import QUOTE, PreparedText
from saniwa.world.model import Entity

_LONGEST_UNKNOWN = 16
_MOST_SPELLED = 100
"""The most things in reach whose names are also known in kana."""
_NO_MARKS: frozenset[str] = frozenset()


class JapaneseVerb(NamedTuple):
    """A verb of the lexicon, or of a rulebook."""

    word: str
    """Its dictionary form."""
    asks: str
    """What it asks for: an action's wire name, or another key of `ja.VERBS`."""
    manner: str = ""
    """The craft it asks for, if it is the verb of one."""

    @property
    def goes(self) -> bool:
        """Whether it is a verb of going."""
        return self.asks in ("move", "pass", "leave")


class Token(NamedTuple):
    """One word of a sentence."""

    kind: str
    """`name word particle verb tail adverb time title comma` or `quote`."""
    start: int
    """Its position in the text."""
    end: int
    """The position after it."""
    text: str
    """Its characters, folded, in hiragana."""
    verb: JapaneseVerb | None = None
    """The verb."""
    form: str = ""
    """The form of the verb; see `Inflection`."""
    marks: frozenset[str] = _NO_MARKS
    """What the endings of the verb add."""


def _index_lengths(words: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """The lengths of the words that begin with each character."""
    lengths: dict[str, set[int]] = {}
    for word in words:
        lengths.setdefault(word[:1], set()).add(len(word))
    return {first: tuple(sorted(each)) for first, each in lengths.items()}


class _VerbIndex:
    """Verbs by their bodies in hiragana."""

    def __init__(self, verbs: Iterable[tuple[JapaneseVerb, str, str]]) -> None:
        """Index verbs, each with its body and its class."""
        self._bodies: dict[str, list[tuple[JapaneseVerb, str]]] = {}
        for verb, spelled, kind in verbs:
            self._bodies.setdefault(readings.fold_kana(spelled), []).append((verb, kind))
        self._lengths = _index_lengths(self._bodies)

    def find(self, text: str, place: int) -> Iterator[tuple[int, JapaneseVerb, str]]:
        """The verbs whose body is at a place: the position after it, the verb, its class."""
        for first in ("", text[place : place + 1]):
            for length in self._lengths.get(first, ()):
                after = place + length
                body = text[place:after] if after <= len(text) else "-"
                for verb, kind in self._bodies.get(body, ()):
                    yield after, verb, kind


_VERBS = _VerbIndex(
    (
        *((JapaneseVerb(w, a), *find_verb_class(w, ichidan=is_ichidan(w))) for w, a in ja.VERBS),
        *((JapaneseVerb(w, "adjective"), w[:-1], ADJECTIVE) for w in sorted(ja.WORDS.adjectives)),
    )
)


@lru_cache(maxsize=64)
def _index_crafts(spoken: tuple[tuple[str, str], ...]) -> _VerbIndex:
    """The verbs for crafts, from pairs of a craft and a verb."""
    return _VerbIndex(
        (JapaneseVerb(word, "use", manner), *each)
        for manner, word in spoken
        for each in sorted(_list_craft_classes(word))
    )


def _list_craft_classes(word: str) -> set[tuple[str, str]]:
    """The body and class of a craft's verb; both if it could drop its る or not."""
    if word[-1:] not in ENDINGS:
        return {(word, SURU)}
    unclear = word.endswith("る") and len(word) > 1 and not _is_hiragana(word[-2])
    return {
        find_verb_class(word, ichidan=i) for i in {is_ichidan(word), unclear or is_ichidan(word)}
    }


def _is_hiragana(letter: str) -> bool:
    return "ぁ" <= letter <= "ゖ"


_COST = {"name": 10, "particle": 4, "verb": 11, "tail": 3, "adverb": 8, "time": 8, "title": 2,
         "comma": 0, "quote": 0, "call": 2}  # fmt: skip
_ADJECTIVE = re.compile("[一-鿿々]{1,2}(?:し|き|た)?(?=い|かった|くな|くて|けれ|そうな)")
PORTION = re.compile(
    "(?:[一1半]|ひと)(?:切れ|きれ|かけら|欠片|口|くち|粒|つぶ|滴|つまみ|握り|すくい|さじ|杯)(?:だけ|ほど|くらい|ぐらい)?"
)
"""A measure that is only a part of a thing."""
_EACH = re.compile("[0-9一二三四五六七八九十]{1,9}(?:歩|段|つ|個|枚|本|人|口)?ずつ")
_COUNT = re.compile(
    "(?:[2-9二三四五六七八九]|ふた|みっ|よっ)(?:つ|個|本|枚|冊|通|匹|杯|皿|束)(?:とも(?!に)|(?![目ずと]))"
)
"""A number of things."""
_SPAN = re.compile(
    "(?:[0-9一二三四五六七八九十百数]{1,9}|半)(?:秒|分|時間|日|週間|か月|ヶ月|年|晩|ターン)(?:ほど|くらい|ぐらい|間)?"
    "(?:したら|後に?|以内に|(?:経|た|待)ったら|(?:して|経って|たって|待って)から)"
)
"""A span of time after which something is to be done."""
_LASTING = re.compile(
    "(?:[0-9一二三四五六七八九十数]{1,9}|半)(?:秒|分|時間|たーん)(?:間|ほど|くらい|ぐらい|だけ)?"
    "(?!後|以内|した|経|た|待った|して|[0-9])"
)
"""How long something is done."""
_UNKNOWN_IF = re.compile(
    "[一-鿿]{1,2}[ぁ-ゖ]{0,3}?(?:[いっしえけせてねべめれげ]たら|[いん]だら|[えけせてねべめれげ]ば)"
)
"""A verb outside the lexicon in a form that states a condition."""
_UNKNOWN_LINK = re.compile(
    "[一-鿿]{1,2}(?:[いきぎしちびみりえけせねべめれげっんら]{1,2}[一-鿿])?[ぁ-ゖ]{0,3}?(?:[わかがさたなばまら](?P<led>れ)(?:て|(?=、))"
    "|(?:[っいしえけせてねべめれげ]て|[いん]で|[わかがさたばまらえけせてねべめれ]ず)|[いきぎしちにびみりえけせてねべめれげ](?P<along>ながら))(?=[、一-鿿ァ-ヺ])"
    "|[一-鿿]{1,2}(?:[いきぎしちびみりえけせねべめれげっんら]{1,2}[一-鿿])?[ぁ-ゖ]{0,3}(?:[うくぐすつぬぶむる](?=ように)|[ぁ-ゖ]ない(?=ように|うちに))"
    "|[一-鿿]{1,2}[ぁ-ゑん]{1,6}?[うくぐすつぬぶむるただ](?=ので|から、)"
)
"""A verb outside the lexicon in a form that leads to another one: 好奇心に駆られて."""
_COMMAS = "、,・…—―()（）*:：~〜～^♪☆★♡♥_/"
_PICTURES = "\u2190-\u2bff\ufe0f\U0001f000-\U0001ffff"
_MARK = re.compile(f"[{re.escape(_COMMAS)}{_PICTURES}]")
_UNKNOWN = re.compile(f"[^{re.escape(_COMMAS)}{_PICTURES}を{QUOTE}]{{0,{_LONGEST_UNKNOWN}}}")
"""The characters that an unknown word may have."""
_WHICH = re.compile(r"(?<=[^、(])\([^()]{1,40}\)(?=[をにへのはが])")
"""Which thing is meant, in brackets after its name: 鍵(真鍮)を取る names none that is known."""
_LAUGHTER = re.compile("w+$|w+(?=[、,)を])|(?<=[ぁ-ゖ])[lqvxc](?=[。.!、]|$)")
"""Laughter, and a letter that was hit by mistake; it begins no Japanese word."""
_SLIP = re.compile(
    "お|w[oお]?(?=[ぁ-ヺ一-鿿])|え(?=行|[いゆ][くかこきっ]|戻|もど|向|進|出|入|帰|移|走|歩|急)"
)
"""What is typed for を, or for へ before a verb of going, by mistake."""
_WORDS: dict[str, tuple[str, ...]] = {}
for _kind, _list in (
    ("adverb", (*ja.WORDS.adverbs, *ja.WORDS.conjunctions)),
    ("time", ja.WORDS.other_times),
    ("particle", ja.WORDS.particles),
    ("tail", (*ja.TAILS, *ja.WORDS.last_tails)),
    ("title", ja.LISTS.honorifics),
    ("copula", ja.PAIRS.copulas),
    ("name", (*ja.KNOWN_NOUNS, *readings.READINGS)),
):
    for _word in _list:
        _folded = readings.fold_kana(_word)
        if _kind not in _WORDS.get(_folded, ()):
            _WORDS[_folded] = (*_WORDS.get(_folded, ()), _kind)
_LENGTHS = _index_lengths(_WORDS)
_LAST = frozenset(ja.WORDS.last_tails) - frozenset(ja.TAILS)
_REMAIN = JapaneseVerb("残る", "exist")
_COPULA = JapaneseVerb("だ", "be")
_KANJI = re.compile("[一-鿿々]")
_KATAKANA = re.compile("[ァ-ヺー]")
_CONTENT = re.compile("[ァ-ヺー一-鿿々]")
_LID = re.compile(f"(?:{'|'.join(sorted(ja.WORDS.lids))})(?=[をがはもに、]|$)")
_HIRAGANA = re.compile("[ぁ-ゖ]")
_CALLS = frozenset({"さ", "ね", "ねえ", "な", "なあ", "よ", "で"})
"""What may follow an opening word before a comma: じゃあさ、."""
_MIXED = re.compile("[ぁ-ゖ][ァ-ヺ]")
"""Katakana after hiragana begins another word."""
_WHOLE = ("ていく", "て行く", "込ませる", "せてあげる")
"""Ends of listed verbs that are no forms of others: いただいていく takes, いただく eats."""
_LESS_LIKELY = frozenset({"able", "passive", "excess", "prog"})
_RARE = frozenset({"unknown", "exist", "think", "stop", "light", "speak", "gesture"})


_FORM_CLASSES = {
    "stem": "stem", "adverb": "adverb", "noun": "suru", "way": "suru", "imp": "order",
    "vol": "intention", "plain": "end", "past": "end",
}  # fmt: skip
"""The class of a verb by its form; every other form links to what follows."""


def _classify(token: Token) -> str:
    """What matters of a token to the one after it."""
    if token.kind == "word":
        if len(token.text) == _LONGEST_UNKNOWN:
            return "long"
        return "kanji" if _KANJI.search(token.text) else "kana"
    if token.kind == "particle":
        return "no" if token.text in ja.WORDS.genitives else "particle"
    if token.kind == "verb":
        return _FORM_CLASSES.get(token.form, "link")
    return token.kind


_NOMINAL = ja.WORDS.nominal_ends | {"と"}
_NOT_AFTER_ORDERS = frozenset({"が", "な", "なよ", "の", "ん", "し", "から", "ので"})
"""Endings that follow no order: 開けがちだ is another word."""
_NOUNS = frozenset({"name", "time", "kana", "kanji", "long", "title", "quote", "suru"})
_FOLLOWS = {
    "call": frozenset({"adverb"}),
    "tail": frozenset({"end", "link", "order", "intention", "tail", "suru"}),
    "title": frozenset({"name", "kana", "kanji"}),
}
"""What each kind of token may follow."""
_BEFORE_VERB = frozenset(
    {"start", "name", "title", "particle", "adverb", "time", "comma", "quote", "link", "tail"}
)


def _may_verb_follow(before: str, token: Token) -> bool:
    if token.verb == _COPULA:
        return before in _NOUNS or before == "tail"
    if before == "kana":
        return not _is_hiragana(token.text[0])
    adjective = token.verb is not None and token.verb.asks == "adjective"
    if before == "no":
        noun = token.form == "noun"  # 千代の返事
        return noun or adjective or (token.verb is not None and "を" in token.verb.word)
    return before in _BEFORE_VERB or (adjective and before == "end")


def _may_follow(before: str, token: Token, last: str) -> bool:
    """Whether a token may follow one of the class `before`, which ends in `last`."""
    kind = token.kind
    if kind in ("comma", "quote"):
        return True
    if token.form == "slip":
        return before == "name"
    if kind in _FOLLOWS:
        ends = before == "order" and token.text in _NOT_AFTER_ORDERS
        return before in _FOLLOWS[kind] and not ends
    if kind == "particle" and token.text == "を":
        return before not in ("link", "stem") and (
            before not in ("particle", "tail", "end") or last in _NOMINAL
        )
    if kind == "particle":
        nominal = before == "tail" and last in ja.WORDS.nominal_ends
        return before in _NOUNS or nominal or (before == "adverb" and token.text == "の")
    if kind == "verb":
        return _may_verb_follow(before, token)
    if before in ("stem", "order", "intention"):
        return kind in ("name", "adverb", "time")
    if kind == "word":
        return before not in ("kana", "kanji")
    return True


def _measure_seam(last: Token | None, token: Token) -> int:
    """The cost of a noun in kanji right after a name of one kanji: 花瓶 is not about 花."""
    if last is None or last.kind != "name" or token.kind not in ("name", "word"):
        return 0
    alone = len(last.text) == 1 and _KANJI.match(last.text)
    if not (alone and _KANJI.match(token.text)):
        return 0
    return 10 if token.kind == "name" and token.text not in ja.DIRECTIONS else 8


_OLD_SPELLING = re.compile("|".join(ja.PAIRS.old_spellings))


def _find_descriptions(text: str, near: Iterable[Entity]) -> set[int]:
    """The places of words before a name that its description has: 骨の折れた傘."""
    idle: set[int] = set()
    for entity in near:
        for name in (entity.name, *entity.aliases) if entity.description else ():
            place = text.find(name)
            if place < 1:
                continue
            begun = max(text.rfind(mark, 0, max(place, 0)) for mark in "、。を") + 1
            seen = entity.description
            told = (text[n : n + 1 + (not _CONTENT.match(text, n))] for n in range(begun, place))
            start = next((n for n, part in enumerate(told, begun) if part in seen), place)
            said = text[start:place]
            content = set(_CONTENT.findall(said))
            if said[-1:] and said[-1] in _ATTRIBUTIVE[2:] and content and content <= set(seen):
                idle.update(range(start, place))
    return idle


_ATTRIBUTIVE = "のなただるいうくすつむ"
"""The ends of words that describe a noun."""


def _is_of_other(words: str, entity: Entity, near: Iterable[Entity]) -> bool:
    """Whether they say that the part after them is of something else: かまどのふた."""
    owners = [words[:place] for place, letter in enumerate(words) if letter == "の"]
    own = any(o.endswith(name) for o in owners for name in (entity.name, *entity.aliases))
    others = (name for e in near if e is not entity for name in (e.name, *e.aliases))
    return not own and any(o.endswith(name) for name in others for o in owners)


def _find_told_parts(text: str, near: Iterable[Entity]) -> dict[str, str]:
    """Doors and lids, with the one thing whose description tells of them: 絵のついた戸, 襖."""
    told: dict[str, set[str]] = {}
    near = tuple(near)
    for lid in _LID.finditer(text):
        begun = max(text.rfind(mark, 0, lid.start()) for mark in "、。をにが") + 1
        for entity in near:
            if not (entity.openable and lid.group() in entity.description):
                continue
            owned = _is_of_other(text[begun : lid.start()], entity, near)
            for start in range(begun, lid.start() + 1):
                content = set(_CONTENT.findall(text, start, lid.start()))
                whole = start == begun or text[start - 1] == "の"
                named = content or lid.group() not in ja.DOORS
                fits = start == lid.start() or text[lid.start() - 1] in _ATTRIBUTIVE
                if whole and named and fits and not owned and content <= set(entity.description):
                    told.setdefault(text[start : lid.end()], set()).add(entity.name)
                    break
    return {words: names.pop() for words, names in told.items() if len(names) == 1}


_DOUBLED = re.compile("(?<=る)る(?=[。.、!?！？ 　]|$)")
"""The end of a verb, typed twice: つけるる."""


class Tokenizer:
    """Splits the sentences of one utterance."""

    def __init__(self, heard: PreparedText, lexicon: ParserContext) -> None:
        """Prepare the names of the world and the verbs of its rulebook."""
        self._heard = heard
        self._low = heard.low
        self._folded = _OLD_SPELLING.sub(
            lambda found: ja.PAIRS.old_spellings[found.group()], readings.fold_kana(heard.low)
        )
        self._shouted = not _HIRAGANA.search(heard.low)
        self._crafts = _index_crafts(lexicon.list_craft_verbs("ja"))
        names = index_world_names(lexicon.world)
        self._names = names.japanese
        self._lengths = names.japanese_lengths
        near = [name for e in lexicon.scope[:_MOST_SPELLED] for name in (e.name, *e.aliases)]
        topics = (t for e in lexicon.scope if e.dialogue for t in e.dialogue.topics)
        # 缶切り is no 切る where people can be asked about it; 開け方 asks how to do it.
        spoken = {
            w for t in topics for w in (t.id, *t.aliases) if not (t.request or w[-1:] == "方")
        }
        lexicon.told_parts.update(_find_told_parts(heard.low, lexicon.scope[:_MOST_SPELLED]))
        spoken |= set(lexicon.told_parts)
        self._idle = _find_descriptions(heard.low, lexicon.scope[:_MOST_SPELLED])
        labels = lexicon.labels | spoken
        self._labels = frozenset(readings.fold_kana(label) for label in labels if label)
        self._labels |= {r for n in (*near, *lexicon.near) for r in readings.list_readings(n)}
        self._label_lengths = {len(label) for label in self._labels}

    def split(self, start: int, end: int) -> list[Token]:
        """The tokens between two positions; spaces belong to none."""
        places = [
            p
            for p in range(start, end)
            if self._low[p] not in ".。 \u3000"
            and p not in self._idle
            and not self._low.startswith("をを", p)
            and not _DOUBLED.match(self._low, p, end)
        ]
        text = "".join(self._folded[p] for p in places)
        raw = "".join(self._low[p] for p in places)
        made = self._find_path(text, raw)
        return [
            token._replace(start=places[token.start], end=places[token.end - 1] + 1)
            for before, token in zip([None, *made], made, strict=False)
            if not (token.kind == "comma" and before and before.text in ja.WORDS.genitives)
        ]

    def _find_path(self, text: str, raw: str) -> list[Token]:
        # For each position and class of the last token: cost, that token, and the state before.
        best: list[dict[str, tuple[int, Token | None, str]]] = [{} for _ in range(len(text) + 1)]
        best[0]["start"] = (0, None, "")
        for place in range(len(text)):
            if not best[place]:
                continue
            for token, cost in self._list_candidates(text, raw, place):
                group = _classify(token)
                for before, (spent, last, _) in best[place].items():
                    if not _may_follow(before, token, last.text if last else ""):
                        continue
                    # に in おにぎり marks nothing.
                    inside = before == "kana" and token.kind == "particle" and token.text != "を"
                    total = spent + cost + (8 if inside else _measure_seam(last, token))
                    known = best[token.end].get(group)
                    if known is None or total < known[0]:
                        best[token.end][group] = (total, token, before)
        return _trace_path(best)

    def _list_candidates(self, text: str, raw: str, place: int) -> Iterator[tuple[Token, int]]:
        letter = raw[place]
        if letter == QUOTE:
            yield Token("quote", place, place + 1, letter), 0
            return
        which = _WHICH.match(raw, place)
        if which:
            yield Token("word", place, which.end(), which.group()), 0
            return
        laughed = _LAUGHTER.match(raw, place)
        if laughed:
            yield Token("comma", place, laughed.end(), "w"), 0
        if _MARK.match(letter):
            yield Token("comma", place, place + 1, letter), 0
            return
        for token in self._list_known(text, raw, place):
            if token.kind in ("verb", "tail") and text.startswith("もの", token.end - 1):
                continue  # 残りのもの: もの is one word.
            # 入れ、 is rather 入れる that goes on than an order to 入る.
            halts = token.form == "imp" and raw[token.end : token.end + 1] == "、"
            yield token, _measure_token(token) + 4 * halts
        yield from _list_open_words(text, place)
        if letter == "を":
            yield Token("particle", place, place + 1, letter), 60
        slip = _SLIP.match(raw, place)
        if slip and (slip.group() != "お" or any(True for _ in _VERBS.find(text, place + 1))):
            meant = "へ" if slip.group() == "え" else "を"  # 手紙お読む, 売店え行く
            yield Token("particle", place, slip.end(), meant, form="slip"), 14
        cost = 9
        unknown = _UNKNOWN.match(raw, place)
        for end in range(place + 1, unknown.end() + 1 if unknown else 0):
            cost += _measure_letter(raw[end - 1])
            yield Token("word", place, end, text[place:end]), cost

    def _list_known(self, text: str, raw: str, place: int) -> Iterator[Token]:
        names = self._list_names(text, raw, place)
        yield from names
        sound = match_sound_word(text, place, self._names)
        sound *= raw[sound : sound + 1] != "ト"  # ポケット
        ends = {match_katakana_sound(raw, place)}
        ends = {end for end in ends if text[place:end] not in self._names} - {0}
        ends |= set(list_adverb_ends(text, place, self._names, sound, named=bool(names)))
        for end in sorted(ends):
            yield Token("adverb", place, end, text[place:end])
        for length in _LENGTHS.get(text[place], ()):
            word = text[place : place + length]
            for kind in _WORDS.get(word, ()) if len(word) == length else ():
                yield from self._make_word(kind, text, raw, place, place + length)
        for length in self._label_lengths:
            if (label := text[place : place + length]) in self._labels:
                yield Token("name", place, place + len(label), label)
        called = max((name.end for name in names), default=0) if _KATAKANA.match(raw, place) else 0
        for token in self._list_verbs(text, place, sound):
            if place < called < token.end and _HIRAGANA.match(raw, called):
                continue  # ナオさん is no form of 直す
            noun = text[place : token.end - 1] if token.form == "purpose" else ""
            if noun and (noun in self._names or noun in ja.HERE):
                continue  # 腰掛けに置く puts it on a 腰掛け
            if not _MIXED.search(raw, place, token.end):
                yield token

    def _list_names(self, text: str, raw: str, place: int) -> list[Token]:
        found = [text[place : place + length] for length in self._lengths]
        return [
            Token("name", place, place + len(word), word)
            for word, length in zip(found, self._lengths, strict=True)
            if len(word) == length and word in self._names
            if not readings.is_mixed_kana(raw[place : place + length])
        ]

    def _make_word(self, kind: str, text: str, raw: str, place: int, end: int) -> Iterator[Token]:
        word = text[place:end]
        if place and kind == "adverb" and word in ja.WORDS.first_words:
            return
        if not self._shouted and _is_katakana_part(kind, word, raw, place, end):
            return
        if kind == "tail" and word in _LAST and end < len(raw) and raw[end] not in _COMMAS + "~♪w":
            return
        if kind == "tail" and word == "ため" and raw[end : end + 1] == "息":
            return  # 深いため息
        going = word == "へ向かって" or (kind == "name" and word in ja.WORDS.inner)
        if going and raw[end : end + 1] == "、":
            return  # 庭へ向かって、 goes there; ためらい、 is rather a verb that goes on.
        if (
            word == "あと"
            and raw[place - 1 : place] == "な"
            and raw[end : end + 1] in "思言感呟考つ"
        ):
            return  # きれいだなあと思う
        if word in _CALLS and (raw[end : end + 1] in tuple(_COMMAS) or end == len(raw)):
            yield Token("call", place, end, word)
        if word == "残った" and raw[place - 1 : place] == "に":  # 黒板に残った文字
            yield Token("verb", place, end, word, _REMAIN, "past", frozenset({"past"}))
        elif kind == "copula":
            form, *marks = ja.PAIRS.copulas[word].split()
            yield Token("verb", place, end, word, _COPULA, form, frozenset(marks))
        else:
            yield Token(kind, place, end, word)

    def _list_verbs(self, text: str, place: int, sound: int) -> Iterator[Token]:
        for after, verb, kind in chain(self._crafts.find(text, place), _VERBS.find(text, place)):
            noun = verb.word.partition("を")[0] if verb.word in ja.WORDS.literal_idioms else ""
            if noun and readings.fold_kana(noun) in self._names:
                continue  # 幕を開ける opens a curtain where there is one.
            yield from _list_forms(text, place, after, verb, kind)
        if sound:
            after = sound + text.startswith("と", sound)
            feeling = JapaneseVerb(text[place:after] + "する", "gesture")
            yield from _list_forms(text, place, after, feeling, SURU)
        adjective = _ADJECTIVE.match(text, place)
        if adjective:
            verb = JapaneseVerb(adjective.group() + "い", "adjective")
            yield from _list_forms(text, place, adjective.end(), verb, ADJECTIVE)
        if text[place] in "おご御" and place + 1 < len(text):
            yield from _list_honorific_verbs(text, place)


def _is_katakana_part(kind: str, word: str, raw: str, place: int, end: int) -> bool:
    """Whether it is only a part of a word in katakana: じゃ in ジャム."""
    if kind != "name" and _KATAKANA.match(raw, end) and _KATAKANA.match(raw, end - 1):
        return True
    small = kind in ("particle", "tail", "copula")
    return small and raw[place:end] != word and raw[place] not in "ヲヘ"


def _list_honorific_verbs(text: str, place: int) -> Iterator[Token]:
    """お取りください, ご確認いただけますか."""
    for after, verb, kind in _VERBS.find(text, place + 1):
        forms = find_inflections(text, after, kind)
        stems = {i.end for i in forms if i.form == "stem" and not i.marks}
        for stem in stems | ({after} if kind == SURU else set()) if after > place + 1 else ():
            for found in find_honorifics(text, stem):
                yield _make_verb(text, place, verb, found)


def _list_open_words(text: str, place: int) -> Iterator[tuple[Token, int]]:
    """Amounts, spans of time and unknown verbs that state a condition, with what they cost."""
    for kind, pattern in (
        ("adverb", PORTION),
        ("adverb", _EACH),
        ("time", _SPAN),
        ("adverb", _LASTING),
        ("name", _COUNT),
    ):
        found = pattern.match(text, place)
        if found:
            yield Token(kind, place, found.end(), found.group()), _COST[kind]
    if text.startswith("ん中", place) and not text.endswith(("真", "ま"), 0, place):
        yield Token("particle", place, place + 1, "の"), _COST["particle"]
    supposed = _UNKNOWN_IF.match(text, place)
    if supposed:
        verb = JapaneseVerb(supposed.group(), "unknown")
        yield Token("verb", place, supposed.end(), verb.word, verb, "tara"), 3 * _COST["verb"]
    linked = _UNKNOWN_LINK.match(text, place)
    if linked:
        verb = JapaneseVerb(linked.group(), "unlisted")
        form = "while" if linked["along"] else "te" if linked[0][-1] in "てでれず" else "plain"
        marks = {"passive"} if linked["led"] else set[str]()
        marks |= {"neg"} if linked[0].endswith("ない") else marks
        made = Token("verb", place, linked.end(), verb.word, verb, form, frozenset(marks))
        yield made, 3 * _COST["verb"]


def _list_forms(
    text: str, place: int, after: int, verb: JapaneseVerb, kind: str
) -> Iterator[Token]:
    if kind == SURU and after > place and verb.word[-3:-2] not in "にをがと":
        yield Token("verb", place, after, text[place:after], verb, "noun")
    for found in find_inflections(text, after, kind):
        if found.end > place:
            yield _make_verb(text, place, verb, found)


def _make_verb(text: str, place: int, verb: JapaneseVerb, found: Inflection) -> Token:
    if found.form == "adverb" and found.end > place + 2:
        return Token("adverb", place, found.end, text[place : found.end])
    return Token("verb", place, found.end, text[place : found.end], verb, found.form, found.marks)


def _measure_token(token: Token) -> int:
    """What a known word costs: 開けて is of 開ける rather than of 開く."""
    rare = 0
    if token.verb is not None:
        rare = 6 if token.verb.asks == "adjective" else token.verb.asks in _RARE
        rare -= token.verb.word.endswith(_WHOLE)
    rare += 6 * ("through" in token.marks)
    rare += 2 * (token.text == "もつ")  # ラジオもつけ
    rare += 10 * (token.verb is not None and token.form == "imp" and token.verb.asks == "exist")
    rare += 10 * ("able" in token.marks and token.form in ("imp", "vol"))
    return _COST[token.kind] + rare + len(token.marks & _LESS_LIKELY)


def _measure_letter(letter: str) -> int:
    """What a character of an unknown word costs."""
    if _is_hiragana(letter):
        return 14
    return 10 if "一" <= letter <= "鿿" else 6


def _trace_path(best: list[dict[str, tuple[int, Token | None, str]]]) -> list[Token]:
    tokens: list[Token] = []
    states = best[-1]
    if not states:
        return tokens
    group = min(states, key=lambda g: (states[g][0], g))
    place = len(best) - 1
    while place > 0:
        _, token, before = best[place][group]
        if token is None:
            break
        tokens.append(token)
        place, group = token.start, before
    return tokens[::-1]
