"""Adverbs of manner that no list can hold: sound-words, and words in と, く, に and で.

They say how something is done and never whether, when or to what, so a clause may be
obeyed without them. Words that could name a thing are left to the other rules.
"""

import re
from collections.abc import Container, Iterator

from saniwa.language.lexicon import ja

_VOICED = dict(
    zip(
        "かきくけこさしすせそたちつてとはひふへほ",
        "がぎぐげござじずぜぞだぢづでどばびぶべぼ",
        strict=True,
    )
)
_ROOTS = ja.LISTS.sound_roots
_KANA = re.compile("[ぁ-ゖー]{2,8}")
_SHORT = re.compile(
    "(?:[ぁ-ゖ]|(?![をはがにのへでとも])[ぁ-ゑんー]{2,4})(?<!よ)っ(?=と)|[ぁ-ゖ]っ[^たてを]り|[ぁ-ゖ]ん[^だでを]り(?=と|し)"
)
"""そっと, ゆっくり, のんびりと."""
_ROOT = re.compile(
    rf"(?:{'|'.join(ja.LISTS.sound_roots)})(?:ーん|ーっ|ん|り|っ|い)(?=っ?と)|(?:ぐ|ぽ|ぷ|ひょ|つ|す)い(?=と)"
)
"""がちゃりと, ばたんと, ぽいと: only of known roots, for プリンと is a thing and と."""
_SAID = re.compile(
    "(?:よかったら|よければ|よろしければ|はい|さあ|ほら)?、?"
    "(?:どうぞ|ありがとう|ごめんね?|よいしょ|お願い|はい|ほら|それ|えい)と(?![い言話答伝告声叫呼つさ挨頼か一も])"
)
"""A few words that are said along with a deed: どうぞと渡す."""
_LINK = re.compile("っ?と")
_STEM = re.compile(rf"(?:{'|'.join(ja.LISTS.manner_stems)})(?:に(?!な)|と)")
_OPEN = re.compile(
    "[一-鿿々]{1,3}しく|[一-鿿々]{1,3}い?[よ良深早速強]く"
    "|(?!間も|程な|限り)[一-鿿々]{1,3}[いもり]{0,2}なく"
    "|[一-鿿々]{1,3}(?:(?![をはがにのへでとも])[ぁ-ゖ]){0,5}(?:そう|がち|げ|気味|半分)に"
    "|[一-鿿々ァ-ヺー]{1,4}的に|(?!人々|木々|日々|家々)[一-鿿][然々]と"
)
"""激しく, 手際よく, 迷いなく, 名残惜しそうに, 積極的に, 平然と."""
_NOUN_AFTER = ("を", "が", "は", "の", "も", "へ", "だ")


def match_sound_word(text: str, place: int, names: Container[str]) -> int:
    """The position after a sound-word such as うきうき or そっ; 0 if there is none."""
    if not _KANA.match(text, place):
        return 0
    for half in (3, 2):
        first, second = text[place : place + half], text[place + half : place + 2 * half]
        voiced = _VOICED.get(first[:1], first[:1]) + first[1:]
        if len(second) == half and second in (first, voiced) and first in _ROOTS:
            end = place + 2 * half
            return end if text[place:end] not in names else 0
    found = _SHORT.match(text, place) or _ROOT.match(text, place)
    return found.end() if found and text[place : found.end()] not in names else 0


_KATAKANA = re.compile(
    r"(?<![ァ-ヺー])(?:([ァ-ヺー]{2,3})\1(?![ァ-ヺー])[とト]?(?![をがはのもへ])|[ァ-ヺー]{1,4}[ッっ]と)"
)
"""ガバッと, モリモリ: no particle is written in katakana, so any root will do."""


def match_katakana_sound(raw: str, place: int) -> int:
    """The position after a sound-word in katakana; 0 if there is none."""
    found = _KATAKANA.match(raw, place)
    return found.end() if found else 0


def list_adverb_ends(
    text: str, place: int, names: Container[str], sound: int, *, named: bool
) -> Iterator[int]:
    """The positions after each adverb that may begin here.

    Args:
        text: The sentence in hiragana and kanji.
        place: Where the adverb begins.
        names: What may be heard of the names in the world.
        sound: The position after a sound-word that begins here; 0 if there is none.
        named: Whether a name begins here; then only known adverbs are found.
    """
    if sound:
        linked = _LINK.match(text, sound)
        end = linked.end() if linked else sound
        noun = text.startswith((*_NOUN_AFTER, "に") if linked else _NOUN_AFTER, end)
        if text[place:end] not in names and not noun:
            yield end
    said = _SAID.match(text, place)
    if said:
        yield said.end()
    found = _STEM.match(text, place) or (None if named else _OPEN.match(text, place))
    if found:
        yield found.end()
