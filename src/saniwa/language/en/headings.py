"""Tell whether an English heading asks for what is under it, and a line for a choice."""

import re

from saniwa.language.en.parser_state import SHARING
from saniwa.language.en.words import EnglishPhrase, EnglishToken, find_leading_verb
from saniwa.language.lexicon.en import DIRECTIONS, GROUPS, SEQUENCES, WORDS
from saniwa.language.lexicon.tables import PhraseTable, WordSequence, split_phrases
from saniwa.language.mood import COMMAND, Mood, SentenceMood, find_english_mood
from saniwa.language.text import fold_text

_WORD = re.compile(r"[\w'’-]+")
_DOING = SHARING | {"move", "search", "look", "wait"}
_SIGNS: dict[Mood, PhraseTable] = {
    mood: split_phrases(GROUPS.heading_signs[mood])
    for mood in ("prohibition", "other_time", "report", "hypothesis", "statement")
}
_SETTLED = PhraseTable(SEQUENCES.asking_headings | SEQUENCES.fillers)


def read_english_heading(head: str, inline: bool) -> SentenceMood:
    """The mood of what is under a heading.

    On a line of its own a heading asks only if it is known to ("Action:", "I do the
    following:"); before words on the same line it withholds only if it is known to
    ("for later: take it").
    """
    words = _split_words(head)
    if not words or _SETTLED.count(words) == len(words):
        return COMMAND
    if WORDS.bare_refusals.issuperset(words) and not WORDS.negating.isdisjoint(words):
        return SentenceMood("prohibition", words[-1])
    if inline and len(words) == 1 and words[0] in DIRECTIONS:
        return SentenceMood("statement", words[0])  # "N: locked. S: the hall."
    sign = _find_sign(words)
    if sign != COMMAND or inline:
        return sign
    phrase = _make_phrase(words[words[0] in WORDS.speakers :])
    verb = find_leading_verb(phrase) if phrase else None
    if verb is not None and verb.kind in _DOING:
        return COMMAND  # "Take: - the lamp - the bun"
    mood = find_english_mood(words, asked=head.rstrip().endswith("?"))
    return mood if mood != COMMAND else SentenceMood("statement", words[0])


def is_english_choice(line: str) -> bool:
    """Whether a line after a list asks which of it, or says which: "Which one?"."""
    words = _split_words(line)
    asks = line.rstrip().endswith("?") and not WORDS.choosing.isdisjoint(words)
    return asks or bool(SEQUENCES.choosing.count(words))


def _find_sign(words: WordSequence) -> SentenceMood:
    for mood, table in _SIGNS.items():
        for place in range(len(words)):
            length = table.count(words, place)
            if length:
                return SentenceMood(mood, " ".join(words[place : place + length]))
    return COMMAND


def _split_words(text: str) -> WordSequence:
    return tuple(_WORD.findall(fold_text(text).replace("’", "'")))


def _make_phrase(words: WordSequence) -> EnglishPhrase:
    return tuple(EnglishToken(word, 0, 0, "word") for word in words)
