"""Which kind of question a sentence asks, from the meaning of its words.

A language says which features the words of a question have: the word that asks, what it is
about, and the field that its verbs and nouns belong to. The rules are the same for all
languages, and the first that applies decides. A question changes nothing, so it may be
understood generously.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

Features = frozenset[str]
"""Features of a question.

The word that asks: `where who what how why any` (is there one?), `may` (may I?), `when`.
What it is about: `self here person thing place way` (a direction), `someone`.
The field: `hint next do should able options permit need deed past not exit go lead leave
rooms behind door hold owned company withme inside empty things locate seen see called`.
"""


class FeatureTable(NamedTuple):
    """The words of a language that have features."""

    features: Mapping[tuple[str, ...], Features]
    """Phrases, as tuples of words or characters, and their features."""
    longest: int
    """The length of the longest phrase."""


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
    return FeatureTable(features, max(map(len, features)))


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
        stop = min((n for n in taken if n > place), default=len(units))
        for length in range(min(table.longest, stop - place), 0, -1):
            features = table.features.get(tuple(units[place : place + length]))
            if features is not None:
                found.append(FoundFeature(place, place + length, features))
                place += length
                break
        else:
            place += 1
    return found


_RULES: Final = (
    ("can_i", "why not|able|deed", ""),
    ("other", "why|when", ""),
    ("can_i", "fits thing", "what who where how"),
    ("can_i", "will deed thing", "what who where how person self past"),
    ("how", "how deed", ""),
    ("hint", "hint", "where thing person"),
    ("hint", "hint", "where may permit deed"),
    ("exits", "exit options", ""),
    ("what_can_i_do", "options", ""),
    ("what_can_i_do", "what able do", "thing person need how"),
    ("how", "need what deed|thing", "next"),
    ("hint", "where|what|how begin", "deed thing person"),
    ("hint", "how next", "deed thing person see leave"),
    (
        "hint",
        "what|any next",
        "where who deed thing person here go see way inside hold owned exit lead",
    ),
    ("hint", "what should", ""),
    ("hint", "what do", "how thing person past hold inside"),
    ("who_is_here", "company", "where permit"),
    ("can_i", "permit deed|leave", "where who how"),
    ("can_i", "permit", "where who what how"),
    ("where_is", "seen thing|person|place", "how may"),
    ("who_is_here", "who inside|here|self|see", "deed past hold"),
    ("who_is_here", "who", "thing person deed past hold"),
    ("who_is_here", "someone", "where deed permit seen thing person past how hold"),
    ("who_is_here", "person here|withme", "where what how may do deed past any"),
    ("exits", "exit", "deed"),
    ("exits", "exit where|what|how|any", "thing"),
    ("exits", "where go", "past thing person"),
    ("exits", "door where|what go|behind", "self"),
    ("exits", "lead|rooms", "hold"),
    ("exits", "how leave", "thing"),
    ("exits", "what|where|any way", "deed hold may thing person"),
    ("can_i", "may", "where who what how"),
    ("can_i", "able deed", "where who what how"),
    ("how", "how", ""),
    ("what_do_i_have", "owned", "where"),
    ("what_do_i_have", "self hold", "where inside"),
    ("what_do_i_have", "thing withme", "where"),
    ("where_is", "where|locate thing|person|place", ""),
    ("where_am_i", "where|locate", ""),
    ("where_am_i", "amhere place|here|indoors", "thing person may how do hold past what"),
    ("where_is", "person place|inside", "what who any may hold"),
    ("where_is", "who hold thing", ""),
    ("what_is_in", "inside|empty thing|place what", ""),
    ("what_is_in", "inside|empty thing|place", "may"),
    ("what_is_in", "hold thing|place", "self person"),
    ("what_is_in", "things here|any", "thing person"),
    ("what_is_in", "what inside here", "thing person"),
    ("where_am_i", "see|called", "thing person"),
    ("where_am_i", "what here", "thing person"),
    ("what_is", "state thing|person", "what who may able"),
    ("how", "what deed", "self"),
    ("what_is", "what|who|state|see thing|person", "past deed"),
)
"""Kinds, the features they need, and those they must not have.

`a|b c` needs a or b, and c.
"""
_COMPILED: Final = tuple(
    (kind, tuple(frozenset(group.split("|")) for group in needs.split()), frozenset(lacks.split()))
    for kind, needs, lacks in _RULES
)


def classify_question(features: Features) -> str:
    """The kind of a question with these features; `other` if no rule applies."""
    for kind, needs, lacks in _COMPILED:
        if not lacks & features and all(group & features for group in needs):
            return kind
    return "other"


def is_about_scene(kind: str, features: Features) -> bool:
    """Whether a question about the place asks what can be seen there, not what it is."""
    return kind == "where_am_i" and not features & {"where", "locate", "amhere", "called"}
