"""Plays finished cells again and compares the result with the stored outcome.

No model is called: stand-ins are deterministic, and models answer from the recording.
"""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple, cast

import msgspec

from saniwa.agent.journal import MemoryJournal
from saniwa.app import describe
from saniwa.app.experiments.cell_models import make_stand_ins
from saniwa.app.experiments.folder import Experiment, read_outcome
from saniwa.core.errors import ExperimentError, SdkBridgeError
from saniwa.core.suggestions import suggest_nearest
from saniwa.experiment.cell_outcome import (
    AnswerAttempt,
    CellOutcome,
    decode_outcome,
    encode_outcome,
)
from saniwa.experiment.cell_player import play_cell
from saniwa.experiment.plan import ExperimentCell, ExperimentPlan, PreparedPlan, iterate_cells
from saniwa.experiment.ports import OutcomeStore, WorkPlayerFactory
from saniwa.experiment.run_template import RunTemplates
from saniwa.models.oracle import FinishReason, OracleAnswer, OracleRequest, TextListener, Usage
from saniwa.models.recording import RecordedAnswer
from saniwa.store.outcome_store import MemoryOutcomeStore, make_corrupt_cell_error

_FieldPath = tuple[str | int, ...]


class CellDifference(NamedTuple):
    """The first difference between a stored and a replayed cell."""

    cell: str
    """The key of the cell."""
    turn: int | None
    """The turn; None if the difference is not in a turn."""
    field: str
    """The field, such as `attempts.0.intents.0.allowed`."""
    recorded: Any
    """The stored value."""
    replayed: Any
    """The replayed value."""


def find_first_difference(
    cell: str, recorded: CellOutcome, replayed: CellOutcome
) -> CellDifference | None:
    """Return the first difference in field order; None if the outcomes are equal."""
    if not recorded.milestones:
        # The outcome may have been stored before milestones were counted.
        replayed = msgspec.structs.replace(replayed, milestones=0, milestones_passed=0)
    if recorded == replayed:
        return None
    found = _find_first(msgspec.to_builtins(recorded), msgspec.to_builtins(replayed), ())
    assert found is not None, "records that differ differ somewhere"
    path, one, other = found
    turn = None
    if path[:1] == ("passages",) and len(path) > 1 and isinstance(path[1], int):
        turn, path = path[1], path[2:]
    return CellDifference(cell, turn, ".".join(map(str, path)), one, other)


def _find_first(one: Any, other: Any, path: _FieldPath) -> tuple[_FieldPath, Any, Any] | None:
    if one == other:
        return None
    pairs = _pair_parts(one, other)
    for name, mine, theirs in pairs:
        found = _find_first(mine, theirs, (*path, name))
        if found is not None:
            return found
    return path, one, other


def _pair_parts(one: Any, other: Any) -> list[tuple[str | int, Any, Any]]:
    """Pair the parts of two containers; empty for values without parts."""
    if isinstance(one, dict) and isinstance(other, dict):
        names = dict.fromkeys((*one, *other))
        return [(name, one.get(name), other.get(name)) for name in names]
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return list(zip(range(min(len(one), len(other))), one, other, strict=False))
    return []


class ReplayReport(NamedTuple):
    """The result of replaying cells."""

    cells: int
    """Cells that were replayed."""
    turns: int
    """Turns in those cells."""
    differences: tuple[CellDifference, ...]
    """The first difference of every cell that differs."""


def find_cell(plan: ExperimentPlan, named: str) -> ExperimentCell:
    """Find a cell by its key, its key without the experiment id, or its number from 0.

    Raises:
        ExperimentError: `CELL_UNKNOWN`.
    """
    wanted = int(named) if named.isascii() and named.isdecimal() else None
    keys: list[str] = []
    for cell in iterate_cells(plan):
        short = cell.key.removeprefix(f"{plan.experiment_id}_")
        if named in (cell.key, short) or wanted == cell.number:
            return cell
        keys.append(short)
    near = suggest_nearest(named, keys)
    said = describe("CELL_UNKNOWN/plan", hint=near, cell=named, first=keys[0])
    raise said.to_error(ExperimentError)


def load_finished_cell(
    experiment: Experiment, outcome_store: OutcomeStore | None, named: str
) -> tuple[ExperimentCell, CellOutcome]:
    """Return a finished cell, as `find_cell` finds it, with its outcome.

    Raises:
        ExperimentError: `CELL_UNKNOWN`: there is none, or it is not finished.
        StoreError: It cannot be read.
    """
    cell = find_cell(experiment.prepared.plan, named)
    fingerprint = experiment.prepared.fingerprint
    outcome = read_outcome(outcome_store, cell, fingerprint) if outcome_store else None
    if outcome is None:
        raise describe("CELL_UNKNOWN/unfinished", cell=cell.key).to_error(ExperimentError)
    return cell, outcome


async def replay_cells(
    experiment: Experiment,
    outcome_store: OutcomeStore,
    cells: Iterable[ExperimentCell] | None = None,
    work: WorkPlayerFactory | None = None,
) -> ReplayReport:
    """Replay the given cells, by default all that are done, and compare the outcomes.

    `work` lets agents work at a gate; only an experiment with agents needs it.

    Raises:
        StoreError: A stored outcome cannot be read.
    """
    prepared = experiment.prepared
    templates = RunTemplates(prepared)
    cell_count = turns = 0
    differences: list[CellDifference] = []
    for cell in iterate_cells(prepared.plan) if cells is None else cells:
        outcome = read_outcome(outcome_store, cell, templates.fingerprint)
        if outcome is None:
            continue
        cell_count, turns = cell_count + 1, turns + len(outcome.passages)
        found = await replay_cell(templates, cell, outcome, work)
        if found is not None:
            differences.append(found)
    return ReplayReport(cell_count, turns, tuple(differences))


async def check_replay(
    experiment: Experiment, outcome_store: OutcomeStore, work: WorkPlayerFactory | None = None
) -> None:
    """Raise if any cell does not replay to its stored outcome.

    Raises:
        ExperimentError: `RUN_DIVERGED`.
        StoreError: A stored outcome cannot be read.
    """
    found = (await replay_cells(experiment, outcome_store, work=work)).differences
    if not found:
        return
    first = found[0]
    raise describe(
        "RUN_DIVERGED/cells",
        count=len(found),
        first=first.cell,
        field=first.field,
        cells=[each.cell for each in found],
    ).to_error(ExperimentError)


async def replay_cell(
    templates: RunTemplates,
    cell: ExperimentCell,
    outcome: CellOutcome,
    work: WorkPlayerFactory | None = None,
) -> CellDifference | None:
    """Replay a cell and return its first difference from the stored outcome.

    Stand-ins play again, because they always give the same answers; models answer from
    the recording, each request with the answer recorded for that request. Everything
    that follows is done again and compared: prompts are built, answers parsed, actions
    judged, cards written and turns recorded.

    Raises:
        StoreError: `TRACE_CORRUPT`: its recording is invalid.
    """
    if templates.prepared.plan.mode == "sim":
        stand_in = make_stand_ins(templates.prepared.plan)(cell, MemoryJournal())
        replayed = await play_cell(templates, cell, stand_in)
        return find_first_difference(cell.key, outcome, decode_outcome(encode_outcome(replayed)))
    oracle = _RepeatingOracle(outcome, recorded=True)
    try:
        replayed = await _play_recorded(templates, cell, outcome, oracle, work)
    except SdkBridgeError as problem:
        return oracle.other or oracle.describe_difference(problem.message)
    if len(oracle.asked) < oracle.count:
        return oracle.describe_difference("the replay made fewer model calls")
    replayed = msgspec.structs.replace(replayed, calls=outcome.calls)
    # Encoded and decoded, so that both outcomes passed through the same conversion.
    return find_first_difference(cell.key, outcome, decode_outcome(encode_outcome(replayed)))


async def _play_recorded(
    templates: RunTemplates,
    cell: ExperimentCell,
    outcome: CellOutcome,
    oracle: "_RepeatingOracle",
    work: WorkPlayerFactory | None,
) -> CellOutcome:
    """Play a cell with recorded answers; an agent's tools are not run but repeated."""
    if outcome.work is None:
        return await play_cell(templates, cell, oracle)
    assert work is not None, "a replay of agents needs a factory"
    recorded = MemoryOutcomeStore()
    recorded.keep(cell.key, encode_outcome(outcome))
    return await work(recorded)(templates, cell, oracle, MemoryJournal())


async def collect_requests(
    prepared: PreparedPlan, cell: ExperimentCell, outcome: CellOutcome
) -> list[OracleRequest]:
    """List all requests of a cell in order, rebuilt from its recorded answers."""
    oracle = _RepeatingOracle(outcome)
    # A cell that does not replay as stored may send more requests than were answered.
    with suppress(SdkBridgeError):
        await play_cell(RunTemplates(prepared), cell, oracle)
    return oracle.asked


def collect_turn_requests(
    prepared: PreparedPlan, cell: ExperimentCell, outcome: CellOutcome, number: int
) -> list[OracleRequest]:
    """List the requests of one turn of a cell, counted from 0."""
    asked = asyncio.run(collect_requests(prepared, cell, outcome))
    begin = sum(len(each.attempts) for each in outcome.passages[:number])
    return asked[begin : begin + len(outcome.passages[number].attempts)]


class _RepeatingOracle:
    """Repeats the answers of a cell and records the requests it gets."""

    def __init__(self, outcome: CellOutcome, *, recorded: bool = False) -> None:
        """With `recorded`, answers only the recorded requests, in the recorded order."""
        self._strict = recorded
        answers = list(_iterate_recording(outcome) if recorded else _iterate_answers(outcome))
        self.count = len(answers)
        """The number of answers."""
        self.asked = list[OracleRequest]()
        """The requests so far."""
        self.other: CellDifference | None = None
        """The first request that differs from the recorded one."""
        self._answers = iter(answers)
        self._outcome = outcome

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        del hear
        key, answer = next(self._answers, ("", None))
        if answer is None:
            raise self._make_end_error()
        if self._strict and key != request.key:
            name = f"questions.{len(self.asked)}"
            self.other = CellDifference(self._outcome.key, None, name, key, request.key)
            raise SdkBridgeError("RECORDING_MISSING", "a different model call was made")
        self.asked.append(request)
        return answer

    async def close(self) -> None: ...

    def describe_difference(self, why: str) -> CellDifference:
        """Return that the number of answers is not the number of requests."""
        replayed = f"{len(self.asked)}, and then: {why}"
        return CellDifference(self._outcome.key, None, "answers", self.count, replayed)

    def _make_end_error(self) -> SdkBridgeError:
        """Return the error that ended the cell, else one for a surplus request."""
        ended = self._outcome
        if ended.error:
            return SdkBridgeError(ended.error, ended.error_message)
        return SdkBridgeError("RECORDING_MISSING", "the replay made more model calls")


def _iterate_answers(outcome: CellOutcome) -> Iterator[tuple[str, OracleAnswer]]:
    """Yield the answers in order, from the models' recording if there is one."""
    if outcome.calls:
        yield from _iterate_recording(outcome)
        return
    for passage in outcome.passages:
        yield from (("", _make_answer(attempt)) for attempt in passage.attempts)
    yield from (("", _make_answer(attempt)) for attempt in outcome.dropped)


def _iterate_recording(outcome: CellOutcome) -> Iterator[tuple[str, OracleAnswer]]:
    """Yield the key of each recorded request and its answer."""
    for call in outcome.calls:
        if "tool" in call:
            continue
        try:
            recorded = msgspec.convert(call, RecordedAnswer)
        except msgspec.ValidationError as problem:
            why = f"one of its calls is malformed: {problem}"
            raise make_corrupt_cell_error(outcome.key, why) from problem
        if recorded.answer is not None:
            yield recorded.request.key, recorded.answer


def _make_answer(attempt: AnswerAttempt) -> OracleAnswer:
    spent = Usage(
        calls=1,
        input_tokens=attempt.input_tokens,
        output_tokens=attempt.output_tokens,
        cost=attempt.cost,
        unpriced=int(attempt.unpriced),
    )
    return OracleAnswer(
        text=attempt.raw_output,
        finish=cast(FinishReason, attempt.finish),
        usage=spent,
        took_ms=attempt.latency_ms,
    )
