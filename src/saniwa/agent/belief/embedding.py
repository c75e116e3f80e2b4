"""Meaning by word vectors: a small table of them that comes inside a package.

Optional; it is loaded from the package's own folder and never from anywhere else.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from saniwa.agent.belief.meaning import Meaning, VectorMeaning, WordMeaning
from saniwa.core.errors import DependencyResolutionError
from saniwa.core.extra import missing

Kind = Literal["words", "vectors"]
"""How memories are compared: by the words they share, or by word vectors."""


def meaning_named(kind: Kind) -> Meaning:
    """The way of comparing of that name.

    Raises:
        DependencyResolutionError: `EXTRA_MISSING`.
    """
    return word_vectors() if kind == "vectors" else WordMeaning()


def word_vectors() -> VectorMeaning:
    """Likeness by word vectors, offline.

    Raises:
        DependencyResolutionError: `EXTRA_MISSING`.
    """
    try:
        wordllama: Any = import_module("wordllama")
    except ImportError as problem:
        raise missing(
            "wordllama",
            extra="memory",
            what="comparing memories by word vectors needs",
            kind=DependencyResolutionError,
        ) from problem
    model = wordllama.WordLlama.load(
        cache_dir=Path(wordllama.__file__).parent, disable_download=True
    )

    def embed(texts: list[str]) -> Sequence[Sequence[float]]:
        vectors: list[list[float]] = model.embed(texts).tolist()
        return vectors

    return VectorMeaning(embed)
