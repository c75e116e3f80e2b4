"""Files that Saniwa writes and reads back: runs, plays, recordings, journals, tokens."""

import asyncio
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from saniwa.agent.journal import read_journal
from saniwa.app.creation_requests import CreationIndex
from saniwa.app.run_service import RunService
from saniwa.core.clock import FixedClock
from saniwa.core.errors import SaniwaError, SdkBridgeError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.core.ids import CountingIds
from saniwa.core.redaction import Redactor
from saniwa.http import session_tokens
from saniwa.http.session_tokens import RevokedTokens
from saniwa.models.canned_answers import load_canned_file
from saniwa.models.oracle import OracleAnswer, OracleMessage, OracleRequest
from saniwa.models.recording import RecordedAnswer, ReplayingOracle
from saniwa.runs.playing_record import (
    PlayingRecord,
    PlayOrigin,
    SaveSlots,
    SeenLines,
    decode_playing_record,
)
from saniwa.store import run_records, sqlite_runs_and_plays
from saniwa.store.gate.people import GatePerson
from saniwa.store.json_lines_file import JsonLinesFile, seal_line
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.store.play_records import MemoryPlayRecords
from saniwa.store.sealed_log import SealedEntry, compute_turn_seal, encode_record
from saniwa.store.sqlite_runs_and_plays import SqliteRunStore
from tests.fakes.runs import GARDEN
from tests.fuzz.command_readers import make_command_reader
from tests.fuzz.fuzz_reader import PART, FuzzReader, Read, ReaderAnswer, join_parts

_ASKED = OracleRequest(messages=(OracleMessage(role="user", text="Where?"),))


def _make_turns() -> list[bytes]:
    """A run's record and turns as they are stored, with an undone turn and a refused one."""
    store = MemoryRunStore()
    run = RunService(store, ids=CountingIds(), clock=FixedClock()).begin(GARDEN)

    async def play() -> None:
        for words in ("take the brass key and go east", "take old metal", "fly", "look"):
            await run.say(words)

    asyncio.run(play())
    return [
        join_parts(encode_record(run.record), *(encode_record(each) for each in run.read_turns()))
    ]


def _read_rows(content: bytes, folder: Path) -> ReaderAnswer:
    """Read rows with valid seals, so that only their content can be wrong."""
    record, *turns = content.split(PART)
    file = folder / "runs.db"
    store = SqliteRunStore(file)
    run = _get_run_id()
    before = run_records.seal_record(run, record)
    line = run_records.seal_summary(run, "x", 1)
    with store._file.begin_transaction():
        row = {"run": run, "name": "x", "created": 1, "line": line, "seal": before}
        row |= {"record": record, "saves": run_records.seal_saves(())}
        store._execute(sqlite_runs_and_plays.INSERT_RECORD, row)
        store._execute(sqlite_runs_and_plays.INSERT_RUN, row)
        store._execute(sqlite_runs_and_plays.INSERT_HEAD, row)
        for number, turn in enumerate(turns[:20]):
            after = compute_turn_seal(before, run, number, turn)
            store._log.append(run, before, SealedEntry(number, after, turn))
            before = after
    store.close()
    return _looked(b"", folder)


_looked = make_command_reader(
    [],
    ["log", "last", "--store", "runs.db"],
    ["log", "last", "--turn", "1", "--store", "runs.db"],
    ["log", "last", "--timeline", "--store", "runs.db"],
    ["replay", "last", "--store", "runs.db"],
)


@cache
def _get_run_id() -> str:
    record = msgspec.json.decode(_make_turns()[0].split(PART)[0])
    return str(record["runId"] if "runId" in record else record["run_id"])


def _read_store_file(content: bytes, folder: Path) -> ReaderAnswer:
    """Read the changed file of a store; the run is the original one, or an error is printed."""
    (folder / "runs.db").write_bytes(content)
    told = _looked(b"", folder)
    whole = told.answer.endswith(b"(0)\n")
    if whole and b"there is no run" not in told.answer and b"no runs" not in told.answer:
        assert _read_untouched() == told.answer, "another run is shown, and replay accepts it"
    return told


@cache
def _make_store_file() -> bytes:
    with TemporaryDirectory() as folder:
        _read_rows(_make_turns()[0], Path(folder))
        return (Path(folder) / "runs.db").read_bytes()


@cache
def _read_untouched() -> bytes:
    with TemporaryDirectory() as folder:
        (Path(folder) / "runs.db").write_bytes(_make_store_file())
        return _looked(b"", Path(folder)).answer


def _read_plays(content: bytes, _folder: Path) -> ReaderAnswer:
    """Read one record under every name that a host's record may have."""
    asked = IdempotencyKey(key="k", digest="d")
    plays = MemoryPlayRecords()
    told = list[bytes]()
    origin = PlayOrigin(story="s")
    SaveSlots("run-1", plays).put("a", 1, b"{}", "x")
    SeenLines(origin, plays).add_ids(frozenset({"a"}))
    CreationIndex(plays).claim_run_id("", asked, "run-1", lambda _: True)
    for id in plays.list_ids():
        plays.put(id, content, after=1)
    slots, seen = SaveSlots("run-1", plays), SeenLines(origin, plays)
    for read in (
        lambda: decode_playing_record("x", content),
        lambda: slots.list_slots(),
        lambda: slots.read_state("a"),
        lambda: sorted(seen.list_ids()),
        lambda: seen.add_ids(frozenset({"b"})),
        lambda: CreationIndex(plays).find_earlier("", asked),
    ):
        told.append(_render_answer(read))
    return ReaderAnswer(answer=b"\n".join(told))


def _render_answer(read: Callable[[], object]) -> bytes:
    try:
        return msgspec.json.encode(read())
    except SaniwaError as problem:
        return str(problem).encode()


def _read_tape(content: bytes, folder: Path) -> ReaderAnswer:
    """Replay a recording; it gives the recorded answer or an error."""
    (folder / "tape.jsonl").write_bytes(content)
    tape = ReplayingOracle(JsonLinesFile(folder / "tape.jsonl"), Redactor(()))
    told = list[bytes]()
    for _ in range(2):
        try:
            told.append(msgspec.json.encode(asyncio.run(tape.answer(_ASKED))))
        except SdkBridgeError as problem:
            told.append(msgspec.json.encode(problem.to_document()))
    return ReaderAnswer(answer=b"\n".join(told))


def _make_tapes() -> list[bytes]:
    one = RecordedAnswer(
        key=_ASKED.key, request=_ASKED, answer=OracleAnswer(text="Here.", model="m")
    )
    other = msgspec.json.encode(one)
    return [other + b"\n" + other + b"\n"]


def _read_canned(content: bytes, folder: Path) -> ReaderAnswer:
    for name in ("answers.jsonl", "answers.json", "answers.yaml"):
        (folder / name).write_bytes(content)
    told = [_render_answer(partial(_answer_from, folder / name)) for name in _CANNED]
    return ReaderAnswer(answer=b"\n".join(told))


_CANNED = ("answers.jsonl", "answers.json", "answers.yaml")


def _answer_from(path: Path) -> str:
    canned = load_canned_file(path)
    return asyncio.run(canned.answer(_ASKED)).text


def _read_journal_bytes(content: bytes, folder: Path) -> ReaderAnswer:
    path = folder / "journal.jsonl"
    path.write_bytes(content)
    story = read_journal(JsonLinesFile(path).read_entries())
    return ReaderAnswer(answer=msgspec.json.encode([story, story.total_usage]))


_JOURNAL = b"""\
{"event":"initialized","agentRun":"a-1","definition":"d","arguments":{"x":"y"}}
{"event":"iterationStart","iteration":1,"turn":2}
{"event":"promptBuilt","prompt":"Hello"}
{"event":"queryExecuted","response":{"text":"Hi","model":"m","key":"k","usage":{}}}
{"event":"stepChecked","key":"c","answer":"yes"}
{"event":"error","error":{"code":"X","message":"m","recoverable":true}}
{"event":"completed"}
"""


def _read_sealed_lines(content: bytes, folder: Path) -> ReaderAnswer:
    """Read lines with seals; a sealed line that was not written is an error."""
    path = folder / "lines.jsonl"
    path.write_bytes(content)
    told = _render_answer(lambda: list(JsonLinesFile(path).read_entries()))
    refused = told.startswith(b"[TRACE_CORRUPT]")
    bearing = {line for line in content.split(b"\n")[:-1] if _SEAL.search(line)}
    assert refused or bearing <= _WRITTEN, "a line is read that no writer wrote"
    return ReaderAnswer(answer=told)


_SEAL = re.compile(rb',"seal":".{32}"}$', re.DOTALL)
_WRITTEN = {seal_line(line) for line in _JOURNAL.split(b"\n") if line}
_ANN = GatePerson(name="ann", role="human", salt="00", hash="ab" * 32, added_at="")
_BADGE = session_tokens.SessionToken(name="ann", issued=0, expires=2_000, serial="1")


def _read_token(content: bytes, folder: Path) -> ReaderAnswer:
    """Only the token that was issued is valid."""
    text = content.decode("latin-1")
    found = session_tokens.decode_token(
        b"k" * 32, text, lambda name: _ANN if name == "ann" else None, 1_000
    )
    given = session_tokens.encode_token(b"k" * 32, _BADGE, _ANN)
    assert (found is not None) == (text == given), "a forged session token counts"
    (folder / "departed.json").write_bytes(content)
    gone = _render_answer(lambda: RevokedTokens(folder).is_revoked(_BADGE))
    return ReaderAnswer(answer=repr(found).encode() + gone)


@cache
def _make_experiment() -> dict[str, bytes]:
    """The files of a small experiment, by name."""
    with TemporaryDirectory() as folder:
        line = ["experiment", "run", "--scenario", "default", "--conditions", "D"]
        line += ["--seeds", "1", "--max-turns", "1", "--experiment-id", "x", "--no-report"]
        make_command_reader([], line)(b"", Path(folder))
        (made,) = (Path(folder) / "results").iterdir()
        return {
            str(each.relative_to(made)): each.read_bytes()
            for each in made.rglob("*")
            if each.is_file()
        }


def _write_experiment(folder: Path) -> None:
    for name, content in _make_experiment().items():
        path = folder / "results" / "x" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _find_file(part: str) -> str:
    return next(name for name in sorted(_make_experiment()) if part in name)


def _make_experiment_reader(part: str, *lines: list[str]) -> Read:
    def read(content: bytes, folder: Path) -> ReaderAnswer:
        file = f"results/x/{_find_file(part)}"
        return make_command_reader([file], *lines, before=_write_experiment)(content, folder)

    return read


_SHOW = (["experiment", "show", "x"], ["experiment", "show", "x", "0"], ["experiment", "list"])

READERS = (
    FuzzReader(
        name="run-rows",
        reads="a run's record and turns with valid seals, by `log` and `replay`",
        seeds=_make_turns,
        read=_read_rows,
        words=("appliedActions", "worldAfter", "aside", "claims", "scenario", "books"),
        tries=15,
    ),
    FuzzReader(
        name="run-file",
        reads="a store's file, byte for byte, by `log` and `replay`",
        seeds=lambda: [_make_store_file()],
        read=_read_store_file,
        tries=10,
    ),
    FuzzReader(
        name="host-records",
        reads="what is stored for hosts: record, positions, seen lines, start requests",
        seeds=lambda: [
            PlayingRecord(origin=PlayOrigin(story="s")).to_bytes(),
            b'{"slot":{"name":"a","created":1,"line":"x"},"state":{}}',
            b'["a","b"]',
            b'{"run":"run-1","digest":"d"}',
        ],
        read=_read_plays,
        tries=150,
    ),
    FuzzReader(
        name="recording",
        reads="a recording of a model, replayed",
        seeds=_make_tapes,
        read=_read_tape,
        tries=100,
    ),
    FuzzReader(
        name="canned-answers",
        reads="canned answers, as JSON lines, JSON and YAML",
        seeds=lambda: [
            b'"x"\n{"when":"Where","text":"y","finish":"length"}\n',
            b'{"answers":["x",{"when":"Where","text":"y"}],"repeat":true}',
        ],
        read=_read_canned,
        words=("answers", "when", "text", "finish", "repeat"),
        tries=100,
    ),
    FuzzReader(
        name="agent-journal",
        reads="an agent's journal, read as a history",
        seeds=lambda: [_JOURNAL],
        read=_read_journal_bytes,
        words=("event", "iterationEnd", "state", "response", "usage"),
        tries=150,
    ),
    FuzzReader(
        name="sealed-lines",
        reads="sealed lines, as in journals and recordings",
        seeds=lambda: [b"".join(line + b"\n" for line in sorted(_WRITTEN))],
        read=_read_sealed_lines,
        tries=150,
    ),
    FuzzReader(
        name="session-token",
        reads="a session token, and the list of revoked ones",
        seeds=lambda: [
            session_tokens.encode_token(b"k" * 32, _BADGE, _ANN).encode(),
            b'{"people":{"ann":{"until":5,"serials":{"1":2000}}}}',
        ],
        read=_read_token,
        tries=150,
    ),
    FuzzReader(
        name="experiment-plan-kept",
        reads="the prepared plan in an experiment's folder, by `experiment show`",
        seeds=lambda: [_make_experiment()[_find_file("prepared")]],
        read=_make_experiment_reader("prepared", *_SHOW),
        tries=10,
    ),
    FuzzReader(
        name="experiment-cell",
        reads="a finished cell in an experiment's folder, by `experiment show`",
        seeds=lambda: [_make_experiment()[_find_file("cells/")]],
        read=_make_experiment_reader("cells/", *_SHOW, ["experiment", "export", "x"]),
        tries=10,
    ),
)
