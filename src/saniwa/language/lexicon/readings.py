"""How Japanese words may be spelled: in kana, in kanji, with or without okurigana.

`docs/decisions/language-japanese.md` says how the tables in `readings.yaml` were made.
"""

import re
from functools import lru_cache
from itertools import islice, product
from pathlib import Path

from saniwa.language.lexicon.tables import read_lexicon

_TABLES = read_lexicon(Path(__file__).with_name("readings.yaml")).words
_SPELLINGS = tuple(tuple(entry.split(":")) for entry in _TABLES.spellings)
READINGS: dict[str, str] = {word: same[0] for same in _SPELLINGS for word in same}
"""Everyday words, with the one spelling used for all variants."""
_SAME = {same[0]: same for same in _SPELLINGS}
_LONGEST_EVERYDAY = max(map(len, READINGS))
_WORDS = dict(entry.split(":") for entry in _TABLES.readings)
_LONGEST_WORD = max(map(len, _WORDS))


_UNITS = {
    written: tuple(read.split(","))
    for entry in _TABLES.characters | _TABLES.irregular
    for written, read in [entry.split(":")]
}
"""The readings of each character, and of the words that are not read by characters."""
_LONGEST_UNIT = max(map(len, _UNITS))
_MOST_READINGS = 16
"""The most readings of one name that are listed."""
_LONGEST_NAME = 12
"""The most characters of a name whose readings are listed."""
_HIRAGANA = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}
_KANJI = re.compile("[一-鿿々]")
_MIXED_KANA = re.compile("[ァ-ヺ][ぁ-とな-にぬ-ゖ]")
"""Hiragana after katakana, but no の: リんご is a slip."""
_OKURIGANA = re.compile("[ぁ-とな-ねは-ゖ]{1,2}(?=[一-鿿])")
"""Letters between two characters that may be left out: 押入れ for 押し入れ, but no の."""
_VOICED = dict(
    zip(
        "かきくけこさしすせそたちつてとはひふへほ",
        "がぎぐげござじずぜぞだぢづでどばびぶべぼ",
        strict=True,
    )
)
_HALF_VOICED = dict(zip("はひふへほ", "ぱぴぷぺぽ", strict=True))


def fold_kana(text: str) -> str:
    """The text with katakana as hiragana, character for character."""
    return text.translate(_HIRAGANA)


@lru_cache(maxsize=16384)
def to_reading(word: str) -> str:
    """A folded word in hiragana, as far as it is known how it is read."""
    made, place = "", 0
    while place < len(word):
        for length in range(min(_LONGEST_WORD, len(word) - place), 0, -1):
            reading = _WORDS.get(word[place : place + length])
            if reading is not None:
                made, place = made + reading, place + length
                break
        else:
            made, place = made + word[place], place + 1
    return fold_kana(made)


@lru_cache(maxsize=4096)
def _split_units(name: str) -> list[tuple[str, tuple[str, ...]]]:
    """The name in pieces, each with its readings; kana have none."""
    made: list[tuple[str, tuple[str, ...]]] = []
    place = 0
    while place < len(name):
        lengths = range(min(_LONGEST_UNIT, len(name) - place), 0, -1)
        length = next((n for n in lengths if name[place : place + n] in _UNITS), 1)
        written = name[place : place + length]
        found = _UNITS.get(written, ())
        made.append((written, _expand_readings(found, first=not place)))
        place += length
    return made


def _expand_readings(readings: tuple[str, ...], *, first: bool) -> tuple[str, ...]:
    """The readings with the sounds they may have inside a word: 棚 is だな in 本棚."""
    made = list(readings)
    if not first:
        for table in (_VOICED, _HALF_VOICED):
            made += [table[r[0]] + r[1:] for r in readings if r[0] in table]
    made += [r[:-1] + "っ" for r in readings if len(r) > 1 and r[-1] in "つくちき"]
    return tuple(made)


@lru_cache(maxsize=4096)
def list_readings(name: str) -> tuple[str, ...]:
    """How a folded name in kanji may be read, in hiragana; empty if a character is not known."""
    units = _split_units(name) if len(name) <= _LONGEST_NAME and _KANJI.search(name) else []
    if any(not found and _KANJI.match(written) for written, found in units):
        return ()
    choices = [found or (fold_kana(written),) for written, found in units]
    return tuple("".join(read) for read in islice(product(*choices), _MOST_READINGS) if read)


def _is_spelled(word: str, name: str) -> bool:
    """Whether a word in hiragana is the folded name with any of its characters in kana."""
    ends = {0}
    for written, found in _split_units(name):
        spellings = (fold_kana(written), *found)
        ends = {end + len(s) for end in ends for s in spellings if word.startswith(s, end)}
    return len(word) in ends


def is_mixed_kana(word: str) -> bool:
    """Whether hiragana follows katakana: リんご is a slip."""
    return _MIXED_KANA.search(word) is not None


def is_same_reading(word: str, name: str) -> bool:
    """Whether two folded words are spellings of one: 戸だな and 戸棚, but not 橋 and 箸."""
    if word.isascii() or name.isascii() or is_mixed_kana(word):
        return False
    if to_reading(word) == to_reading(name):
        short, long = sorted((_KANJI.findall(word), _KANJI.findall(name)), key=len)
        rest = iter(long)
        return all(kanji in rest for kanji in short)
    # One character alone has too many homophones: 間 is no かん.
    return _is_spelling(word, name) or (len(word) > 1 and _is_spelling(name, word))


def _is_spelling(word: str, name: str) -> bool:
    """Whether the word is the name with characters in kana, or without okurigana."""
    if (
        not _KANJI.search(name)
        or not 1 < len(word) <= 2 * _LONGEST_NAME
        or len(name) > len(word) * 2
    ):
        return False
    if _OKURIGANA.sub("", word) == _OKURIGANA.sub("", name):
        return True
    return _is_spelled(fold_kana(word), name)


def list_heard_names(name: str) -> set[str]:
    """What may be heard of a folded name, in hiragana where it is in kana: also its head."""
    if name.isascii():
        return {name} if len(name) > 1 else set()
    heads = {name, name.rpartition("の")[2], _find_last_run(name)}
    heads |= {spelling for head in heads for spelling in list_everyday_spellings(head)}
    made = {fold_kana(head) for head in heads} | {to_reading(head) for head in heads}
    heard = {word for word in made if len(word) > 1 or word == fold_kana(name)}
    return {word for word in heard if not word.startswith("を")}


_RUN = re.compile("[一-鿿々]+|[ァ-ヺー]+|.", re.DOTALL)


def _find_last_run(name: str) -> str:
    """The kanji, the katakana or the single character at the end of a name."""
    found = _RUN.match(name[::-1])
    return found.group()[::-1] if found else ""


@lru_cache(maxsize=4096)
def to_everyday_spelling(word: str) -> str:
    """A folded word with its last noun in the standard spelling: 銀の鍵 for 銀のかぎ."""
    tail = _find_everyday_tail(word)
    return word.removesuffix(tail) + READINGS[tail] if tail else word


def list_everyday_spellings(word: str) -> tuple[str, ...]:
    """Every everyday spelling of a folded word: 銀のかぎ, 銀のカギ, 銀の鍵."""
    tail = _find_everyday_tail(word)
    same = _SAME[READINGS[tail]] if tail else ()
    return tuple(word.removesuffix(tail) + other for other in same)


def _find_everyday_tail(word: str) -> str:
    if word.isascii():
        return ""
    for length in range(min(_LONGEST_EVERYDAY, len(word)), 0, -1):
        tail = word[-length:]
        if tail in READINGS and _can_begin_noun(word[-length - 1 : -length], tail):
            return tail
    return ""


def _can_begin_noun(before: str, tail: str) -> bool:
    """Whether a noun can begin after the character: かさ in まさかさ is no umbrella."""
    if before in ("", "の", "い", "な"):
        return True
    return tail != "戸" and not ("ぁ" <= before <= "ゖ" or "ァ" <= before <= "ー")
