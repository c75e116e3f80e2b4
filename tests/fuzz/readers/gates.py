"""Files of a gate, and what callers submit: records, tables, people, definitions, evidence."""

import json
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from saniwa.core.clock import FixedClock
from saniwa.process.definition import encode_process, hash_process
from saniwa.process.evidence_intake import FrontMatterError
from saniwa.process.run_state import ProcessRun
from saniwa.store.gate import key_index, run_journal
from saniwa.store.gate.evidence_reader import is_document, read_document_values
from saniwa.store.gate.file_access import GateFolders
from saniwa.store.gate.file_log import FileGateLog
from saniwa.store.gate.people import FormerPerson, GatePerson, PeopleFile
from saniwa.store.sealed_log import compute_first_seal
from tests.fakes.gate import (
    make_artifact,
    make_door_process,
    make_next_record,
    make_note,
    make_opening_record,
    make_run_id,
)
from tests.fuzz.command_readers import make_command_reader
from tests.fuzz.fuzz_reader import FuzzReader, Read, ReaderAnswer, join_parts, split_parts

_RUN = make_run_id()
_DOOR = make_door_process()
_FILES = GateFolders.from_root(Path(".state_gate"))
_LOOK = (
    ["gate", "verify", _RUN],
    ["gate", "history", _RUN],
    ["gate", "state", _RUN],
    ["gate", "runs"],
    ["gate", "export", _RUN],
)


def _begin_gate(folder: Path, *more: dict[str, Any]) -> None:
    """A gate with one run of several entries, to which records can be added."""
    log = FileGateLog(GateFolders.from_root(folder / ".state_gate"), clock=FixedClock())
    log.create(_RUN, make_opening_record(_DOOR), _DOOR)
    with log.lock_run(_RUN) as held:
        for holds in (*more, {}, {}):
            held.append(make_next_record(held.run, **holds))
        held.append_note(make_note(held.run))
    log.close()


def _read_seeds_from(name: Callable[[GateFolders], Path]) -> Callable[[], list[bytes]]:
    def read_seeds() -> list[bytes]:
        with TemporaryDirectory() as folder:
            _begin_gate(Path(folder))
            return [name(GateFolders.from_root(Path(folder) / ".state_gate")).read_bytes()]

    return read_seeds


def _make_bodies() -> list[bytes]:
    plain = _read_seeds_from(lambda folders: folders.locate_journal(_RUN))()[0]
    with TemporaryDirectory() as folder:
        _begin_gate(Path(folder), {"payload": {"a": [1, None]}}, {"artifacts": (make_artifact(),)})
        rich = (Path(folder) / _FILES.locate_journal(_RUN)).read_bytes()
    return [
        b"\n".join(run_journal.extract_body(line) for line in whole.split(b"\n") if line)
        for whole in (plain, rich)
    ]


def _read_sealed(content: bytes, folder: Path) -> ReaderAnswer:
    """Read lines with valid seals, so that only their content can be wrong."""
    _begin_gate(folder)
    lines, before = list[bytes](), compute_first_seal(_RUN)
    for body in content.split(b"\n"):
        before, line = run_journal.seal_line(before, body or b"{")
        lines.append(line)
    return _looked(b"".join(lines), folder)


def _make_file_reader(name: str) -> Read:
    """Make a reader of a changed file of a run.

    If the run is found whole, every command must print what it prints for the original.
    """
    look = make_command_reader([name], *_LOOK, before=_begin_gate)

    def read(content: bytes, folder: Path) -> ReaderAnswer:
        told = look(content, folder)
        verified, _, rest = told.answer.partition(_END)
        if verified.endswith(b"(0)"):
            assert _read_untouched(name) == rest, "another run is shown, and verify accepts it"
        return told

    return read


_END = b"\n"


@cache
def _read_untouched(name: str) -> bytes:
    """What the commands print for an unchanged run, except for its verification."""
    with TemporaryDirectory() as folder:
        _begin_gate(Path(folder))
        content = (Path(folder) / name).read_bytes()
    with TemporaryDirectory() as folder:
        told = make_command_reader([name], *_LOOK, before=_begin_gate)(content, Path(folder))
    return told.answer.replace(folder.encode(), b"HERE").partition(_END)[2]


_looked = make_command_reader([str(_FILES.locate_journal(_RUN))], *_LOOK)


def _read_index(content: bytes, folder: Path) -> ReaderAnswer:
    """Read a run with a changed index, which is used or ignored."""
    _begin_gate(folder)
    path = GateFolders.from_root(folder / ".state_gate").locate_index(_RUN)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(sha256(content).digest() + content)
    return make_command_reader([], *_LOOK)(b"", folder)


def _make_indexes() -> list[bytes]:
    lines = _read_seeds_from(lambda folders: folders.locate_journal(_RUN))()[0].split(b"\n")
    begin = compute_first_seal(_RUN)
    first = run_journal.check_line(begin, lines[0])
    point = key_index.IndexCheckpoint(
        start=0, before=begin, end=len(lines[0]) + 1, seal=first, size=0, count=1
    )
    standing = ProcessRun.from_first_record(_RUN, make_opening_record(_DOOR))
    known = key_index.IndexSnapshot(
        run_id=_RUN,
        point=point,
        standing=msgspec.json.encode(standing),
        marks=[],
        hashes=b"",
        starts=b"",
    )
    return [msgspec.msgpack.encode(known)]


def _check_evidence(content: bytes, _folder: Path) -> ReaderAnswer:
    """Read a document as evidence; an invalid one is an answer that says why."""
    name, said = split_parts(content, 2)
    path = name.decode("utf-8", "replace")
    if not is_document(path):
        return ReaderAnswer(answer=b"no document")
    try:
        found = read_document_values(path, len(said), said)
    except FrontMatterError as unfit:
        return ReaderAnswer(answer=str(unfit).encode("utf-8", "backslashreplace"))
    return ReaderAnswer(answer=repr(found).encode("utf-8", "backslashreplace"))


def _send_event(content: bytes, folder: Path) -> ReaderAnswer:
    event, path, payload, file = split_parts(content, 4)
    _begin_gate(folder)
    home = folder / ".state_gate" / "artifacts" / _RUN
    home.mkdir(parents=True)
    (home / "permit.md").write_bytes(file)
    (folder / "payload.json").write_bytes(payload)
    words = [each.decode("utf-8", "surrogateescape") for each in (event, path)]
    sent = ("--expected-revision", "3", "--key", "k", "--payload", "@payload.json")
    line = ["gate", "emit", *sent, "--artifact", words[1], "--", _RUN, words[0]]
    return make_command_reader([], line, _LOOK[0])(b"", folder)


_PEOPLE = PeopleFile(
    people=(GatePerson(name="ann", role="human", salt="00", hash="ab" * 32, added_at="2026"),),
    former=(FormerPerson(name="bob", key="cd" * 32),),
)
_CALL = '{"tool_name": "Bash", "tool_input": {"command": "saniwa gate emit x"}}'

READERS = (
    FuzzReader(
        name="gate-record",
        reads="a run's record at the gate, byte for byte, by five commands",
        seeds=_read_seeds_from(lambda folders: folders.locate_journal(_RUN)),
        read=_make_file_reader(str(_FILES.locate_journal(_RUN))),
        tries=25,
    ),
    FuzzReader(
        name="gate-entries",
        reads="entries of a gate's run, with valid seals",
        seeds=_make_bodies,
        read=_read_sealed,
        tries=40,
    ),
    FuzzReader(
        name="gate-table",
        reads="a run's published table (CSV), by five commands",
        seeds=_read_seeds_from(lambda folders: folders.locate_table(_RUN)),
        read=_make_file_reader(str(_FILES.locate_table(_RUN))),
        tries=20,
    ),
    FuzzReader(
        name="gate-definition",
        reads="a stored definition, by five commands",
        seeds=lambda: [encode_process(_DOOR)],
        read=_make_file_reader(str(_FILES.locate_definition(hash_process(_DOOR)))),
        tries=15,
    ),
    FuzzReader(
        name="gate-people",
        reads="the people of a gate, by `gate people list`",
        seeds=lambda: [msgspec.json.encode(_PEOPLE)],
        read=make_command_reader([".state_gate/people.json"], ["gate", "people", "list"]),
        tries=60,
    ),
    FuzzReader(
        name="gate-config",
        reads="the selected run, by `gate state` and `gate hook`",
        seeds=lambda: [join_parts(_CALL, json.dumps({"run_id": _RUN}))],
        read=make_command_reader(
            [".state_gate/state-gate.json"],
            ["gate", "state"],
            ["gate", "hook", "pre-tool-use"],
            ["gate", "hook", "post-tool-use"],
            ["gate", "hook", "stop"],
            ["gate", "hook", "session-start"],
            before=_begin_gate,
            stdin=True,
        ),
    ),
    FuzzReader(
        name="evidence",
        reads="evidence: the fields of a document or front matter",
        seeds=lambda: [
            join_parts("a/b.md", "---\nto: x\nsubject: [1, 2]\n---\nBody."),
            join_parts("x.yaml", "a: 1\nb: {c: null}\n"),
        ],
        read=_check_evidence,
        tries=200,
    ),
    FuzzReader(
        name="gate-index",
        reads="a run's index with a valid digest, by five commands",
        seeds=_make_indexes,
        read=_read_index,
        tries=15,
    ),
    FuzzReader(
        name="gate-event",
        reads="an event: name, path, payload and file, by `gate emit`",
        seeds=lambda: [
            join_parts("open", "permit.md", '{"x": [1]}', "---\na: 1\n---\nhello"),
            join_parts("knock", "a;b.json", "{}", "x"),
        ],
        read=_send_event,
        words=("../", "permit.md", ";", "./", "knock", "pass"),
        tries=30,
    ),
)
