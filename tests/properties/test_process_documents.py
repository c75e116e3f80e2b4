"""Reading a definition gives a report, whatever the definition says."""

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from saniwa.process.definition import decode_process, encode_process, hash_process
from saniwa.process.format import GUARD_KEYS, HOOK_KEYS, PROCESS, TRANSITION_KEYS
from saniwa.process.library import BundledProcessLibrary
from saniwa.process.reader import read_process_text
from tests.fakes.definitions import GOOD
from tests.fakes.nightly import scale_examples

_WORDS = ["", "draft", "read", "submit", "approve", "*", "agent", "48h", "all", "é;"]
_KEYS = sorted(
    {*PROCESS, *TRANSITION_KEYS, "name", "isFinal", "on_enter", "tool_permissions", "schema"}
    | {key for form in (*GUARD_KEYS.values(), *HOOK_KEYS.values()) for key in form}
)
_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(_WORDS)
    | st.text(max_size=5)
)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(_KEYS) | st.text(max_size=4), inner, max_size=5)
    ),
    max_leaves=20,
)


def _list_paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = (
        list(value.items())
        if isinstance(value, dict)
        else list(enumerate(value))
        if isinstance(value, list)
        else []
    )
    return [path] * bool(path) + [p for k, v in inner for p in _list_paths(v, (*path, k))]


def _read_twice(document: Any) -> None:
    """Read it twice: both give the same process, or the same errors."""
    text = json.dumps(document)
    read = read_process_text(text, "x.json", "json")

    assert (read.process is not None) == read.report.has_passed
    assert read.report == read_process_text(text, "x.json", "json").report
    if read.process is not None:
        assert read.process == decode_process(encode_process(read.process))


@settings(deadline=None)
@given(_VALUES)
def test_any_document_gives_a_report(document: Any) -> None:
    """Any document gives a report, and no process when it has a mistake."""
    _read_twice(document)


@settings(deadline=None, max_examples=scale_examples(300))
@given(st.sampled_from(_list_paths(GOOD)), _VALUES)
def test_any_part_may_be_anything(path: tuple[Any, ...], value: Any) -> None:
    """A valid definition with one part replaced is judged, whatever the new part is."""
    document: Any = copy.deepcopy(GOOD)
    here = document
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value

    _read_twice(document)


@given(st.permutations(list(GOOD)))
def test_the_order_of_keys_does_not_matter(keys: list[str]) -> None:
    """A definition has one hash, whatever the order of its keys."""
    text = json.dumps({key: GOOD[key] for key in keys})
    read, plain = (
        read_process_text(each, "x.json", "json").process for each in (text, json.dumps(GOOD))
    )

    assert read is not None
    assert plain is not None
    assert hash_process(plain) == hash_process(read)


def test_a_shipped_definition_read_from_its_own_bytes_is_the_same() -> None:
    """A shipped definition, encoded and read again as an author's file, is the same process."""
    process = BundledProcessLibrary().find("exploration")

    read = read_process_text(encode_process(process).decode(), "x.json", "json")
    assert process == read.process
