"""Files damaged at random, then opened by the code that stores things in them."""

import os
import shutil
import signal
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed
from typing import NamedTuple

import msgspec

from saniwa.app.old_terminal_saves import OldTerminalSaves
from saniwa.app.run_stores import open_existing_store, open_play_records, open_store
from saniwa.core.errors import SaniwaError
from saniwa.core.redaction import Redactor
from saniwa.models.oracle import OracleAnswer, OracleMessage, OracleRequest
from saniwa.models.recording import RecordedAnswer, ReplayingOracle
from saniwa.process.event_record import EventRecord
from saniwa.runs.playing_record import (
    LastPlay,
    PlayOrigin,
    SaveSlots,
    SeenLines,
    decode_playing_record,
)
from saniwa.runs.story_playing import encode_playing_state
from saniwa.store.gate.csv_table import render_rows
from saniwa.store.gate.file_access import GateFolders
from saniwa.store.gate.file_log import FileGateLog
from saniwa.store.json_lines_file import JsonLinesFile
from saniwa.store.play_records import MemoryPlayRecords
from saniwa.store.run_records import RunSave
from tests.fakes.coroutine_tests import finish_coroutine
from tests.fakes.gate import make_next_record
from tests.fakes.gate_writer_processes import RUN, make_gate_folders
from tests.fakes.old_story_saves import PLACE, SEEN, make_old_folder, write_old
from tests.fakes.records import make_record, make_turn
from tests.torture.file_damage import tear_bytes
from tests.torture.ordeal import Ordeal, TrialTally
from tests.torture.subjects import SUBJECTS

_HARMS = 40
"""Damaged files per trial."""
_TELLING = {
    *("TRACE_CORRUPT", "STORE_UNREADABLE", "STORE_TOO_NEW", "DEFINITION_MISSING"),
    *("LOG_DIVERGED", "LOG_BEHIND", "RECORDS_MISSING", "SAVE_NOT_FOUND"),
}
"""Codes that report that stored data is not what was written."""


class FoundRecord(NamedTuple):
    """What a reader finds."""

    content: Sequence[object]
    """All that is stored, in order."""
    told: bool = False
    """Whether the reader also reported a repair or a problem."""


class KeptSubject(NamedTuple):
    """Something that is stored in files."""

    make: Callable[[Path], None]
    """Stores some of it in an empty folder."""
    read: Callable[[Path], FoundRecord]
    """Reads all of it."""
    ends: tuple[str, ...] = ()
    """Suffixes of files whose end may be missing without a report: a log whose writer may
    have been killed there.
    """


def _tear(kept: KeptSubject, folder: Path, chance: Random) -> TrialTally:
    kept.make(folder / "whole")
    truth = kept.read(_copy_folder(folder / "whole", folder / "read"))
    assert truth.content, "nothing is kept"
    assert not truth.told, "something is amiss from the beginning"
    refused = 0
    for _ in range(_HARMS):
        place = _copy_folder(folder / "whole", folder / "torn")
        file = chance.choice(_list_files(place))
        way, left = tear_bytes(file.read_bytes(), chance)
        file.write_bytes(left)
        refused += _is_reported(kept, place, truth, f"{file.name} {way}", file.suffix)
    return TrialTally(harmed=_HARMS, acknowledged=_HARMS - refused, refused=refused)


def _copy_folder(whole: Path, place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(whole, place)
    return place


def _is_reported(
    kept: KeptSubject, place: Path, truth: FoundRecord, harm: str, suffix: str
) -> bool:
    """Whether the damage was reported; otherwise the content must be unchanged."""
    found = _read_or_code(kept, place)
    if isinstance(found, str):
        assert found in _TELLING, f"{harm}: {found}"
        return True
    if found.content == truth.content:
        return found.told
    rest = iter(truth.content)
    part = all(each in rest for each in found.content)
    silent = suffix not in kept.ends and not found.told
    assert not silent, f"{harm}: other content without a word: {found} for {truth}"
    assert part, f"{harm}: content that was never written: {found} for {truth}"
    return True


def _read_or_code(kept: KeptSubject, place: Path) -> FoundRecord | str:
    """What is read there, or the code of the error."""
    try:
        return kept.read(place)
    except SaniwaError as problem:
        return problem.code


def _tear_and_run(folder: Path, chance: Random) -> TrialTally:
    """Commands of users, after any of their stored files was damaged."""
    harmed = 0
    for number, begun_in in enumerate(SUBJECTS):
        home = folder / str(number)
        home.mkdir()
        subject = begun_in(home)
        subject.act()
        whole = _copy_folder(home, folder / f"{number} whole")
        for _ in range(2):
            file = chance.choice(_list_files(home / ".saniwa") + _list_files(home / ".state_gate"))
            way, left = tear_bytes(file.read_bytes(), chance)
            file.write_bytes(left)
            answer = subject.ask()
            said = f"{file.name} {way}: {answer}"
            assert answer.code in (0, 1, 3, 4), said
            assert "Traceback" not in said, said
            assert "INTERNAL_ERROR" not in said, said
            harmed += 1
            _copy_folder(whole, home)
    return TrialTally(harmed=harmed)


def _list_files(folder: Path) -> list[Path]:
    """Every file that is not empty, in order."""
    return [p for p in sorted(folder.rglob("*")) if p.is_file() and p.stat().st_size]


def _make_runs(folder: Path) -> None:
    folder.mkdir()
    store = open_store(folder / "runs.sqlite")
    store.create(make_record())
    for number in range(12):
        finish_coroutine(store.append("run-1", make_turn(number, "take the key " * 30)))
    store.save(RunSave(run_id="run-1", name="here", turn=3))
    store.close()


def _make_runs_cut_off(folder: Path) -> None:
    """The same runs, stored by a killed process: a part is only in the write-ahead log."""
    _make_runs(folder)
    child = os.fork()
    if child == 0:
        store = open_store(folder / "runs.sqlite")
        for number in range(12, 18):
            finish_coroutine(store.append("run-1", make_turn(number, "drop the key " * 30)))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


def _read_runs(folder: Path) -> FoundRecord:
    store = open_existing_store(folder / "runs.sqlite")
    try:
        runs = [msgspec.to_builtins(run) for run in store.list_runs()]
        kept = msgspec.to_builtins(store.load_record("run-1"))
        saves = list(store.list_saves("run-1"))
        turns = list(store.read_turns("run-1"))
    finally:
        store.close()
    assert [{**run, "turns": len(turns)} if "turns" in run else run for run in runs] == runs  # fmt: skip
    return FoundRecord([kept, saves, *turns])


def _make_plays(folder: Path) -> None:
    folder.mkdir()
    plays = open_play_records(folder / "runs.sqlite")
    for name in "abc":
        plays.create(name, b'{"at": 1}' * 40)
        plays.put(name, b'{"at": 2}' * 60, after=1)
    plays.close()


def _read_plays(folder: Path) -> FoundRecord:
    plays = open_play_records(folder / "runs.sqlite")
    try:
        found = [plays.get(name) for name in "abc"]
    finally:
        plays.close()
    # A missing run is reported: asking for it gives RUN_NOT_FOUND.
    return FoundRecord([each for each in found if each is not None], told=None in found)


def _make_gate(folder: Path) -> None:
    log = FileGateLog(make_gate_folders(folder))
    for number in range(10):
        with log.lock_run(RUN) as passage:
            payload = {"note": "x" * 300}
            made = make_next_record(passage.run, key=f"k{number}", payload=payload)
            passage.append(made)
    log.close()


def _read_gate(folder: Path) -> FoundRecord:
    log = FileGateLog(GateFolders.from_root(folder))
    try:
        standing = log.load_run(RUN)
        entries = [each for each in log.read_entries(RUN) if isinstance(each, EventRecord)]
        told = bool(log.repairs or log.find_faults(RUN))
        process = log.load_definition(standing.opening.definition)
        rows = GateFolders.from_root(folder).locate_table(RUN).read_bytes()
    finally:
        log.close()
    whole = b"".join(render_rows(entries)) == rows
    assert whole or told, "the table differs, and no command reports it"
    return FoundRecord([process, *entries], told)


def _make_story(folder: Path) -> None:
    kept = make_old_folder(folder / "story.md", folder / "runs.sqlite")
    write_old(kept, PLACE, encode_playing_state(b'{"label":"bridge"}', "", 1))
    write_old(kept, SEEN, b'["ben","rain"]')
    write_old(kept / "saves", "bridge", encode_playing_state(b'{"label":"street"}', "", 2))


def _read_story(folder: Path) -> FoundRecord:
    plays, origin = MemoryPlayRecords(), PlayOrigin(path="story.md")
    OldTerminalSaves(folder / "story.md", folder / "runs.sqlite").import_into(plays, origin)
    run = LastPlay(origin, "story.md", plays).find_run_id()
    stored = plays.get(run)
    assert stored is not None
    state = decode_playing_record(run, stored.content).passed[-1].state
    slots = SaveSlots(run, plays)
    saves = [(slot.name, slots.read_state(slot.name)) for slot in slots.list_slots()]
    return FoundRecord([bytes(state), SeenLines(origin, plays).list_ids(), saves])


def _make_lines(folder: Path) -> None:
    folder.mkdir()
    kept = JsonLinesFile(folder / "tape.jsonl")
    for number in range(13):
        question = OracleMessage(role="user", text=f"What does cup {number} show?" * 40)
        asked = OracleRequest(messages=(question,))
        answer = OracleAnswer(text=f"It shows {70 - number} degrees.", model="canned:tea")
        record = RecordedAnswer(key=asked.key, request=asked, answer=answer)
        kept.append(msgspec.to_builtins(record), lasting=True)
    kept.close()


def _read_tape(folder: Path) -> FoundRecord:
    ReplayingOracle(JsonLinesFile(folder / "tape.jsonl"), Redactor())
    return FoundRecord(list(JsonLinesFile(folder / "tape.jsonl").read_entries()))


_KINDS = {
    "runs": KeptSubject(_make_runs, _read_runs),
    "runs-cut-off": KeptSubject(_make_runs_cut_off, _read_runs, (".sqlite-wal",)),
    "plays": KeptSubject(_make_plays, _read_plays),
    "gate": KeptSubject(_make_gate, _read_gate),
    "story": KeptSubject(_make_story, _read_story),
    "recording": KeptSubject(_make_lines, _read_tape, (".jsonl",)),
}
"""What is stored in files, by name."""
_TORN = {
    "runs": "The file of runs",
    "runs-cut-off": "The file of runs and the log that a killed writer left next to it",
    "plays": "The file of stories that hosts play",
    "gate": "A gate's record, table, index and definitions",
    "story": "A story's position, saves and seen lines, as an earlier version stored them",
    "recording": "A recording or an agent's journal",
}

_COMMANDS = Ordeal(
    name="commands-torn",
    tried="Commands use runs, stories, gates and workers with a damaged file.",
    promised="Each command works or reports an error code; none crashes.",
    trial=_tear_and_run,
)
_OPENED = tuple(
    Ordeal(
        name=f"{name}-torn",
        tried=f"{_TORN[name]}: cut, a bit flipped, a sector zeroed, doubled, emptied.",
        promised="It is read as it was written, or reported as damaged.",
        trial=partial(_tear, kept),
    )
    for name, kept in _KINDS.items()
)
ORDEALS = (*_OPENED, _COMMANDS)
