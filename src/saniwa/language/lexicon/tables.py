"""Read the tables of words of a language from its YAML file.

A phrase may be written as a pattern: `(a|b|)` is a choice, and an empty choice may be left
out.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import msgspec

from saniwa.documents.yaml import parse_yaml

WordSequence = tuple[str, ...]
"""The words of a phrase."""

_CHOICE = re.compile(r"\(([^()]*)\)")
_BETWEEN = re.compile(r"[,\n]")


Table = TypeVar("Table")


class PhraseTable(frozenset[WordSequence]):
    """Phrases that can be looked up at a place in a text."""

    @cached_property
    def _lengths(self) -> dict[str, list[int]]:
        """The lengths of the phrases with each first word, the longest first."""
        lengths: dict[str, set[int]] = {}
        for phrase in self:
            lengths.setdefault(phrase[0], set()).add(len(phrase))
        return {word: sorted(each, reverse=True) for word, each in lengths.items()}

    def count(self, words: WordSequence, place: int = 0) -> int:
        """How many words from `place` on are the longest phrase; 0 if none is there."""
        if place < len(words) and words[place] in self._lengths:
            for length in self._lengths[words[place]]:
                if words[place : place + length] in self:
                    # A slice at the end may be shorter than `length`.
                    return min(length, len(words) - place)
        return 0


class TableGroup(Generic[Table]):
    """The tables that are read in one way; each is an attribute."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        """Make each table an attribute."""
        self.__dict__.update(tables)

    def __getattr__(self, name: str) -> Table:
        """Report a table that the file does not have."""
        raise AttributeError(f"there is no table {name!r}")


class Lexicon(NamedTuple):
    """The tables of one language."""

    lists: TableGroup[tuple[str, ...]]
    """Phrases in order."""
    words: TableGroup[frozenset[str]]
    """Words and phrases without an order."""
    sequences: TableGroup[PhraseTable]
    """Phrases, each as its words."""
    groups: TableGroup[dict[str, tuple[str, ...]]]
    """The phrases under each key, in order."""
    pairs: TableGroup[dict[str, str]]
    """Each phrase, with its key."""


class _LexiconFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sections of a file; each has tables by name."""

    lists: dict[str, str] = {}
    words: dict[str, str] = {}
    phrases: dict[str, str] = {}
    sequences: dict[str, str] = {}
    groups: dict[str, dict[str, str]] = {}
    pairs: dict[str, dict[str, str]] = {}


def read_table(path: Path, kind: type[Table]) -> Table:
    """What a YAML file of the package has, as `kind`."""
    return msgspec.convert(parse_yaml(path.read_text(encoding="utf-8")).plain, kind)


def read_lexicon(path: Path) -> Lexicon:
    """The tables of a language's YAML file."""
    file = read_table(path, _LexiconFile)
    words = {name: frozenset(text.split()) for name, text in file.words.items()}
    phrases = {name: frozenset(_expand_all(text)) for name, text in file.phrases.items()}
    sequences = {name: split_phrases(_expand_all(text)) for name, text in file.sequences.items()}
    groups = {name: _expand_groups(table) for name, table in file.groups.items()}
    pairs = {name: _expand_groups(table) for name, table in file.pairs.items()}
    return Lexicon(
        lists=TableGroup({name: tuple(_expand_all(text)) for name, text in file.lists.items()}),
        words=TableGroup(words | phrases),
        sequences=TableGroup(sequences),
        groups=TableGroup(groups),
        pairs=TableGroup({name: _turn_around(table) for name, table in pairs.items()}),
    )


def _expand_groups(table: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(_expand_all(text)) for key, text in table.items()}


def _turn_around(groups: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {phrase: key for key, phrases in groups.items() for phrase in phrases}


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


def split_phrases(phrases: Iterable[str]) -> PhraseTable:
    """The words of each phrase."""
    return PhraseTable(tuple(phrase.split()) for phrase in phrases)
