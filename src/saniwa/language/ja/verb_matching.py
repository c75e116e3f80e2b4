"""Find where Japanese verbs begin and end, and the particles that mark words before them.

Every form of every verb is in one table; a verb is the longest form that begins where a
word can begin and ends where a clause can end. Meanings are assigned elsewhere.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from saniwa.language.ja.clauses import COMMAS, JapanesePart, JapaneseVerb
from saniwa.language.ja.conjugation import ENDINGS as _ENDINGS
from saniwa.language.ja.conjugation import FormMood, VerbForm, conjugate, is_ichidan
from saniwa.language.lexicon import ja
from saniwa.language.parser_context import ParserContext
from saniwa.language.text import NAMES, PreparedText, fold_text

_STEM_TAIL = re.compile("[一-鿿々][ぁ-ゖ]{0,2}[いきしちにひみりぎじびえけせねめれげぜべ]$")
_LONGEST_KANA_WORD = 8
_STATE = frozenset({"る", "いる", "ます", "います"})
_RELATIVE = ("いる", "ある", "いた", "あった", "る")
_KANA_WORDS = ja.ALL | ja.THINGS | ja.PEOPLE | ja.HERE | ja.ADVERBS | frozenset(ja.READINGS)
"""Words that may end in kana right before a verb."""

_TOPIC = re.compile(
    "は(?!い[るっりろれ])|も(?![どっつちらとぐう])|[、, ]?と(?=[^ぁ-ゖ]|い[うっい]|たの)"
)
"""After a て form these make the action a topic: 食べてはいけない, 食べても, 食べてと頼む."""


class JapaneseVerbMatch(NamedTuple):
    """A verb with its position."""

    verb: JapaneseVerb
    """The verb."""
    after: int
    """The position after it and its auxiliaries."""
    leads_on: bool
    """Whether another clause may follow it."""
    state: bool
    """Whether it states or asks for a state: 開いている, 持ってる."""
    mood: FormMood = "command"
    """The mood of its form with its auxiliaries."""


def _build_form_table(only: str = "") -> dict[str, JapaneseVerb]:
    table: dict[str, JapaneseVerb] = {}
    for spellings, asks in ja.VERBS:
        for word in spellings.split() if only in ("", asks) else ():
            for form in conjugate(word, ichidan=word in ja.ICHIDAN):
                made = JapaneseVerb(word, asks, form.kind, mood=form.mood)
                known = table.get(form.text)
                # A stem that is also an imperative (開け) is the imperative, unless a
                # comma follows; both readings ask for the same. An imperative wins over
                # a form that only states something (開ける is also "can open").
                stem = known is not None and known.kind == "stem" and form.kind == "end"
                if (
                    known is None
                    or (stem and form.mood == "command")
                    or (known.mood != "command" and form.mood == "command")
                ):
                    table[form.text] = made
    return table


class _Auxiliary(NamedTuple):
    """What may follow a て form."""

    kind: str
    mood: FormMood = "command"


def _build_auxiliary_table() -> dict[str, _Auxiliary]:
    made: dict[str, _Auxiliary] = {}
    for word in (*ja.AUXILIARIES, *ja.BEGGING):
        ichidan = word in ("みる", "いる", "あげる", "くれる")
        for form in conjugate(word, ichidan=ichidan):
            mood = "statement" if word in ja.BEGGING else form.mood
            if form.kind != "stem":
                made[form.text] = _Auxiliary(form.kind, mood)
    made.update(dict.fromkeys(ja.WISHES, _Auxiliary("end", "statement")))
    made.update(dict.fromkeys((*ja.COURTESIES, *_STATE), _Auxiliary("end")))
    made["って"] = _Auxiliary("link")
    return made


_VERBS = _build_form_table()
_STEMS = frozenset(
    form.text
    for spellings, _ in ja.VERBS
    for word in spellings.split()
    for form in conjugate(word, ichidan=word in ja.ICHIDAN)
    if form.kind == "stem"
)
_SAYING = _build_form_table("speak")
_LONGEST = max(map(len, _VERBS))
_AUXILIARIES = _build_auxiliary_table()
_LONGEST_AUXILIARY = max(map(len, _AUXILIARIES))
_ENDING = re.compile("(?:" + "|".join(sorted(ja.ENDINGS, key=len, reverse=True)) + ")*+")


CraftForms = Mapping[str, JapaneseVerb]
"""Every form of every verb for a craft."""


@lru_cache(maxsize=64)
def build_craft_forms(spoken: tuple[tuple[str, str], ...]) -> CraftForms:
    """The forms of verbs for crafts, from pairs of a craft and a verb.

    The first wins.
    """
    table: dict[str, JapaneseVerb] = {}
    for manner, word in spoken:
        for form in _conjugate_unlisted(word):
            made = JapaneseVerb(word, "use", form.kind, manner, form.mood)
            known = table.get(form.text)
            if known is None or (known.mood != "command" == form.mood):
                table[form.text] = made
    return table


def _conjugate_unlisted(word: str) -> Iterator[VerbForm]:
    """All forms of a verb outside the lexicon; both conjugations for kanji and る."""
    if word[-1:] not in _ENDINGS:
        yield VerbForm(word, "end")
        return
    yield from conjugate(word, ichidan=is_ichidan(word))
    if word.endswith("る") and len(word) > 1 and not is_hiragana(word[-2]):
        yield from conjugate(word, ichidan=True)


def match_verb(
    heard: PreparedText, place: int, start: int, end: int, taught: CraftForms
) -> JapaneseVerbMatch | None:
    """The verb that begins here, in a clause that begins at `start`."""
    if not _can_begin_verb(heard, place, start):
        return None
    said_so = place > start and heard.mask[place - 1] in "とて"
    return _match_longest(heard, place, start, end, taught, said_so=said_so)


def match_saying_verb(
    heard: PreparedText, place: int, start: int, end: int, taught: CraftForms
) -> JapaneseVerbMatch | None:
    """As `match_verb`, but an ambiguous verb is read as a verb of saying: いって."""
    if not _can_begin_verb(heard, place, start):
        return None
    return _match_longest(heard, place, start, end, taught, said_so=True)


def _match_longest(
    heard: PreparedText, place: int, start: int, end: int, taught: CraftForms, *, said_so: bool
) -> JapaneseVerbMatch | None:
    mask = heard.mask
    longest = max(_LONGEST, *map(len, taught)) if taught else _LONGEST
    for length in range(min(longest, end - place), 0, -1):
        form = mask[place : place + length]
        verb = taught.get(form) or _VERBS.get(form)
        if verb is None:
            continue
        verb = _SAYING.get(form, verb) if said_so else verb
        closed = _find_verb_end(mask, verb, (place, place + length), start, end)
        if closed is not None:
            after, state, leaning = closed
            leads_on = verb.kind != "end" and after < end
            mood = verb.mood if verb.mood != "command" else leaning
            return JapaneseVerbMatch(verb, after, leads_on, state, mood)
    return None


def _can_begin_verb(heard: PreparedText, place: int, start: int) -> bool:
    """Whether a word can begin here: no とって in とってを, no 消す in 取り消す."""
    mask = heard.mask
    if place > start and mask[place - 1] == "見":
        return False  # 見返す returns nothing.
    if place == start or not is_hiragana(mask[place - 1]):
        return True
    if _follows_kana_word(heard.low, place, start):
        return True
    if not is_hiragana(mask[place]):
        particle = mask[place - 1] in "にへ" and not is_hiragana(mask[place - 2])
        return particle or not _STEM_TAIL.search(mask, max(start, place - 4), place)
    # A particle follows a noun: と in とどける is none.
    first = place - 1 == start or mask[place - 2] in "を" + COMMAS
    return mask[place - 1] == "を" or (mask[place - 1] in "にへではがもと" and not first)


def _follows_kana_word(low: str, place: int, start: int) -> bool:
    shortest = max(start, place - _LONGEST_KANA_WORD)
    return any(low[begin:place] in _KANA_WORDS for begin in range(shortest, place - 1))


def _find_verb_end(
    mask: str, verb: JapaneseVerb, span: tuple[int, int], start: int, end: int
) -> tuple[int, bool, FormMood] | None:
    """The position after the verb, whether it is a state, and its mood.

    None if the form cannot end there.
    """
    begin, place = span
    if verb.kind == "stem":
        return (place, False, "command") if _can_stem_continue(mask, begin, place) else None
    if verb.kind == "link":
        if begin == start and mask[place : place + 1] == "を":
            return None
        return _skip_auxiliaries(mask, place, end)
    closed = _skip_endings(mask, place, end)
    if closed is None and mask[begin:place] in _STEMS and _can_stem_continue(mask, begin, place):
        closed = place
    return None if closed is None else (closed, False, "command")


_NOUN_AND_PARTICLE = re.compile("[^ぁ-ゖ、,]{1,40}(?:の[^ぁ-ゖ、,]{1,40}){0,4}[をにへでがはから]")


def _can_stem_continue(mask: str, begin: int, place: int) -> bool:
    """Before a comma; also between an object and a noun: 鍵を取り門を開ける."""
    follows = mask[place : place + 1]
    if follows in ("、", ","):
        return True
    # 食べ忘れる is one verb: only a noun with its particle begins another clause.
    noun = _NOUN_AND_PARTICLE.match(mask, place) is not None
    return bool(follows) and noun and place - begin > 1 and mask[begin - 1] == "を"


def _skip_endings(mask: str, place: int, end: int) -> int | None:
    after = _ENDING.match(mask, place, end)
    closed = after.end() if after else place
    return closed if closed >= end or mask[closed] in COMMAS else None


def _skip_auxiliaries(mask: str, place: int, end: int) -> tuple[int, bool, FormMood] | None:
    """Skip what follows a て form; None if it only modifies a noun."""
    mood: FormMood = "command"
    while True:
        leaned, leaning = _find_next_auxiliary(mask, place, end)
        if leaning is not None and mood == "command":
            mood = leaning.mood
        if leaning is not None and leaning.kind == "link":
            place = leaned
            continue
        if leaning is not None:
            state = any(mask.startswith(s, place, leaned) for s in _STATE)
            return leaned, state, mood
        if mask.startswith(_RELATIVE, place, end) or _TOPIC.match(mask, place, end):
            return None
        after = place + 2 if mask.startswith("から", place, end) else place
        return after, False, mood


def _find_next_auxiliary(mask: str, place: int, end: int) -> tuple[int, _Auxiliary | None]:
    for length in range(min(_LONGEST_AUXILIARY, end - place), 0, -1):
        leaning = _AUXILIARIES.get(mask[place : place + length])
        if leaning is None:
            continue
        if leaning.kind == "link":
            return place + length, leaning
        closed = _skip_endings(mask, place + length, end)
        if closed is not None:
            return closed, leaning
    return place, None


def is_hiragana(letter: str) -> bool:
    """Whether the character is hiragana."""
    return "ぁ" <= letter <= "ゖ"


_LONGEST_WORD = 40
_KANA = "ぁ-ゎゐゑんゔ-ゖ"
"""Hiragana except を, which is no part of a verb."""
_LEADS_ON = re.compile(
    rf"(?:[一-鿿々][{_KANA}]{{1,4}}?て|[一-鿿々][{_KANA}]{{0,3}}?[んい]で|[一-鿿々ァ-ー]して"
    rf"|[寝着煮来得]て|(?<=[をにへで、, ])[{_KANA}]{{1,5}}(?:って|んで|いて|して)"
    rf"|\A[{_KANA}]{{1,5}}(?:って|んで|いて|して))(?:から)?(?=[^ぁ-ゖ]|\Z)"
    rf"|[{_KANA}一-鿿々]{{1,8}}(?:ないで|ずに|なくて)"
)
_KNOWN = ja.THINGS | ja.PEOPLE | ja.HERE | ja.SELF | ja.ALL | frozenset(ja.READINGS)


def find_unknown_clauses(heard: PreparedText, start: int, end: int) -> Iterator[int]:
    """Where clauses end whose verb is unknown but has the form of a continuing one."""
    for found in _LEADS_ON.finditer(heard.mask[start:end]):
        word = found.group()
        if word in ja.ADVERBS or word.endswith((*ja.NOT_CLAUSES, *ja.CONJUNCTIONS)):
            continue
        yield start + found.end()


def split_parts(
    heard: PreparedText, lexicon: ParserContext, start: int, end: int
) -> Iterator[JapanesePart]:
    """The parts of a clause before its verb."""
    begin = place = start
    while place < end:
        particle = _find_particle(heard, lexicon, begin, place, end)
        if not particle:
            place += 1
            continue
        words = _strip_adverb(heard.extract_span(begin, place).strip(COMMAS))
        every = _find_all_word(words) if particle in ("に", "へ", "から") else ""
        if every:  # 全部庭師に渡す
            yield JapanesePart(every, "")
            words = words.removeprefix(every)
        yield JapanesePart(words, "を" if particle == "について" else particle)
        place += len(particle)
        begin = place = place + _measure_topic(particle, heard.mask, place, end)
    left = heard.low[begin:end].strip(COMMAS)
    if left and left not in ja.ADVERBS:
        yield JapanesePart(heard.extract_span(begin, end).strip(COMMAS), "")


def _strip_adverb(words: str) -> str:
    """ランプ for こっそりランプ; an adverb alone is not removed."""
    for length in range(min(_LONGEST_ADVERB, len(words) - 1), 2, -1):
        if words[:length] in ja.ADVERBS:
            return words[length:].strip(COMMAS)
    return words


_LONGEST_ADVERB = max(map(len, ja.ADVERBS))


def _find_all_word(words: str) -> str:
    """The word for "all" before a noun; empty if there is none."""
    return next((w for w in ja.ALL if words.startswith(w) and words != w), "")


def _measure_topic(particle: str, mask: str, place: int, end: int) -> int:
    """The length of a は or も after the particle: 北には行く, but not にはさみを."""
    if particle not in ("から", "まで", "へ", "に", "で") or place >= end:
        return 0
    follows = mask[place + 1 : place + 2]
    return int(mask[place] in "はも" and not is_hiragana(follows or "あ"))


def _find_particle(
    heard: PreparedText, lexicon: ParserContext, begin: int, place: int, end: int
) -> str:
    mask = heard.mask
    letter = mask[place]
    if letter == "を":
        return "を" if place > begin else ""
    if letter == "、" or letter == ",":
        return letter
    if place == begin or letter in NAMES or mask.startswith(ja.WITHIN, place, end):
        return ""
    if not _can_end_noun(heard, lexicon, begin, place):
        return ""
    return next((p for p in ja.PARTICLES if mask.startswith(p, place, end)), "")


def _can_end_noun(heard: PreparedText, lexicon: ParserContext, begin: int, place: int) -> bool:
    """Whether a noun may end here: particles also occur inside words in kana."""
    if not is_hiragana(heard.mask[place - 1]):
        return True
    if place - begin > _LONGEST_WORD:
        return False
    word = heard.low[begin:place].strip(COMMAS)
    return (
        word in _KNOWN
        or word in ja.DIRECTIONS
        or word.endswith((*ja.INSIDE, *ja.HONORIFICS))
        or ja.to_everyday_spelling(word) != word
        or fold_text(word) in lexicon.people
    )
