"""From documents to a book: shipped ones, a scenario's own, and a run's edits.

Files are read elsewhere; here a document is a plain mapping, and a caller who knows where
its parts stand in a file says so with a function.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final

import msgspec

from saniwa.core.errors import RulebookError
from saniwa.core.finding import Report
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.bounds import within_bounds
from saniwa.rulebook.checks import Document
from saniwa.rulebook.layer import EMPTY, LayerReader, lay
from saniwa.rulebook.making import made
from saniwa.rulebook.notes import Locate, Notes, unplaced
from saniwa.rulebook.plugin import Plugins, installed

SHIPPED: Final = ("cooking", "default", "strict")
"""The books that come with us."""
_LARGEST_KNOWN: Final = 1_000_000
"""Bytes of layers that are remembered once they were read."""


def shipped(name: str) -> Document:
    """The document of a book that comes with us.

    Raises:
        RulebookError: `RULE_UNKNOWN_BOOK`.
    """
    if name not in SHIPPED:
        notes = Notes()
        notes.unknown("RULE_UNKNOWN_BOOK", (), name, SHIPPED)
        notes.raise_any()
    text = files("saniwa.rulebook").joinpath("books", f"{name}.json").read_bytes()
    document: Document = msgspec.json.decode(text)
    return document


@cache
def default_book() -> Rulebook:
    """The shipped book that holds where nobody names another; read once."""
    return book_from_layers(layers_of())


def layers_of(spec: str | Mapping[str, Any] | None = None) -> tuple[Document, ...]:
    """The layers a book is made of, lowest first; what a run keeps.

    `spec` is what a scenario says under `rulebook`: nothing for `default`, the name of a
    shipped book, or a document. A document stands on the book it `extends`: `default`
    where it does not say, nothing at all where it says null.

    Raises:
        RulebookError: `RULE_UNKNOWN_BOOK`, or `RULE_BAD_FIELD`.
    """
    if spec is None or isinstance(spec, str):
        return _shipped_layers("default" if spec is None else spec)
    notes = Notes()
    layers = _stood_upon(spec, notes)
    notes.raise_any()
    return layers


def inspect(document: object, where: Locate = unplaced) -> Report:
    """Everything that is wrong with a book's document; stops nobody."""
    notes = Notes(where)
    _read_layers(_stood_upon(document, notes), notes, installed)
    return notes.report()


def read_book(
    document: Mapping[str, Any],
    where: Locate = unplaced,
    *,
    plugins: Plugins = installed,
) -> Rulebook:
    """The book a document makes together with the book it extends.

    Raises:
        RulebookError: the code of its first finding, with all findings in `details`.
    """
    notes = Notes(where)
    whole = _read_layers(_stood_upon(document, notes), notes, plugins)
    notes.raise_any()
    return made(whole, plugins)


def book_from_layers(
    layers: Sequence[Mapping[str, Any]],
    where: Locate = unplaced,
    *,
    plugins: Plugins = installed,
) -> Rulebook:
    """The book that layers make, lowest first; `where` places the uppermost.

    The same layers are read once: every run of a server has its own copy of them.

    Raises:
        RulebookError: the code of its first finding, with all findings in `details`.
    """
    content = _written(layers) if plugins is installed else b""
    if content:
        # What is wrong with them is told below, with its place.
        with suppress(RulebookError):
            return _known(content)
    notes = Notes(where)
    whole = _read_layers(layers, notes, plugins)
    notes.raise_any()
    return made(whole, plugins)


@lru_cache(maxsize=32)
def _known(content: bytes) -> Rulebook:
    notes = Notes()
    whole = _read_layers(msgspec.json.decode(content), notes, installed)
    notes.raise_any()
    return made(whole, installed)


def _written(layers: Sequence[Mapping[str, Any]]) -> bytes:
    """Layers as bytes that say all there is in them; empty for what bytes cannot say."""
    try:
        content = msgspec.json.encode(layers)
        same = len(content) <= _LARGEST_KNOWN and msgspec.json.decode(content) == [
            *layers
        ]
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError):
        return b""
    return content if same else b""


def _read_layers(
    layers: Sequence[Mapping[str, Any]], notes: Notes, plugins: Plugins
) -> Document:
    """All layers as one; what is wrong with the uppermost goes into the notes.

    Raises:
        RulebookError: a layer below the uppermost is wrong.
    """
    whole = EMPTY
    for number, layer in enumerate(layers, start=1):
        mine = notes if number == len(layers) else Notes()
        upper = EMPTY
        if within_bounds(layer, mine):
            upper = LayerReader(whole, mine, plugins).read(layer)
        if mine is not notes:
            mine.raise_any()
        whole = lay(whole, upper)
    return whole


def _stood_upon(document: object, notes: Notes) -> tuple[Document, ...]:
    if not isinstance(document, Mapping):
        notes.bad((), f"a rulebook is an object, not {type(document).__name__}")
        return ()
    if not within_bounds(document, notes):
        return ()
    below = document.get("extends", "default")
    if below is None:
        return (dict(document),)
    if below not in SHIPPED:
        notes.unknown("RULE_UNKNOWN_BOOK", ("extends",), below, SHIPPED)
        below = "default"
    return (*_shipped_layers(below), dict(document))


def _shipped_layers(name: str) -> tuple[Document, ...]:
    """A shipped book, with the shipped one it stands on below it."""
    document = shipped(name)
    below = document.get("extends")
    return (*(_shipped_layers(below) if below is not None else ()), document)
