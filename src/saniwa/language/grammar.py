"""What a language provides for narration: a grammar, and every sentence by name."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from saniwa.core.decoder_warming import warm_decoders
from saniwa.documents.yaml import parse_yaml
from saniwa.world.model import Exit


class Grammar(Protocol):
    """How one language joins names into sentences."""

    def add_indefinite_article(self, name: str) -> str:
        """The name as something new: "a brass key"."""

    def add_definite_article(self, name: str) -> str:
        """The name as something known: "the brass key"."""

    def name_place(self, name: str) -> str:
        """The name of a place as a destination: "the Orchard"."""

    def conjugate_deed(self, verb: str, *, mine: bool) -> str:
        """A verb that narrates what happened: "slice", or "slices" for others."""

    def narrate_gesture(self, words: str, *, mine: bool) -> str:
        """A gesture in the actor's words as a deed that was done; empty if it is unclear."""

    def join_names(self, names: Sequence[str]) -> str:
        """Names as a list: "a, b and c"."""

    def describe_exit(self, label: str, place: str, way: Exit, door: str, shut: bool | None) -> str:
        """One exit, with the state of its door unless `shut` is None."""


class Phrasebook(NamedTuple):
    """The tables of one language for narration."""

    grammar: Grammar
    """How names become phrases."""
    lines: Mapping[str, str]
    """Every sentence, by name, with `{}` fields."""
    plans: Mapping[str, str]
    """The phrase for each planned action, by its wire name and the roles it fills."""


class NarrationSentences(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sentences of one language, as its file has them."""

    lines: dict[str, str]
    """Every sentence, by name, with `{}` fields."""
    plans: dict[str, str]
    """The phrase for each planned action."""
    verbs: dict[str, str]
    """The plain verb for each action."""


warm_decoders(NarrationSentences)


def read_sentences(path: Path) -> NarrationSentences:
    """The sentences of a language's file."""
    text = path.read_text(encoding="utf-8")
    return msgspec.convert(parse_yaml(text).plain, NarrationSentences)
