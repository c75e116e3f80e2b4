"""Read the tables of words of a language from its YAML file beside this module.

A phrase may be written as a pattern: `(a|b|)` is a choice, and an empty choice may be left
out.
"""

import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from saniwa.documents.yaml import parse_yaml

WordSequence = tuple[str, ...]
"""The words of a phrase."""

_CHOICE = re.compile(r"\(([^()]*)\)")
_BETWEEN = re.compile(r"[,\n]")


class LexiconFile:
    """The tables of one language."""

    def __init__(self, language: str) -> None:
        """Read `LANGUAGE.yaml`."""
        text = Path(__file__).with_name(f"{language}.yaml").read_text(encoding="utf-8")
        self._tables = msgspec.convert(parse_yaml(text).plain, dict[str, str | dict[str, str]])

    def read_words(self, name: str) -> frozenset[str]:
        """The words of a table."""
        return frozenset(self._get_text(name).split())

    def read_phrases(self, name: str) -> tuple[str, ...]:
        """The phrases of a table, in order."""
        return tuple(_expand_all(self._get_text(name)))

    def read_sequences(self, name: str) -> frozenset[WordSequence]:
        """The phrases of a table, each as its words."""
        return split_phrases(self.read_phrases(name))

    def read_groups(self, name: str) -> dict[str, tuple[str, ...]]:
        """The phrases under each key of a table, in order."""
        return {key: tuple(_expand_all(text)) for key, text in self._get_groups(name).items()}

    def read_pairs(self, name: str) -> dict[str, str]:
        """Each phrase of a table, with its key."""
        groups = self.read_groups(name)
        return {phrase: key for key, phrases in groups.items() for phrase in phrases}

    def _get_text(self, name: str) -> str:
        return msgspec.convert(self._tables[name], str)

    def _get_groups(self, name: str) -> dict[str, str]:
        return msgspec.convert(self._tables[name], dict[str, str])


def _expand_all(text: str) -> Iterator[str]:
    """All phrases of the patterns, in order and each once."""
    patterns = (pattern.strip() for pattern in _BETWEEN.split(text))
    return iter(dict.fromkeys(p for pattern in patterns for p in _expand_pattern(pattern) if p))


def _expand_pattern(pattern: str) -> Iterator[str]:
    if "(" not in pattern:
        return iter((pattern,))
    pieces = _CHOICE.split(pattern)
    choices = [p.split("|") if n % 2 else [p] for n, p in enumerate(pieces)]
    return (" ".join(" ".join(each).split()) for each in itertools.product(*choices))


def split_phrases(phrases: Iterable[str]) -> frozenset[WordSequence]:
    """The words of each phrase."""
    return frozenset(tuple(phrase.split()) for phrase in phrases)


class PhraseTable:
    """Phrases that can be looked up at a place in a text."""

    def __init__(self, phrases: Iterable[WordSequence]) -> None:
        """Index the phrases by their first word and length."""
        self._phrases = frozenset(phrases)
        lengths: dict[str, set[int]] = {}
        for phrase in self._phrases:
            lengths.setdefault(phrase[0], set()).add(len(phrase))
        self._lengths = {word: sorted(each, reverse=True) for word, each in lengths.items()}

    def count(self, words: WordSequence, place: int = 0) -> int:
        """How many words from `place` on are the longest phrase; 0 if none is there."""
        if place < len(words):
            for length in self._lengths.get(words[place], ()):
                if words[place : place + length] in self._phrases:
                    # A slice at the end may be shorter than `length`.
                    return min(length, len(words) - place)
        return 0
