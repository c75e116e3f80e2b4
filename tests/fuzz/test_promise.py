"""The fuzzing finds the broken promises that it looks for."""

from functools import partial
from itertools import count
from pathlib import Path
from random import Random  # noqa: TID251 - with a seed

import pytest

from saniwa.core.errors import StoreError
from saniwa.core.text import quote_value
from saniwa.documents.document import parse_document_bytes
from tests.fuzz import reader_promise
from tests.fuzz.corpus import CORPUS, choose_fewest
from tests.fuzz.fuzz_loop import FuzzedReader
from tests.fuzz.fuzz_reader import PART, FuzzReader, Read, ReaderAnswer, join_parts, split_parts
from tests.fuzz.line_coverage import ReachedLines
from tests.fuzz.mutation.mutation import spoil_input
from tests.fuzz.reader_promise import BrokenPromise, try_reader
from tests.fuzz.readers import READERS
from tests.fuzz.shrinking import shrink_bytes

_NUMBERS = count()


def _make_reader(read: Read, *seeds: bytes) -> FuzzReader:
    return FuzzReader(name="tried", reads="", seeds=lambda: seeds or (b"",), read=read)


def _fail_on_bytes(content: bytes, _folder: Path) -> ReaderAnswer:
    return ReaderAnswer(answer=bytes([len(content.decode())]))


def _hang_forever(_content: bytes, _folder: Path) -> ReaderAnswer:
    while True:
        pass


def _take_much_memory(_content: bytes, _folder: Path) -> ReaderAnswer:
    return ReaderAnswer(answer=bytes(bytearray(800 << 20)[:1]))


def _change_each_time(_content: bytes, _folder: Path) -> ReaderAnswer:
    return ReaderAnswer(answer=str(next(_NUMBERS)).encode())


def _echo_content(content: bytes, _folder: Path) -> ReaderAnswer:
    return ReaderAnswer(answer=b"", shown=content.decode())


def _refuse_content(content: bytes, folder: Path) -> ReaderAnswer:
    raise StoreError("X", f"{quote_value(content.decode('latin-1'))} in {folder}")


@pytest.mark.parametrize(
    ("read", "content", "broken"),
    [
        (_fail_on_bytes, b"\xff", ("total", "UnicodeDecodeError in fuzz/test_promise.py")),
        (_hang_forever, b"", ("bounded", "TooMuchError in fuzz/test_promise.py")),
        (_take_much_memory, b"", ("bounded", "TooMuchError in ?")),
        (_change_each_time, b"", ("steady", "tried")),
        (_echo_content, b"\x1b[31m", ("quiet", r"'\x1b'")),
    ],
)
def test_a_broken_promise_is_named(
    read: Read, content: bytes, broken: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each way of breaking a promise is found and named, with its place."""
    monkeypatch.setattr(reader_promise, "SECONDS", 0.05 if read is _hang_forever else 20.0)

    found = try_reader(_make_reader(read), content)

    assert found is not None
    assert broken == (found.promise, found.place.partition(":")[0])


def test_an_error_of_our_family_is_an_answer() -> None:
    """An error of Saniwa's family is an answer, also with a temporary folder in its text."""
    assert try_reader(_make_reader(_refuse_content), b"\x1b") is None


def _guess(content: bytes, _folder: Path) -> ReaderAnswer:
    document = parse_document_bytes(content, "x", "json")
    if document.plain == [None]:
        raise ZeroDivisionError
    return ReaderAnswer(answer=b"")


def test_new_lines_lead_to_what_is_behind_them() -> None:
    """From a valid list the fuzzing reaches the one value that breaks the reader."""
    told = list[tuple[bytes, BrokenPromise]]()
    growth = FuzzedReader(_make_reader(_guess, b"[1]"), "1", lambda _, *found: told.append(found))
    left = iter(range(2_000))

    growth.begin()
    growth.grow(lambda: not told and next(left, None) is not None)

    ((content, broken),) = told
    assert ("total", b"[null]") == (broken.promise, content)
    assert broken.place.startswith("ZeroDivisionError")


def test_only_what_is_new_is_reached() -> None:
    """A line counts once, and only lines of Saniwa count."""
    reach = ReachedLines()
    looks = partial(quote_value, [1])

    assert "[1]" == reach.watch_call(looks)
    assert reach.take_new()
    reach.watch_call(looks)
    assert set() == reach.take_new()


def test_of_inputs_that_reach_the_same_one_is_kept() -> None:
    """Of inputs that reach the same lines the smallest is kept, and none without new lines."""
    reader = _make_reader(_guess, b"[1]")

    assert [b"{"] == choose_fewest(reader, [b"[2]", b"[1]", b"{", b"{                 "])


def test_the_smallest_that_still_does_it_is_found() -> None:
    """Shrinking removes everything that is not needed."""
    assert b"ab" == shrink_bytes(b"xxxxaxxxxxxbxxx", lambda c: b"a" in c and b"b" in c)


def test_the_same_chance_spoils_the_same() -> None:
    """The same seed makes the same mutations, of documents, lines and parts."""
    inputs = [b'{"a": [1, {"b": "c"}]}', b"a: 1\n", join_parts("x", "[1]"), b"{}\n[2]", b""]

    def make_inputs() -> list[bytes]:
        chance = Random("x")
        return [spoil_input(chance.choice(inputs), chance, inputs, [b"word"]) for _ in range(400)]

    assert make_inputs() == make_inputs()
    assert 200 < len(set(make_inputs()))
    assert any(b"word" in each for each in make_inputs())


def test_parts_are_as_many_as_there_are_files() -> None:
    """Every file gets a part, whatever the input holds."""
    assert [b"a", b"b" + PART + b"c"] == split_parts(join_parts("a", "b", "c"), 2)
    assert [b"a", b"", b""] == split_parts(b"a", 3)
    assert [] == split_parts(b"a", 0)


def test_every_folder_of_the_corpus_has_its_reader() -> None:
    """No two readers have the same name, and every folder of the corpus has a reader."""
    names = [each.name for each in READERS]

    assert len(names) == len(set(names))
    assert {each.name for each in CORPUS.iterdir()} <= set(names)


def test_every_reader_is_listed() -> None:
    """The page next to this file lists exactly the readers there are."""
    page = (CORPUS.parent / "README.md").read_text(encoding="utf-8")
    table = page.partition("| reader | reads |\n|---|---|\n")[2].partition("\n\n")[0]

    assert [f"| `{each.name}` | {each.reads} |" for each in READERS] == table.split("\n")
