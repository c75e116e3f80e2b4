import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from saniwa.core.errors import StoreError
from saniwa.store.key_value_store import (
    LARGEST_VALUE,
    FolderKeyValueStore,
    KeyValueStore,
    MemoryKeyValueStore,
)

NAMES = ["a", "A", "noon", "灯台の下", "../../etc/passwd", "a/b", ".", "..", "~", "CON", "x" * 100]
"""Names people might give, among them some that look like ways elsewhere."""
MAKERS: dict[str, Callable[[Path], KeyValueStore]] = {
    "folder": lambda path: FolderKeyValueStore(path / "deep" / "shelf"),
    "memory": lambda _: MemoryKeyValueStore(),
}


@pytest.fixture(params=MAKERS)
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> KeyValueStore:
    """An empty shelf of each kind."""
    return MAKERS[request.param](tmp_path)


def test_what_is_put_is_there(shelf: KeyValueStore) -> None:
    """Whatever the name, the same bytes come back, and every name is listed."""
    for number, name in enumerate(NAMES):
        shelf.put(name, b'{"n":%d}' % number)

    assert [b'{"n":%d}' % n for n in range(len(NAMES))] == [shelf.get(n) for n in NAMES]
    assert tuple(sorted(NAMES)) == shelf.list_names()


def test_no_name_leads_out_of_the_folder(tmp_path: Path) -> None:
    """Every file lies in the shelf's own folder, and only files of ours do."""
    shelf = FolderKeyValueStore(tmp_path / "shelf")
    for name in NAMES:
        shelf.put(name, b"1")

    files = [path for path in tmp_path.rglob("*") if path.is_file()]

    assert len(NAMES) == len(files)
    assert {tmp_path / "shelf"} == {path.parent for path in files}
    assert {".json"} == {path.suffix for path in files}


def test_the_same_name_is_replaced(shelf: KeyValueStore) -> None:
    """There is one sheet to a name, and composed and decomposed letters are one name."""
    shelf.put("caf\u00e9", b"1")
    shelf.put("cafe\u0301", b"2")

    assert b"2" == shelf.get("caf\u00e9")
    assert ("caf\u00e9",) == shelf.list_names()


def test_what_is_dropped_is_gone(shelf: KeyValueStore) -> None:
    """After dropping, the name is unknown again."""
    shelf.put("noon", b"1")
    shelf.drop("noon")

    assert not shelf.has("noon")
    assert () == shelf.list_names()
    with pytest.raises(StoreError, match="no save 'noon'"):
        shelf.drop("noon")


def test_an_unknown_name_is_told_with_the_nearest(shelf: KeyValueStore) -> None:
    """Whoever mistypes a name is offered the one they meant."""
    shelf.put("midnight", b"1")

    with pytest.raises(StoreError) as caught:
        shelf.get("midnite")
    assert "SAVE_NOT_FOUND" == caught.value.code
    assert "did you mean 'midnight'?" == caught.value.hint


def test_an_empty_shelf_says_so(shelf: KeyValueStore) -> None:
    """Where nothing was saved, that is the hint."""
    with pytest.raises(StoreError) as caught:
        shelf.get("noon")
    assert "nothing was saved" == caught.value.hint


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 101, "\ud800", "\x00"])
def test_a_name_nobody_could_type_is_refused(shelf: KeyValueStore, name: str) -> None:
    """Names are printable and not too long, whatever is asked of them."""
    for ask in (lambda: shelf.put(name, b"1"), lambda: shelf.get(name)):
        with pytest.raises(StoreError) as caught:
            ask()
        assert "SAVE_UNNAMED" == caught.value.code


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff"])
def test_a_file_that_is_no_sheet_is_told(tmp_path: Path, content: bytes) -> None:
    """A damaged file is an error with its name, and never an empty answer."""
    shelf = FolderKeyValueStore(tmp_path)
    shelf.put("noon", b"1")
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)

    for ask in (lambda: shelf.get("noon"), shelf.list_names):
        with pytest.raises(StoreError) as caught:
            ask()
        assert "STORE_UNREADABLE" == caught.value.code
        assert file.name in caught.value.message


def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the new sheet cannot be made to last, the old one stays, and nothing beside it."""
    shelf = FolderKeyValueStore(tmp_path)
    shelf.put("noon", b"1")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError) as caught:
        shelf.put("noon", b"2")
    assert "TRACE_UNWRITABLE" == caught.value.code
    assert caught.value.recoverable
    assert b"1" == shelf.get("noon")
    assert 1 == len(list(tmp_path.iterdir()))


def test_what_a_killed_writer_left_is_not_listed(tmp_path: Path) -> None:
    """A sheet that never got its name is no sheet."""
    shelf = FolderKeyValueStore(tmp_path)
    (tmp_path / ".saniwa-17-0.new").write_bytes(b"{")

    assert () == shelf.list_names()


def test_what_a_killed_writer_left_long_ago_is_cleared_away(tmp_path: Path) -> None:
    """When a shelf is opened, what nobody can still be writing goes; sheets stay."""
    FolderKeyValueStore(tmp_path).put("noon", b"1")
    (sheet,) = tmp_path.iterdir()
    left, fresh = (tmp_path / f".saniwa-{n}-0.new" for n in (17, 18))
    for path in (left, fresh):
        path.write_bytes(b"{")
    for path in (left, sheet):
        os.utime(path, (0, 0))

    FolderKeyValueStore(tmp_path)

    assert {sheet, fresh} == set(tmp_path.iterdir())


def test_a_shelf_that_is_no_folder_is_told_when_it_is_used(tmp_path: Path) -> None:
    """Clearing away keeps nobody from opening a shelf."""
    (tmp_path / "shelf").touch()

    with pytest.raises(StoreError, match="TRACE_UNWRITABLE"):
        FolderKeyValueStore(tmp_path / "shelf").put("noon", b"1")


def test_what_could_not_be_read_again_is_not_kept(shelf: KeyValueStore) -> None:
    """Beyond what a sheet may have, keeping is refused, and what was there stays."""
    shelf.put("noon", b"1")

    with pytest.raises(StoreError) as caught:
        shelf.put("noon", b'"' + b"x" * LARGEST_VALUE + b'"')
    assert "STATE_TOO_LARGE" == caught.value.code
    assert b"1" == shelf.get("noon")


def test_the_largest_sheet_is_read_again(shelf: KeyValueStore) -> None:
    """What is kept at the very bound comes back."""
    frame = len(b'{"name":"noon","kept":"","seal":""}') + 32
    content = b'"' + b"x" * (LARGEST_VALUE - frame) + b'"'
    shelf.put("noon", content)

    assert content == shelf.get("noon")
    with pytest.raises(StoreError, match="STATE_TOO_LARGE"):
        shelf.put("noon", b"1" + content)


def test_what_is_not_what_was_written_is_refused(tmp_path: Path) -> None:
    """A file in which one letter has changed is told, and no other story is gone on with."""
    shelf = FolderKeyValueStore(tmp_path)
    shelf.put("noon", b'{"trust":1}')
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes().replace(b'"trust":1', b'"trust":9'))

    with pytest.raises(StoreError, match="it is not what was written"):
        shelf.get("noon")


def test_a_sheet_from_before_there_were_seals_is_read(tmp_path: Path) -> None:
    """Nobody loses a place for having left it long ago."""
    shelf = FolderKeyValueStore(tmp_path)
    shelf.put("noon", b"1")
    (file,) = tmp_path.iterdir()
    file.write_bytes(b'{"name":"noon","kept":{"trust":1}}')

    assert b'{"trust":1}' == shelf.get("noon")


_DIES = """
import os, pathlib, signal, sys
from saniwa.store.key_value_store import FolderKeyValueStore

left = int(sys.argv[2])

def mortal(call):
    def last(*given, **more):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*given, **more)
    return last

os.fsync, os.replace = mortal(os.fsync), mortal(os.replace)
FolderKeyValueStore(pathlib.Path(sys.argv[1])).put("noon", b'"' + b"new" * 100_000 + b'"')
"""


@pytest.mark.parametrize(("calls", "length"), [(0, 3), (1, 3), (2, 300_002)])
def test_a_writer_killed_in_the_middle_leaves_a_whole_sheet(
    tmp_path: Path, calls: int, length: int
) -> None:
    """Before the file lasts, before it has its name, or before its name lasts."""
    shelf = FolderKeyValueStore(tmp_path)
    shelf.put("noon", b'"a"')

    child = subprocess.run([sys.executable, "-c", _DIES, str(tmp_path), str(calls)], check=False)

    assert -signal.SIGKILL == child.returncode
    assert length == len(shelf.get("noon"))
    assert ("noon",) == shelf.list_names()
    shelf.put("noon", b'"b"')
    assert b'"b"' == shelf.get("noon")
