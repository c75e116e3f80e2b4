"""Files that come with an event: kept if it is accepted, removed if not."""

import os
from collections.abc import Callable
from contextlib import nullcontext
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from saniwa.process.ports import EvidenceError, LogLocker
from saniwa.process.ruling import EventAcceptance, EventRefusal, Ruling
from saniwa.store.gate.submission_folder import BACKUP_FOLDER, DiskSubmissionFolder

_YES = EventAcceptance(event_id="e", from_state="a", to_state="b", new_revision=2)
_NO = EventRefusal(code="GUARD_FAILED", message="not yet")


class _HandedLog:
    """A log with given evidence."""

    def __init__(self, *keys: str, evidence: dict[str, bytes] | None = None) -> None:
        self._keys = keys
        self._evidence = {p: sha256(c).hexdigest() for p, c in (evidence or {}).items()}

    def has_event(self, key: str) -> bool:
        return key in self._keys

    def has_evidence(self, path: str, hash: str) -> bool:
        return self._evidence.get(path) == hash


def _make_locker(*keys: str, **evidence: dict[str, bytes]) -> LogLocker:
    return lambda: nullcontext(_HandedLog(*keys, **evidence))


_never = _make_locker()


def _make_ruler(ruling: Ruling) -> Callable[[], Ruling]:
    return lambda: ruling


def _read_files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and BACKUP_FOLDER not in path.parts
    }


def _hand_in(folder: Path, files: dict[str, bytes], ruling: Ruling) -> Ruling:
    return DiskSubmissionFolder(folder).hand_in(files, "k", _make_ruler(ruling), _never)


def test_files_of_an_accepted_event_stay(tmp_path: Path) -> None:
    """Files of an accepted event stay at their paths."""
    _hand_in(tmp_path, {"a.md": b"new", "deep/b.md": b"too"}, _YES)

    assert {"a.md": "new", "deep/b.md": "too"} == _read_files(tmp_path)


def test_files_of_a_refused_event_leave_no_trace(tmp_path: Path) -> None:
    """Files of a refused event are removed, and replaced files are restored."""
    (tmp_path / "a.md").write_text("old", encoding="utf-8")

    _hand_in(tmp_path, {"a.md": b"new", "b.md": b"too"}, _NO)

    assert {"a.md": "old"} == _read_files(tmp_path)


def test_one_file_that_cannot_be_written_takes_back_the_others(tmp_path: Path) -> None:
    """If one file cannot be written, the others are removed and the event is not sent."""
    (tmp_path / "a.md").write_text("old", encoding="utf-8")
    (tmp_path / "taken").mkdir()
    sent: list[str] = []

    def send() -> Ruling:
        sent.append("sent")
        return _YES

    bench = DiskSubmissionFolder(tmp_path)
    with pytest.raises(EvidenceError):
        bench.hand_in({"a.md": b"new", "taken": b"x"}, "k", send, _never)

    assert ({"a.md": "old"}, []) == (_read_files(tmp_path), sent)


@pytest.mark.parametrize("kept", [True, False])
def test_a_crash_in_between_is_settled_by_what_the_log_says(tmp_path: Path, kept: bool) -> None:
    """After a crash, the next writer keeps or removes the files, depending on the log."""
    (tmp_path / "a.md").write_text("old", encoding="utf-8")

    def crash() -> Ruling:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        DiskSubmissionFolder(tmp_path).hand_in({"a.md": b"new"}, "k7", crash, _never)
    DiskSubmissionFolder(tmp_path).settle(_make_locker("k7") if kept else _never)

    assert {"a.md": "new" if kept else "old"} == _read_files(tmp_path)


def test_the_same_attempt_after_a_crash_is_the_same(tmp_path: Path) -> None:
    """An attempt repeated after a crash and then refused restores the original files."""
    (tmp_path / "a.md").write_text("old", encoding="utf-8")

    def crash() -> Ruling:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        DiskSubmissionFolder(tmp_path).hand_in({"a.md": b"new"}, "k", crash, _never)
    _hand_in(tmp_path, {"a.md": b"new"}, _NO)

    assert {"a.md": "old"} == _read_files(tmp_path)


@pytest.mark.parametrize(
    "path", [f"{BACKUP_FOLDER}/note.json", f"./{BACKUP_FOLDER}/0", "../x", "/x", ""]
)
def test_nothing_is_written_elsewhere(tmp_path: Path, path: str) -> None:
    """No file is written outside the folder, or where replaced files are kept."""
    inner = tmp_path / "run"

    with pytest.raises(EvidenceError):
        _hand_in(inner, {path: b"x"}, _YES)

    assert {} == _read_files(tmp_path)


_NAMES = some.sampled_from(["a.md", "b.md", "deep/c.md", "./a.md"])


@given(
    some.lists(
        some.tuples(some.dictionaries(_NAMES, some.binary(max_size=8)), some.booleans()), max_size=8
    )
)
def test_only_accepted_events_change_the_folder(
    events: list[tuple[dict[str, bytes], bool]],
) -> None:
    """The folder has exactly the files of the accepted events."""
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        expected: dict[str, bytes] = {}
        for files, accepted in events:
            bench = DiskSubmissionFolder(Path(place))
            bench.hand_in(files, "k", _make_ruler(_YES if accepted else _NO), _never)
            if accepted:
                expected |= {name.removeprefix("./"): c for name, c in files.items()}
        found = {
            str(p.relative_to(place)): p.read_bytes()
            for p in Path(place).rglob("*")
            if p.is_file() and BACKUP_FOLDER not in p.parts
        }

        assert expected == found


def test_what_the_log_has_as_evidence_is_left_alone(tmp_path: Path) -> None:
    """A file that the log has as evidence is not removed."""
    bench = DiskSubmissionFolder(tmp_path)

    bench.hand_in({"a.md": b"x"}, "k", _make_ruler(_NO), _make_locker(evidence={"a.md": b"x"}))

    assert {"a.md": "x"} == _read_files(tmp_path)


def test_what_was_changed_since_is_left_alone(tmp_path: Path) -> None:
    """A file that was changed by another program is not removed."""

    def change_meanwhile() -> Ruling:
        (tmp_path / "a.md").write_text("theirs", encoding="utf-8")
        return _NO

    DiskSubmissionFolder(tmp_path).hand_in({"a.md": b"ours"}, "k", change_meanwhile, _never)

    assert {"a.md": "theirs"} == _read_files(tmp_path)


@pytest.mark.parametrize(
    "files",
    [
        {"x/y.md": b"1", "x": b"2"},
        {"x": b"1", "x/y.md": b"2"},
        {"a.md": b"1", "zz/" + "n" * 300: b"2"},
        {"a.md": b"1", "pipe": b"2"},
        {"a.md": b"1", "link": b"2"},
        {"a.md": b"1", "folder": b"2"},
    ],
)
def test_files_that_cannot_be_leave_nothing_behind(tmp_path: Path, files: dict[str, bytes]) -> None:
    """If one of the files is impossible, none is written, and later files can be."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path.parent)
    (tmp_path / "folder").mkdir()

    with pytest.raises(EvidenceError):
        _hand_in(tmp_path, files, _YES)
    _hand_in(tmp_path, {"next.md": b"fine"}, _YES)

    assert {"next.md": "fine"} == {
        name: said for name, said in _read_files(tmp_path).items() if name != "pipe"
    }


@pytest.mark.parametrize(
    "note",
    [
        b"garbage",
        b"[]",
        b'{"attempt":"\xff","files":[]}',
        b'{"attempt":"k","files":[{"path":"../x","hash":""}]}',
    ],
)
def test_a_note_that_is_not_from_saniwa_is_reported(tmp_path: Path, note: bytes) -> None:
    """An unknown note is an error."""
    (tmp_path / BACKUP_FOLDER).mkdir()
    (tmp_path / BACKUP_FOLDER / "note.json").write_bytes(note)

    with pytest.raises(EvidenceError):
        DiskSubmissionFolder(tmp_path).settle(_never)


def test_nothing_is_set_aside_through_a_link(tmp_path: Path) -> None:
    """A link in place of the folder for replaced files is refused."""
    outside, inside = tmp_path / "out", tmp_path / "in"
    outside.mkdir()
    inside.mkdir()
    (inside / BACKUP_FOLDER).symlink_to(outside)

    with pytest.raises(EvidenceError):
        _hand_in(inside, {"a.md": b"x"}, _YES)

    assert [] == list(outside.iterdir())
