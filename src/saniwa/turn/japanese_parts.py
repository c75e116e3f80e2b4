"""The words before a Japanese verb, cut at their particles, and clauses nobody knows."""

import re
from collections.abc import Iterator

from saniwa.turn.japanese_clause import COMMAS, Part
from saniwa.turn.japanese_verbs import is_hiragana
from saniwa.turn.languages import ja
from saniwa.turn.rough import Lexicon
from saniwa.turn.spoken import NAMES, Heard, fold

_LONGEST_WORD = 40
_KANA = "ぁ-ゎゐゑんゔ-ゖ"
"""Hiragana but for を, which is no part of a verb."""
_LEADS_ON = re.compile(
    rf"(?:[一-鿿々][{_KANA}]{{1,4}}?て|[一-鿿々][{_KANA}]{{0,3}}?[んい]で|[一-鿿々ァ-ー]して"
    rf"|[寝着煮来得]て|(?<=[をにへで、, ])[{_KANA}]{{1,5}}(?:って|んで|いて|して)"
    rf"|\A[{_KANA}]{{1,5}}(?:って|んで|いて|して))(?:から)?(?=[^ぁ-ゖ]|\Z)"
    rf"|[{_KANA}一-鿿々]{{1,8}}(?:ないで|ずに|なくて)"
)
_KNOWN = ja.THINGS | ja.PEOPLE | ja.HERE | ja.SELF | ja.ALL | frozenset(ja.READINGS)


def strange_clauses(heard: Heard, start: int, end: int) -> Iterator[int]:
    """The places where clauses end whose verb, in a form that leads on, nobody knows."""
    for found in _LEADS_ON.finditer(heard.mask[start:end]):
        word = found.group()
        if word in ja.ADVERBS or word.endswith((*ja.NOT_CLAUSES, *ja.CONJUNCTIONS)):
            continue
        yield start + found.end()


def cut(heard: Heard, lexicon: Lexicon, start: int, end: int) -> Iterator[Part]:
    """The parts of a clause before its verb."""
    begin = place = start
    while place < end:
        particle = _particle(heard, lexicon, begin, place, end)
        if not particle:
            place += 1
            continue
        words = _strip_adverb(heard.said(begin, place).strip(COMMAS))
        every = _find_all_word(words) if particle in ("に", "へ", "から") else ""
        if every:  # 全部庭師に渡す
            yield Part(every, "")
            words = words.removeprefix(every)
        yield Part(words, "を" if particle == "について" else particle)
        place += len(particle)
        begin = place = place + _topic(particle, heard.mask, place, end)
    left = heard.low[begin:end].strip(COMMAS)
    if left and left not in ja.ADVERBS:
        yield Part(heard.said(begin, end).strip(COMMAS), "")


def _strip_adverb(words: str) -> str:
    """ランプ for こっそりランプ; an adverb alone stays."""
    for length in range(min(_LONGEST_ADVERB, len(words) - 1), 2, -1):
        if words[:length] in ja.ADVERBS:
            return words[length:].strip(COMMAS)
    return words


_LONGEST_ADVERB = max(map(len, ja.ADVERBS))


def _find_all_word(words: str) -> str:
    """The word for "all" before a noun, or nothing."""
    return next((w for w in ja.ALL if words.startswith(w) and words != w), "")


def _topic(particle: str, mask: str, place: int, end: int) -> int:
    """How long a は or も behind the particle is: 北には行く, but not にはさみを."""
    if particle not in ("から", "まで", "へ", "に", "で") or place >= end:
        return 0
    follows = mask[place + 1 : place + 2]
    return int(mask[place] in "はも" and not is_hiragana(follows or "あ"))


def _particle(heard: Heard, lexicon: Lexicon, begin: int, place: int, end: int) -> str:
    mask = heard.mask
    letter = mask[place]
    if letter == "を":
        return "を" if place > begin else ""
    if letter == "、" or letter == ",":
        return letter
    if place == begin or letter in NAMES or mask.startswith(ja.WITHIN, place, end):
        return ""
    if not _can_end(heard, lexicon, begin, place):
        return ""
    return next((p for p in ja.PARTICLES if mask.startswith(p, place, end)), "")


def _can_end(heard: Heard, lexicon: Lexicon, begin: int, place: int) -> bool:
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
        or ja.everyday(word) != word
        or fold(word) in lexicon.people
    )
