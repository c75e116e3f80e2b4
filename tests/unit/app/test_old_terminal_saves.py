import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from saniwa.app.old_terminal_saves import OldTerminalSaves, find_unfinished_runs
from saniwa.core.errors import StoreError
from saniwa.runs.playing_record import LastPlay, PlayOrigin, SaveSlots, SeenLines
from saniwa.runs.story_playing import encode_playing_state
from saniwa.store.play_records import MemoryPlayRecords, PlayRecords
from saniwa.store.sqlite_runs_and_plays import SqlitePlayRecords
from tests.fakes.old_story_saves import PLACE, SEEN, make_old_folder, write_old

LAMP = PlayOrigin(path="../lamp.md")


def make_state(number: int, run: str = "") -> bytes:
    """A state with a number."""
    return encode_playing_state(b'{"n":%d}' % number, run, number)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with a terminal's position, two saves and seen lines next to it."""
    place = tmp_path / ".saniwa" / "saniwa.sqlite"
    folder = make_old_folder(tmp_path / "lamp.md", place)
    write_old(folder, PLACE, make_state(1))
    write_old(folder, SEEN, b'["rain","ben"]')
    write_old(folder / "saves", "first", make_state(2))
    write_old(folder / "saves", "灯台の下", make_state(3))
    return place


def import_folder(store: Path, plays: PlayRecords) -> str:
    """Import the folder of the lamp's story; its last run."""
    OldTerminalSaves(store.parent.parent / "lamp.md", store).import_into(plays, LAMP)
    return LastPlay(LAMP, "lamp.md", plays).find_run_id()


def list_run_ids(plays: PlayRecords) -> list[str]:
    """The ids of all runs."""
    return [each for each in plays.list_ids() if each.startswith("run-")]


def test_everything_that_was_saved_is_imported(store: Path) -> None:
    """The position, the saves and the seen lines are imported, and the files are kept."""
    plays = MemoryPlayRecords()
    before = sorted(store.parent.rglob("*.json"))
    run = import_folder(store, plays)
    slots = SaveSlots(run, plays)

    assert [run] == list_run_ids(plays)
    assert ["first", "灯台の下"] == [each.name for each in slots.list_slots()]
    assert make_state(3) == slots.read_state("灯台の下")
    assert {"rain", "ben"} == SeenLines(LAMP, plays).list_ids()
    assert before == sorted(store.parent.rglob("*.json"))


def test_it_is_imported_once(store: Path) -> None:
    """The import happens once, and what was removed since does not come back."""
    plays = MemoryPlayRecords()
    run = import_folder(store, plays)
    SaveSlots(run, plays).drop("first")
    SaveSlots(run, plays).put("灯台の下", 0, make_state(9), "")
    LastPlay(LAMP, "lamp.md", plays).clear(run)

    assert "" == import_folder(store, plays)
    assert [run] == list_run_ids(plays)
    assert ["灯台の下"] == [each.name for each in SaveSlots(run, plays).list_slots()]
    assert make_state(9) == SaveSlots(run, plays).read_state("灯台の下")


def test_a_run_that_is_played_already_stays_the_last(store: Path) -> None:
    """A run that was started before the import stays the last."""
    plays = MemoryPlayRecords()
    LastPlay(LAMP, "lamp.md", plays).move_to("run-browser")

    assert "run-browser" == import_folder(store, plays)
    assert 1 == len(list_run_ids(plays))


def test_saves_of_several_worlds_become_several_runs(store: Path) -> None:
    """Saves of several runs are imported to their own runs."""
    plays = MemoryPlayRecords()
    folder = make_old_folder(store.parent.parent / "lamp.md", store)
    write_old(folder, PLACE, make_state(1, "run-b"))
    write_old(folder / "saves", "first", make_state(2, "run-a"))
    (lost,) = (each for each in (folder / "saves").iterdir() if not each.name.startswith("first"))
    lost.unlink()

    assert "run-b" == import_folder(store, plays)
    assert ["run-a", "run-b"] == list_run_ids(plays)
    assert ["first"] == [each.name for each in SaveSlots("run-a", plays).list_slots()]
    assert () == SaveSlots("run-b", plays).list_slots()


class _ImportDeath(BaseException):
    pass


class _MortalPlays(MemoryPlayRecords):
    lives = 0

    def create(self, play_id: str, content: bytes) -> None:
        """Store it, or fail as if killed."""
        self.lives -= 1
        if self.lives == 0:
            raise _ImportDeath
        super().create(play_id, content)


def test_killed_anywhere_it_is_imported_again(store: Path) -> None:
    """After a kill at any write, the second import gives the same result."""
    whole = MemoryPlayRecords()
    expected = import_folder(store, whole)
    for lives in range(1, 20):
        plays = _MortalPlays()
        plays.lives = lives
        try:
            import_folder(store, plays)
        except _ImportDeath:
            assert expected == import_folder(store, plays)
        assert whole.list_ids() == plays.list_ids()
    assert plays.lives > 0


_CHILD = """
import sys
from pathlib import Path
from saniwa.app.old_terminal_saves import OldTerminalSaves
from saniwa.runs.playing_record import PlayOrigin
from saniwa.store.sqlite_runs_and_plays import SqlitePlayRecords
store = Path(sys.argv[1])
plays = SqlitePlayRecords(store.with_name("plays.sqlite"))
sys.stdin.readline()
OldTerminalSaves(store.parent.parent / "lamp.md", store).import_into(plays, PlayOrigin(path="../lamp.md"))
"""


def test_processes_that_import_at_once_import_one_run(store: Path) -> None:
    """Several imports at once give one run."""
    children = [
        subprocess.Popen([sys.executable, "-c", _CHILD, str(store)], stdin=subprocess.PIPE)
        for _ in range(3)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.write(b"\n")
        child.stdin.close()
    assert [0, 0, 0] == [child.wait(60) for child in children]

    plays = SqlitePlayRecords(store.with_name("plays.sqlite"))
    (run,) = list_run_ids(plays)
    assert 2 == len(SaveSlots(run, plays).list_slots())
    plays.close()


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda content: content[: len(content) // 2],
    "changed": lambda content: content.replace(b'"n":2', b'"n":7'),
    "no state": lambda _: b'{"name":"first","kept":{"performance":"none"}}',
    "emptied": lambda _: b"",
    "too large": lambda content: content + b" " * 8_000_000,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_save_is_reported_and_keeps_nothing_else_back(store: Path, damage: str) -> None:
    """A damaged save is an error each time, and everything else is imported."""
    plays = MemoryPlayRecords()
    (file,) = store.parent.rglob("first-*.json")
    whole = file.read_bytes()
    file.write_bytes(DAMAGES[damage](whole))

    for _ in range(2):
        with pytest.raises(StoreError) as caught:
            import_folder(store, plays)
        assert "STORE_UNREADABLE" == caught.value.code
    (run,) = list_run_ids(plays)
    assert run == LastPlay(LAMP, "lamp.md", plays).find_run_id()
    assert ["灯台の下"] == [each.name for each in SaveSlots(run, plays).list_slots()]
    file.write_bytes(whole)
    assert run == import_folder(store, plays)
    assert make_state(2) == SaveSlots(run, plays).read_state("first")


def test_a_file_from_before_there_were_seals_is_read(store: Path) -> None:
    """A save without a seal is read."""
    plays = MemoryPlayRecords()
    (file,) = store.parent.rglob("first-*.json")
    value = msgspec.json.decode(file.read_bytes())
    del value["seal"]
    value["kept"]["turn"] = 8
    file.write_bytes(msgspec.json.encode(value))

    slots = SaveSlots(import_folder(store, plays), plays)
    assert 8 == msgspec.json.decode(slots.read_state("first"))["turn"]


def test_where_nothing_was_saved_nothing_is_imported(tmp_path: Path) -> None:
    """Without a folder, or with a store in memory, nothing is imported."""
    plays = MemoryPlayRecords()
    for store in (tmp_path / "saniwa.sqlite", "memory:"):
        OldTerminalSaves(tmp_path / "lamp.md", store).import_into(plays, LAMP)
        assert frozenset() == find_unfinished_runs(store)
    assert () == plays.list_ids()


def test_runs_beneath_stories_that_were_left_are_known(tmp_path: Path) -> None:
    """The runs of unfinished stories are known from their saves, whatever other files there are."""
    store = tmp_path / "saniwa.sqlite"
    lamp, well, torn = (make_old_folder(tmp_path / f"{name}.md", store) for name in ("a", "b", "c"))
    write_old(lamp, PLACE, make_state(2, "run-1"))
    well_place = write_old(well, PLACE, make_state(2, "run-2"))
    write_old(torn, PLACE, b'{"performance": "none"}')
    (tmp_path / "stories" / "note.txt").write_text("mine")

    assert {"run-1", "run-2"} == find_unfinished_runs(store)
    well_place.unlink()
    assert {"run-1"} == find_unfinished_runs(store)
