from pathlib import Path

from saniwa.run.kept import kept_bytes
from saniwa.wiring.keeping import keeping_of, left_runs


def test_runs_beneath_stories_that_were_left_are_known(tmp_path: Path) -> None:
    """As long as somebody may go on with the story; whatever else lies there."""
    store = tmp_path / "saniwa.sqlite"
    lamp, well, torn = (
        keeping_of(tmp_path / f"{name}.md", store) for name in ("lamp", "well", "torn")
    )
    lamp.keep(kept_bytes(b"{}", "run-1", 2))
    well.keep(kept_bytes(b"{}", "run-2", 2))
    torn.keep(b'{"performance": "none"}')
    (tmp_path / "stories" / "note.txt").write_text("mine")

    assert {"run-1", "run-2"} == left_runs(store)
    well.forget()
    assert {"run-1"} == left_runs(store)


def test_where_nobody_has_read_no_run_is_beneath(tmp_path: Path) -> None:
    """Without a folder, and in memory, there is none."""
    assert frozenset() == left_runs(tmp_path / "saniwa.sqlite")
    assert frozenset() == left_runs("memory:")
