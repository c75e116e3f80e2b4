"""Every reader keeps its promises: for its corpus, and for inputs made of it."""

import os

import pytest

from tests.fakes.nightly import NIGHTLY, scale_examples
from tests.fuzz.corpus import MOST_BYTES, kept
from tests.fuzz.growing import mutations
from tests.fuzz.promise import tried
from tests.fuzz.reader import Reader
from tests.fuzz.readers import READERS

_TIMES = 25 if NIGHTLY else 1
_EACH = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)


@_EACH
def test_sound_inputs_and_the_corpus_break_no_promise(reader: Reader) -> None:
    """What was found worth keeping is read as it should be, every time."""
    for content in (*reader.seeds(), *kept(reader)):
        assert tried(reader, content) is None


@_EACH
def test_what_is_made_of_them_breaks_none_either(reader: Reader) -> None:
    """The same inputs for everybody; `make fuzz` looks for others."""
    seed = os.environ.get("SANIWA_EXPLORE") or "everyday"
    for content in mutations(reader, seed, scale_examples(reader.tries) * _TIMES):
        broken = tried(reader, content)
        assert broken is None, f"{broken}\n{content!r}"


@_EACH
def test_the_corpus_stays_small(reader: Reader) -> None:
    """A few kilobytes a reader, and no folder without a reader."""
    assert MOST_BYTES >= sum(map(len, kept(reader)))
