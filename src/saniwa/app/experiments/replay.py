"""Finished cells played again: what was asked, and what comes out."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple, cast

import msgspec

from saniwa.agent.journal import MemoryJournal
from saniwa.app.experiments.folder import Experiment, read_outcome
from saniwa.app.experiments.models import make_stand_ins
from saniwa.core.errors import ExperimentError, SdkBridgeError
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.experiment.cell_player import play_cell
from saniwa.experiment.outcome import (
    AnswerAttempt,
    CellOutcome,
    decode_outcome,
    encode_outcome,
)
from saniwa.experiment.plan import (
    ExperimentCell,
    ExperimentPlan,
    PreparedPlan,
    iterate_cells,
)
from saniwa.experiment.ports import OutcomeStore
from saniwa.experiment.run_template import RunTemplates
from saniwa.models.oracle import (
    FinishReason,
    Oracle,
    OracleAnswer,
    OracleRequest,
    TextListener,
    Usage,
)
from saniwa.models.recording import RecordedAnswer
from saniwa.store.outcome_store import make_corrupt_cell_error

_FieldPath = tuple[str | int, ...]


class CellDifference(NamedTuple):
    """The first thing of a cell that came out otherwise."""

    cell: str
    """Its key."""
    turn: int | None
    """In which turn; None where it is no matter of one."""
    field: str
    """Which part, such as `attempts.0.intents.0.allowed`."""
    recorded: Any
    """What is kept."""
    replayed: Any
    """What came out."""


def find_first_difference(
    cell: str, kept: CellOutcome, again: CellOutcome
) -> CellDifference | None:
    """The first difference between two outcomes, in reading order; None if they agree."""
    if not kept.milestones:
        # It may have been kept before milestones were counted.
        again = msgspec.structs.replace(again, milestones=0, milestones_passed=0)
    if kept == again:
        return None
    found = _find_first(msgspec.to_builtins(kept), msgspec.to_builtins(again), ())
    assert found is not None, "records that differ differ somewhere"
    path, one, other = found
    turn = None
    if path[:1] == ("passages",) and len(path) > 1 and isinstance(path[1], int):
        turn, path = path[1], path[2:]
    return CellDifference(cell, turn, ".".join(map(str, path)), one, other)


def _find_first(
    one: Any, other: Any, path: _FieldPath
) -> tuple[_FieldPath, Any, Any] | None:
    if one == other:
        return None
    pairs = _pair_parts(one, other)
    for name, mine, theirs in pairs:
        found = _find_first(mine, theirs, (*path, name))
        if found is not None:
            return found
    return path, one, other


def _pair_parts(one: Any, other: Any) -> list[tuple[str | int, Any, Any]]:
    """The parts of both that can be looked at in turn; none for what has no parts."""
    if isinstance(one, dict) and isinstance(other, dict):
        names = dict.fromkeys((*one, *other))
        return [(name, one.get(name), other.get(name)) for name in names]
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return list(zip(range(min(len(one), len(other))), one, other, strict=False))
    return []


class ReplayReport(NamedTuple):
    """What came of playing cells again."""

    cells: int
    """Cells that were played again."""
    turns: int
    """Turns of them."""
    differences: tuple[CellDifference, ...]
    """The first difference of every cell that came out otherwise."""


def find_cell(plan: ExperimentPlan, named: str) -> ExperimentCell:
    """The cell somebody means: its key, what its key ends with, or its number from 0.

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
    raise ExperimentError(
        "CELL_UNKNOWN",
        f"the plan has no cell {quote_value(named)}",
        hint=suggest_nearest(named, keys) or f"such as {keys[0]!r}, or its number",
        details={"cell": named},
    )


async def replay_cells(
    experiment: Experiment,
    shelf: OutcomeStore,
    cells: Iterable[ExperimentCell] | None = None,
) -> ReplayReport:
    """Play cells again, all that are done unless some are named, and compare.

    Raises:
        StoreError: What is kept of a cell cannot be read.
    """
    prepared = experiment.prepared
    stages = RunTemplates(prepared)
    looked = turns = 0
    parted: list[CellDifference] = []
    for cell in iterate_cells(prepared.plan) if cells is None else cells:
        outcome = read_outcome(shelf, cell, stages.fingerprint)
        if outcome is None:
            continue
        looked, turns = looked + 1, turns + len(outcome.passages)
        found = await replay_cell(stages, cell, outcome)
        if found is not None:
            parted.append(found)
    return ReplayReport(looked, turns, tuple(parted))


async def check_replay(experiment: Experiment, shelf: OutcomeStore) -> None:
    """Go on if every cell comes out as it is kept.

    Raises:
        ExperimentError: `RUN_DIVERGED`.
        StoreError: What is kept of a cell cannot be read.
    """
    found = (await replay_cells(experiment, shelf)).differences
    if not found:
        return
    first = found[0]
    raise ExperimentError(
        "RUN_DIVERGED",
        f"{len(found)} of the cells do not come out as they are kept; first "
        f"{quote_value(first.cell)}: {first.field!r} differs",
        hint="see them with: saniwa experiment replay; take their files away and resume",
        details={"cells": [each.cell for each in found]},
    )


async def replay_cell(
    stages: RunTemplates, cell: ExperimentCell, outcome: CellOutcome
) -> CellDifference | None:
    """Play a cell again; the first thing that is not as it was kept.

    Stand-ins are asked once more, for they always say the same; models answer from the
    recording, each question by what was said to that very question. Everything that
    follows is compared: prompts are made, words read, deeds judged, cards written and
    turns kept once more.

    Raises:
        StoreError: `TRACE_CORRUPT`: its recording is none.
    """
    if stages.prepared.plan.mode == "sim":
        again = await play_cell(stages, cell, _open_stand_in(stages, cell))
        return find_first_difference(
            cell.key, outcome, decode_outcome(encode_outcome(again))
        )
    oracle = _RepeatingOracle(outcome, recorded=True)
    try:
        again = await play_cell(stages, cell, oracle)
    except SdkBridgeError as problem:
        return oracle.other or oracle.describe_difference(problem.message)
    if len(oracle.asked) < oracle.count:
        return oracle.describe_difference("nothing more was asked")
    again = msgspec.structs.replace(again, calls=outcome.calls)
    # Once there and back, so that both have come the same way.
    return find_first_difference(
        cell.key, outcome, decode_outcome(encode_outcome(again))
    )


def _open_stand_in(stages: RunTemplates, cell: ExperimentCell) -> Oracle:
    return make_stand_ins(stages.prepared.plan)(cell, MemoryJournal())


async def collect_requests(
    prepared: PreparedPlan, cell: ExperimentCell, outcome: CellOutcome
) -> list[OracleRequest]:
    """Everything the models of a cell were asked, in order: made again from its answers."""
    oracle = _RepeatingOracle(outcome)
    # One that does not come out as it is kept may ask for more than was answered.
    with suppress(SdkBridgeError):
        await play_cell(RunTemplates(prepared), cell, oracle)
    return oracle.asked


class _RepeatingOracle:
    """Says again what was said in a cell, and listens to what it is told."""

    def __init__(self, outcome: CellOutcome, *, recorded: bool = False) -> None:
        """With `recorded`, only to the questions that the recording has, in its order."""
        self._strict = recorded
        said = list(
            _iterate_recording(outcome) if recorded else _iterate_answers(outcome)
        )
        self.count = len(said)
        """Answers there are."""
        self.asked = list[OracleRequest]()
        """What it was asked so far."""
        self.other: CellDifference | None = None
        """The first question that is not the one that was recorded."""
        self._said = iter(said)
        self._outcome = outcome

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        del hear
        key, answer = next(self._said, ("", None))
        if answer is None:
            raise self._make_end_error()
        if self._strict and key != request.key:
            name = f"questions.{len(self.asked)}"
            self.other = CellDifference(self._outcome.key, None, name, key, request.key)
            raise SdkBridgeError("RECORDING_MISSING", "another question was asked")
        self.asked.append(request)
        return answer

    async def close(self) -> None: ...

    def describe_difference(self, why: str) -> CellDifference:
        """That the answers are not as many as the questions."""
        told = f"{len(self.asked)}, and then: {why}"
        return CellDifference(self._outcome.key, None, "answers", self.count, told)

    def _make_end_error(self) -> SdkBridgeError:
        """What ended the cell; where nothing did, there should have been no question."""
        ended = self._outcome
        if ended.error:
            return SdkBridgeError(ended.error, ended.error_message)
        return SdkBridgeError("RECORDING_MISSING", "one more question was asked")


def _iterate_answers(outcome: CellOutcome) -> Iterator[tuple[str, OracleAnswer]]:
    """What was said, in order: as the models' own recording has it, where there is one."""
    if outcome.calls:
        yield from _iterate_recording(outcome)
        return
    for passage in outcome.passages:
        yield from (("", _make_answer(attempt)) for attempt in passage.attempts)
    yield from (("", _make_answer(attempt)) for attempt in outcome.dropped)


def _iterate_recording(outcome: CellOutcome) -> Iterator[tuple[str, OracleAnswer]]:
    """What was recorded: by what each question is known, and what was said to it."""
    for call in outcome.calls:
        recorded = _read_call(outcome.key, call)
        if recorded.answer is not None:
            yield recorded.request.key, recorded.answer


def _read_call(key: str, call: dict[str, Any]) -> RecordedAnswer:
    try:
        return msgspec.convert(call, RecordedAnswer)
    except msgspec.ValidationError as problem:
        raise make_corrupt_cell_error(
            key, f"a call of it is none: {problem}"
        ) from problem


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
