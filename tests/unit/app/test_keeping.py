from pathlib import Path

from saniwa.app.story_saves import find_unfinished_runs, open_story_saves
from saniwa.runs.story import encode_playing_state


def test_runs_beneath_stories_that_were_left_are_known(tmp_path: Path) -> None:
    """As long as somebody may go on with the story; whatever else lies there."""
    store = tmp_path / "saniwa.sqlite"
    lamp, well, torn = (
        open_story_saves(tmp_path / f"{name}.md", store) for name in ("lamp", "well", "torn")
    )
    lamp.save_place(encode_playing_state(b"{}", "run-1", 2))
    well.save_place(encode_playing_state(b"{}", "run-2", 2))
    torn.save_place(b'{"performance": "none"}')
    (tmp_path / "stories" / "note.txt").write_text("mine")

    assert {"run-1", "run-2"} == find_unfinished_runs(store)
    well.clear_place()
    assert {"run-1"} == find_unfinished_runs(store)


def test_where_nobody_has_read_no_run_is_beneath(tmp_path: Path) -> None:
    """Without a folder, and in memory, there is none."""
    assert frozenset() == find_unfinished_runs(tmp_path / "saniwa.sqlite")
    assert frozenset() == find_unfinished_runs("memory:")
