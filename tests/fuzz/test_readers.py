"""Every reader keeps its promises, for its corpus and for inputs made from it."""

import os

import pytest

from tests.fakes.nightly import NIGHTLY, scale_examples
from tests.fuzz.corpus import MOST_BYTES, read_corpus
from tests.fuzz.fuzz_loop import iterate_mutations
from tests.fuzz.fuzz_reader import FuzzReader
from tests.fuzz.reader_promise import try_reader
from tests.fuzz.readers import READERS

_TIMES = 25 if NIGHTLY else 1
_EACH = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)


@_EACH
def test_sound_inputs_and_the_corpus_break_no_promise(reader: FuzzReader) -> None:
    """Valid inputs and the corpus break no promise."""
    for content in (*reader.seeds(), *read_corpus(reader)):
        assert try_reader(reader, content) is None


@_EACH
def test_what_is_made_of_them_breaks_none_either(reader: FuzzReader) -> None:
    """Mutations of them break none either; the seed is fixed, and `make fuzz` uses others."""
    seed = os.environ.get("SANIWA_EXPLORE") or "everyday"
    for content in iterate_mutations(reader, seed, scale_examples(reader.tries) * _TIMES):
        broken = try_reader(reader, content)
        assert broken is None, f"{broken}\n{content!r}"


@_EACH
def test_the_corpus_stays_small(reader: FuzzReader) -> None:
    """The corpus of a reader stays within a few kilobytes."""
    assert MOST_BYTES >= sum(map(len, read_corpus(reader)))
