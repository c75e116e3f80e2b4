"""Which kind of question a sentence asks, from the meaning of its words.

A language says which features the words of a question have: the word that asks, what it is
about, and the field that its verbs and nouns belong to. The rules are the same for all
languages, and the first that applies decides. A question changes nothing, so it may be
understood generously.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from saniwa.language.host_commands import find_host_command
from saniwa.language.lexicon.tables import read_table

Features = frozenset[str]
"""Features of a question.

The word that asks: `where who what how why any` (is there one?), `may` (may I?), `when`.
What it is about: `self here person thing place way` (a direction), `someone`.
The field: `hint next do should able options permit need deed past not exit go lead leave
rooms behind door identity trial hold owned company withme inside empty things locate seen missing see called`.
"""


class FeatureTable(NamedTuple):
    """The words of a language that have features."""

    features: Mapping[tuple[str, ...], Features]
    """Phrases, as tuples of words or characters, and their features."""
    lengths: Mapping[str, Sequence[int]]
    """The lengths of the phrases that begin with each word or character, longest first."""


class FoundFeature(NamedTuple):
    """A phrase that has features."""

    start: int
    """Where it begins."""
    end: int
    """The position after it."""
    features: Features
    """Its features."""


def build_feature_table(phrases: Mapping[tuple[str, ...], str]) -> FeatureTable:
    """A table from phrases and their features, which are separated by spaces."""
    features = {phrase: frozenset(names.split()) for phrase, names in phrases.items()}
    lengths: dict[str, set[int]] = {}
    for phrase in features:
        lengths.setdefault(phrase[0], set()).add(len(phrase))
    return FeatureTable(features, {unit: sorted(n, reverse=True) for unit, n in lengths.items()})


def find_features(
    units: Sequence[str], table: FeatureTable, taken: Mapping[int, int]
) -> list[FoundFeature]:
    """The phrases of the table in the words, each as long as possible, from left to right.

    Args:
        units: The words or characters.
        table: What they may mean.
        taken: Where a name begins that is no phrase, and the position after it.
    """
    found: list[FoundFeature] = []
    place = 0
    while place < len(units):
        if place in taken:
            place = taken[place]
            continue
        # Most words begin no phrase.
        lengths = table.lengths.get(units[place], ())
        stop = min((n for n in taken if n > place), default=len(units)) if lengths else 0
        for length in lengths:
            features = table.features.get(tuple(units[place : place + length]))
            if features is not None and length <= stop - place:
                found.append(FoundFeature(place, place + length, features))
                place += length
                break
        else:
            place += 1
    return found


def _read_rules() -> Iterator[tuple[str, tuple[Features, ...], Features]]:
    for rule in read_table(Path(__file__).with_suffix(".yaml"), list[dict[str, str]]):
        for kind, features in rule.items():
            needs, _, lacks = features.partition(" - ")
            groups = tuple(frozenset(group.split("|")) for group in needs.split())
            yield kind, groups, frozenset(lacks.split())


_RULES: Final = tuple(_read_rules())
"""Kinds, groups of features of each of which they need one, and those they must not have."""
QUESTION_KINDS: Final = frozenset({"what_is_here", "other"}.union(kind for kind, _, _ in _RULES))
"""What a question can ask for."""


_ASKED_COMMANDS: Final = frozenset({"undo", "save", "load", "history"})


def classify_question(features: Features) -> str:
    """The kind of a question with these features; `other` if no rule applies."""
    for kind, needs, lacks in _RULES:
        if lacks.isdisjoint(features) and not any(map(features.isdisjoint, needs)):
            return kind
    return "other"


def find_asked_command(texts: Iterable[str]) -> str:
    """The first host command that can be asked about: "how do I save"; empty if there is none."""
    commands = filter(None, map(find_host_command, texts))
    return next((c.name for c in commands if c.name in _ASKED_COMMANDS), "")


def is_about_scene(kind: str, features: Features) -> bool:
    """Whether a question about the place asks what can be seen there, not what it is."""
    named = features & {"where", "locate", "amhere", "called"} and "exist" not in features
    return kind == "where_am_i" and not named
