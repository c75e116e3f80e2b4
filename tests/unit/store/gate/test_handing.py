"""Files that come with an event: there if it is accepted, as if never written if not."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from saniwa.process.ports import EvidenceError
from saniwa.process.ruling import Accepted, Refused, Ruling
from saniwa.store.gate.handing import ASIDE, HandingBench

_YES = Accepted(event_id="e", from_state="a", to_state="b", new_revision=2)
_NO = Refused(code="GUARD_FAILED", message="not yet")


def _never(_: str) -> bool:
    return False


def _says(ruling: Ruling) -> Callable[[], Ruling]:
    return lambda: ruling


def _files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ASIDE not in path.parts
    }


def _hand(folder: Path, files: dict[str, bytes], ruling: Ruling) -> Ruling:
    return HandingBench(folder).hand_in(files, "k", _says(ruling), _never)


def test_files_of_an_accepted_event_stay(tmp_path: Path) -> None:
    """They lie where they were said to lie."""
    _hand(tmp_path, {"a.md": b"new", "deep/b.md": b"too"}, _YES)

    assert {"a.md": "new", "deep/b.md": "too"} == _files(tmp_path)


def test_files_of_a_refused_event_leave_no_trace(tmp_path: Path) -> None:
    """What was there is as it was, and what was not is not."""
    (tmp_path / "a.md").write_text("old", encoding="utf-8")

    _hand(tmp_path, {"a.md": b"new", "b.md": b"too"}, _NO)

    assert {"a.md": "old"} == _files(tmp_path)


def test_one_file_that_cannot_be_written_takes_back_the_others(tmp_path: Path) -> None:
    """All of them or none; the event is not even sent."""
    (tmp_path / "a.md").write_text("old", encoding="utf-8")
    (tmp_path / "taken").mkdir()
    sent: list[str] = []

    def send() -> Ruling:
        sent.append("sent")
        return _YES

    bench = HandingBench(tmp_path)
    with pytest.raises(EvidenceError):
        bench.hand_in({"a.md": b"new", "taken": b"x"}, "k", send, _never)

    assert ({"a.md": "old"}, []) == (_files(tmp_path), sent)


@pytest.mark.parametrize("kept", [True, False])
def test_a_crash_in_between_is_settled_by_what_the_log_says(
    tmp_path: Path, kept: bool
) -> None:
    """Whoever comes next asks whether the event stands, and keeps or takes back."""
    (tmp_path / "a.md").write_text("old", encoding="utf-8")

    def crash() -> Ruling:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        HandingBench(tmp_path).hand_in({"a.md": b"new"}, "k7", crash, _never)
    HandingBench(tmp_path).settle(lambda key: kept and key == "k7")

    assert {"a.md": "new" if kept else "old"} == _files(tmp_path)


def test_the_same_attempt_after_a_crash_is_the_same(tmp_path: Path) -> None:
    """Handed in again and refused, it leaves what was there before the crash."""
    (tmp_path / "a.md").write_text("old", encoding="utf-8")

    def crash() -> Ruling:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        HandingBench(tmp_path).hand_in({"a.md": b"new"}, "k", crash, _never)
    _hand(tmp_path, {"a.md": b"new"}, _NO)

    assert {"a.md": "old"} == _files(tmp_path)


@pytest.mark.parametrize(
    "path", [f"{ASIDE}/note.json", f"./{ASIDE}/0", "../x", "/x", ""]
)
def test_nothing_is_written_elsewhere(tmp_path: Path, path: str) -> None:
    """Neither outside of the folder nor where files are set aside."""
    inner = tmp_path / "run"

    with pytest.raises(EvidenceError):
        _hand(inner, {path: b"x"}, _YES)

    assert {} == _files(tmp_path)


_NAMES = some.sampled_from(["a.md", "b.md", "deep/c.md", "./a.md"])


@given(
    some.lists(
        some.tuples(
            some.dictionaries(_NAMES, some.binary(max_size=8)), some.booleans()
        ),
        max_size=8,
    )
)
def test_only_accepted_events_change_the_folder(
    events: list[tuple[dict[str, bytes], bool]],
) -> None:
    """After any events the folder holds exactly what the accepted ones brought."""
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        expected: dict[str, bytes] = {}
        for files, accepted in events:
            bench = HandingBench(Path(place))
            bench.hand_in(files, "k", _says(_YES if accepted else _NO), _never)
            if accepted:
                expected |= {name.removeprefix("./"): c for name, c in files.items()}
        found = {
            str(p.relative_to(place)): p.read_bytes()
            for p in Path(place).rglob("*")
            if p.is_file() and ASIDE not in p.parts
        }

        assert expected == found
