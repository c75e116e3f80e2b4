from pathlib import Path

import pytest

from saniwa.app.experiments.run import find_commit, make_times
from saniwa.experiment.ports import CellCompletion

_SHA = "0123456789abcdef0123456789abcdef01234567"


def _make_git_folder(folder: Path, head: str, **files: str) -> Path:
    (folder / ".git/refs/heads").mkdir(parents=True)
    (folder / ".git/HEAD").write_text(head)
    for name, text in files.items():
        (folder / ".git" / name.replace("__", "/").replace("_", "-")).write_text(text)
    return folder


def test_a_commit_is_read_from_its_branch(tmp_path: Path) -> None:
    """Also from a folder further in; git is not run."""
    _make_git_folder(tmp_path, "ref: refs/heads/main\n", refs__heads__main=_SHA + "\n")
    inner = tmp_path / "a/b"
    inner.mkdir(parents=True)

    assert _SHA == find_commit(inner)


def test_a_commit_may_be_packed_or_bare(tmp_path: Path) -> None:
    """A branch without a file of its own, or a commit that is checked out itself."""
    packed = _make_git_folder(
        tmp_path / "p", "ref: refs/heads/x\n", packed_refs=f"# pack\n{_SHA} refs/heads/x\n"
    )
    bare = _make_git_folder(tmp_path / "b", _SHA + "\n")

    assert [_SHA, _SHA] == [find_commit(packed), find_commit(bare)]


@pytest.mark.parametrize("head", ["", "ref: refs/heads/none", "nonsense"])
def test_what_names_no_commit_is_none(tmp_path: Path, head: str) -> None:
    """Nothing is made up."""
    assert "" == find_commit(_make_git_folder(tmp_path, head))


def test_times_tell_of_every_cell() -> None:
    """When each was done, by whom, and with what."""
    done = CellCompletion(key="a", started=5, took_ms=2, worker="w")
    times = make_times({"a": done}, 1, 9)

    assert (1, 9, 9) == (times.started, times.finished, times.generated)
    assert (5, 2, "w") == (
        times.cells["a"].started,
        times.cells["a"].took_ms,
        times.cells["a"].worker,
    )
