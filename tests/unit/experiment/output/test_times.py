import json
from pathlib import Path
from typing import Any

import pytest

from saniwa.core.errors import StoreError
from saniwa.experiment.output.results import find_commit, format_moment, render_times
from saniwa.experiment.ports import CellCompletion

_STARTED = 1_700_000_000_123
_DONE = {"k": CellCompletion(key="k", started=_STARTED, took_ms=5, worker="w1")}
_SHA = "0123456789abcdef0123456789abcdef01234567"


def _render_page(before: bytes | None = None, folder: Path | None = None) -> Any:
    times = render_times(_DONE, _STARTED, 1_700_000_009_000, before, folder=folder)
    return json.loads(times)


def _make_git_folder(folder: Path, head: str, **files: str) -> Path:
    (folder / ".git/refs/heads").mkdir(parents=True)
    (folder / ".git/HEAD").write_text(head)
    for name, text in files.items():
        (folder / ".git" / name.replace("__", "/").replace("_", "-")).write_text(text)
    return folder


def test_times_are_reported_in_utc() -> None:
    """Times are ISO 8601 with a Z, to the millisecond."""
    found = _render_page()
    assert "2023-11-14T22:13:29.000Z" == found["generated_at"]
    assert "2023-11-14T22:13:20.123Z" == found["started"]
    assert {"k": {"started": "2023-11-14T22:13:20.123Z", "took_ms": 5, "worker": "w1"}} == found[
        "cells"
    ]


def test_the_commit_is_reported_short_too(tmp_path: Path) -> None:
    """The commit is also given in its short form."""
    assert "0123456" == _render_page(folder=_make_git_folder(tmp_path, _SHA))["git_short"]


def test_an_unknown_commit_is_not_reported(tmp_path: Path) -> None:
    """Without a repository there is no commit."""
    found = _render_page(folder=_make_git_folder(tmp_path, "nonsense"))
    assert {"git_sha", "git_short"}.isdisjoint(found)


def test_what_was_played_before_keeps_its_times() -> None:
    """A resumed experiment keeps the times of all its cells and of its first start."""
    later = CellCompletion(key="z", started=1_700_000_100_000, took_ms=1, worker="")
    before = render_times(_DONE, _STARTED, _STARTED)
    found = json.loads(render_times({"z": later}, later.started, later.started, before))
    assert ["k", "z"] == sorted(found["cells"])
    assert format_moment(_STARTED) == found["started"]


@pytest.mark.parametrize("before", [b"", b"{", b"[]", b'{"cells": 3}', b"\xff"])
def test_an_invalid_file_is_reported_as_damaged(before: bytes) -> None:
    """A file that is not valid is reported as damaged, not silently overwritten."""
    with pytest.raises(StoreError) as caught:
        _render_page(before)

    assert "TRACE_CORRUPT" == caught.value.code


def test_a_commit_is_read_from_its_branch(tmp_path: Path) -> None:
    """The commit is found from a subfolder too, without running git."""
    _make_git_folder(tmp_path, "ref: refs/heads/main\n", refs__heads__main=_SHA + "\n")
    inner = tmp_path / "a/b"
    inner.mkdir(parents=True)

    assert _SHA == find_commit(inner)


def test_a_commit_may_be_packed_or_bare(tmp_path: Path) -> None:
    """The commit is found in packed refs and with a detached HEAD."""
    packed = _make_git_folder(
        tmp_path / "p", "ref: refs/heads/x\n", packed_refs=f"# pack\n{_SHA} refs/heads/x\n"
    )
    bare = _make_git_folder(tmp_path / "b", _SHA + "\n")

    assert [_SHA, _SHA] == [find_commit(packed), find_commit(bare)]


@pytest.mark.parametrize("head", ["", "ref: refs/heads/none", "nonsense"])
def test_what_names_no_commit_is_none(tmp_path: Path, head: str) -> None:
    """Anything else gives no commit."""
    assert "" == find_commit(_make_git_folder(tmp_path, head))
