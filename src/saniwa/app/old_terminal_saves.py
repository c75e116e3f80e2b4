"""Imports what terminals of earlier versions saved of stories, next to the run store.

Each story had a folder of JSON files there: the position, named saves, and lines seen.
They are read once into the play records, and stay as they are.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from saniwa.app import describe
from saniwa.app.run_stores import locate_beside
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.runs import playing_record
from saniwa.runs.stored_story_playing import EMPTY_STEP
from saniwa.runs.story_playing import decode_playing_state
from saniwa.store.play_records import PlayRecords

STORIES_FOLDER: Final = "stories"
"""The folder of story saves, next to the store."""
_PLACE_FILES: Final = "here-*.json"
_SEEN_FILES: Final = "seen-*.json"
_SAVE_FILES: Final = "saves/*.json"
_LARGEST_FILE: Final = 8_000_000
"""Most bytes of a file that is read."""


class OldTerminalSaves:
    """What a terminal of an earlier version saved of the story in a file."""

    def __init__(self, path: str | os.PathLike[str], store: str | Path) -> None:
        """Look next to the store at a place; nothing is read yet."""
        self._file = Path(path).name
        beside = locate_beside(store, STORIES_FOLDER)
        self._name = "" if beside is None else _make_story_key(path, beside)
        self._folder = None if beside is None else beside / self._name

    @property
    def exists(self) -> bool:
        """Whether something was saved."""
        return self._folder is not None and self._folder.is_dir()

    def import_into(self, plays: PlayRecords, origin: playing_record.PlayOrigin) -> None:
        """Add what was saved to the play records, once.

        Interrupted, it is done again; two processes at once add the same. What is
        stored in the play records already stays.

        Raises:
            StoreError: `STORE_UNREADABLE` for a file that cannot be read; the others
                were imported, and the next call tries again. It could not be stored.
        """
        marker = f"imported-{self._name}"
        if not self.exists or plays.get_revision(marker):
            return
        problems = list[StoreError]()
        self._import_states(plays, origin, problems)
        with _collect_problem(problems):
            playing_record.SeenLines(origin, plays).add_ids(self._read_seen())
        if problems:
            raise problems[0]
        _create_once(plays, marker, b"{}")

    def _import_states(
        self, plays: PlayRecords, origin: playing_record.PlayOrigin, problems: list[StoreError]
    ) -> None:
        saves, place = dict[str, bytes](), b""
        for file in self._list_files(_SAVE_FILES):
            with _collect_problem(problems):
                value = _read_value(file)
                saves[value.name] = _check_state(value.kept)
        with _collect_problem(problems):
            place = self._read_place()
        for run, state in self._pick_positions(place, saves).items():
            own = {name: each for name, each in saves.items() if _find_run(each) == run}
            self._import_run(plays, origin, run or self._make_run_id(), state, own)
        last = playing_record.LastPlay(origin, self._file, plays)
        if place and not last.find_run_id():
            last.move_to(_find_run(place) or self._make_run_id())

    def _pick_positions(self, place: bytes, saves: dict[str, bytes]) -> dict[str, bytes]:
        """Return where each run stands: its position, else one of its saves."""
        found = {_find_run(state): state for state in saves.values()}
        return found | ({_find_run(place): place} if place else {})

    def _import_run(
        self,
        plays: PlayRecords,
        origin: playing_record.PlayOrigin,
        run_id: str,
        state: bytes,
        saves: dict[str, bytes],
    ) -> None:
        created = self._find_time()
        slots = playing_record.SaveSlots(run_id, plays)
        known = {slot.name for slot in slots.list_slots()}
        for name, each in saves.items():
            if name not in known:
                slots.put(name, created, each, "")
        step = playing_record.StoredStep(step=EMPTY_STEP, state=msgspec.Raw(state))
        begun = msgspec.structs.replace(origin, created=created)
        # The record is last: before it, an interrupted import is not seen, and is repeated.
        record = playing_record.PlayingRecord(
            version=playing_record.VERSION, origin=begun, passed=(step,)
        )
        _create_once(plays, run_id, record.to_bytes())

    def _read_place(self) -> bytes:
        for file in self._list_files(_PLACE_FILES):
            return _check_state(_read_value(file).kept)
        return b""

    def _read_seen(self) -> frozenset[str]:
        for file in self._list_files(_SEEN_FILES):
            return frozenset(
                playing_record.decode_content(file.name, bytes(_read_value(file).kept), list[str])
            )
        return frozenset()

    def _list_files(self, pattern: str) -> list[Path]:
        assert self._folder is not None, "it was looked for"
        return sorted(each for each in self._folder.glob(pattern) if each.is_file())

    def _find_time(self) -> int:
        """Return when the oldest file was written; milliseconds since 1970."""
        files = [*self._list_files("*.json"), *self._list_files(_SAVE_FILES)]
        return min(int(each.stat().st_mtime * 1000) for each in files)

    def _make_run_id(self) -> str:
        """Return the id of the run without a world: every import makes the same."""
        time, hashed = f"{self._find_time():012x}", sha256(self._name.encode()).hexdigest()
        return f"run-{time[:8]}-{time[8:]}-7{hashed[:3]}-8{hashed[3:6]}-{hashed[6:18]}"


def find_unfinished_runs(store: str | Path) -> frozenset[str]:
    """Return the runs of unfinished stories in all folders, whichever files they are of.

    A position that cannot be read is skipped here; importing it reports the error.
    """
    folder = locate_beside(store, STORIES_FOLDER)
    try:
        found = [] if folder is None else [each for each in folder.iterdir() if each.is_dir()]
    except (FileNotFoundError, NotADirectoryError):
        found = []
    return frozenset(filter(None, map(_read_run_id, found)))


def _read_run_id(folder: Path) -> str:
    try:
        files = sorted(folder.glob(_PLACE_FILES))
        return _find_run(bytes(_read_value(files[0]).kept)) if files else ""
    except SaniwaError:
        return ""


def _find_run(state: bytes) -> str:
    return decode_playing_state(state).run


def _check_state(kept: msgspec.Raw) -> bytes:
    try:
        decode_playing_state(bytes(kept))
    except SaniwaError as problem:
        raise StoreError("STORE_UNREADABLE", problem.message, hint=problem.hint) from problem
    return bytes(kept)


class _StoredValue(msgspec.Struct, frozen=True):
    """The content of a file."""

    name: str
    """The name it is stored under."""
    kept: msgspec.Raw
    """The value itself, as JSON."""
    seal: str = ""
    """Seal over name and value; empty in files written before seals existed."""


warm_decoders(_StoredValue)


def _read_value(path: Path) -> _StoredValue:
    try:
        with path.open("rb") as stream:
            content = stream.read(_LARGEST_FILE + 1)
        if len(content) > _LARGEST_FILE:
            raise ValueError(f"it has more than {_LARGEST_FILE} bytes")
        value = msgspec.json.decode(content, type=_StoredValue)
        sealed = sha256(value.name.encode() + b"\0" + bytes(value.kept)).hexdigest()[:32]
        if value.seal not in ("", sealed):
            raise ValueError("its content has changed")
        return value
    except (OSError, ValueError, msgspec.DecodeError, RecursionError) as problem:
        raise describe("STORE_UNREADABLE/read_value", name=path.name, problem=problem).to_error(
            StoreError, where=str(path)
        ) from problem


def _create_once(plays: PlayRecords, id: str, content: bytes) -> None:
    try:
        plays.create(id, content)
    except StoreError as problem:
        if problem.code != "RUN_EXISTS":
            raise


@contextmanager
def _collect_problem(problems: list[StoreError]) -> Iterator[None]:
    """Collect the error for a file that cannot be read; others are raised."""
    try:
        yield
    except StoreError as problem:
        if problem.code != "STORE_UNREADABLE":
            raise
        problems.append(problem)


def _make_story_key(path: str | os.PathLike[str], folder: Path) -> str:
    """Return a unique name for a story file that stays the same if both are moved."""
    relation = os.path.relpath(os.path.realpath(path), os.path.realpath(folder))
    stem = "".join(c if c.isalnum() else "_" for c in Path(path).stem[:40])
    way = Path(relation).as_posix().encode("utf-8", "surrogateescape")
    return f"{stem}-{sha256(way).hexdigest()[:12]}"
