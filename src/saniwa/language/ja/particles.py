"""Split the words before a Japanese verb at their particles."""

from collections.abc import Iterator

from saniwa.language.ja.clauses import COMMAS, JapanesePart
from saniwa.language.ja.verb_matching import _KNOWN, _LONGEST_WORD, is_hiragana
from saniwa.language.lexicon import ja
from saniwa.language.parser_context import ParserContext
from saniwa.language.text import NAMES, PreparedText, fold_text


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
