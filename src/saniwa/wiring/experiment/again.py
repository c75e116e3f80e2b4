"""Finished cells played again: what was asked, and what comes out."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple, cast

import msgspec

from saniwa.agent.bridges.tape.recorded import Recorded
from saniwa.agent.journal.story import MemoryJournal
from saniwa.agent.oracle import Answer, Finish, Hear, Oracle, Request, Usage
from saniwa.core.errors import ExperimentError, SdkBridgeError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.experiment.cell import Cell, cells_of
from saniwa.experiment.outcome import Attempt, Outcome, decode, encode
from saniwa.experiment.plan import Plan, Prepared
from saniwa.experiment.playing.cell import play_cell
from saniwa.experiment.playing.opening import Stages
from saniwa.experiment.ports import Shelf
from saniwa.store.cells.label import corrupt
from saniwa.wiring.experiment.apart import Difference, difference
from saniwa.wiring.experiment.folder import Experiment
from saniwa.wiring.experiment.kept import outcome_of
from saniwa.wiring.experiment.oracles import standing_in


class Replayed(NamedTuple):
    """What came of playing cells again."""

    cells: int
    """Cells that were played again."""
    turns: int
    """Turns of them."""
    differences: tuple[Difference, ...]
    """The first difference of every cell that came out otherwise."""


def find_cell(plan: Plan, named: str) -> Cell:
    """The cell somebody means: its key, what its key ends with, or its number from 0.

    Raises:
        ExperimentError: `CELL_UNKNOWN`.
    """
    wanted = int(named) if named.isascii() and named.isdecimal() else None
    keys: list[str] = []
    for cell in cells_of(plan):
        short = cell.key.removeprefix(f"{plan.experiment_id}_")
        if named in (cell.key, short) or wanted == cell.number:
            return cell
        keys.append(short)
    raise ExperimentError(
        "CELL_UNKNOWN",
        f"the plan has no cell {quoted(named)}",
        hint=did_you_mean(named, keys) or f"such as {keys[0]!r}, or its number",
        details={"cell": named},
    )


async def replayed(
    experiment: Experiment, shelf: Shelf, cells: Iterable[Cell] | None = None
) -> Replayed:
    """Play cells again, all that are done unless some are named, and compare.

    Raises:
        StoreError: What is kept of a cell cannot be read.
    """
    prepared = experiment.prepared
    stages = Stages(prepared)
    looked = turns = 0
    parted: list[Difference] = []
    for cell in cells_of(prepared.plan) if cells is None else cells:
        outcome = outcome_of(shelf, cell, stages.fingerprint)
        if outcome is None:
            continue
        looked, turns = looked + 1, turns + len(outcome.passages)
        found = await played_again(stages, cell, outcome)
        if found is not None:
            parted.append(found)
    return Replayed(looked, turns, tuple(parted))


async def check_replayed(experiment: Experiment, shelf: Shelf) -> None:
    """Go on if every cell comes out as it is kept.

    Raises:
        ExperimentError: `RUN_DIVERGED`.
        StoreError: What is kept of a cell cannot be read.
    """
    found = (await replayed(experiment, shelf)).differences
    if not found:
        return
    first = found[0]
    raise ExperimentError(
        "RUN_DIVERGED",
        f"{len(found)} of the cells do not come out as they are kept; first "
        f"{quoted(first.cell)}: {first.field!r} differs",
        hint="see them with: saniwa experiment replay; take their files away and resume",
        details={"cells": [each.cell for each in found]},
    )


async def played_again(
    stages: Stages, cell: Cell, outcome: Outcome
) -> Difference | None:
    """Play a cell again; the first thing that is not as it was kept.

    Stand-ins are asked once more, for they always say the same; models answer from the
    recording, each question by what was said to that very question. Everything that
    follows is compared: prompts are made, words read, deeds judged, cards written and
    turns kept once more.

    Raises:
        StoreError: `TRACE_CORRUPT`: its recording is none.
    """
    if stages.prepared.plan.mode == "sim":
        again = await play_cell(stages, cell, _standing_in(stages, cell))
        return difference(cell.key, outcome, decode(encode(again)))
    oracle = _Repeating(outcome, recorded=True)
    try:
        again = await play_cell(stages, cell, oracle)
    except SdkBridgeError as problem:
        return oracle.other or oracle.parted(problem.message)
    if len(oracle.asked) < oracle.count:
        return oracle.parted("nothing more was asked")
    again = msgspec.structs.replace(again, calls=outcome.calls)
    # Once there and back, so that both have come the same way.
    return difference(cell.key, outcome, decode(encode(again)))


def _standing_in(stages: Stages, cell: Cell) -> Oracle:
    return standing_in(stages.prepared.plan)(cell, MemoryJournal())


async def requests_of(
    prepared: Prepared, cell: Cell, outcome: Outcome
) -> list[Request]:
    """Everything the models of a cell were asked, in order: made again from its answers."""
    oracle = _Repeating(outcome)
    # One that does not come out as it is kept may ask for more than was answered.
    with suppress(SdkBridgeError):
        await play_cell(Stages(prepared), cell, oracle)
    return oracle.asked


class _Repeating:
    """Says again what was said in a cell, and listens to what it is told."""

    def __init__(self, outcome: Outcome, *, recorded: bool = False) -> None:
        """With `recorded`, only to the questions that the recording has, in its order."""
        self._strict = recorded
        said = list(_recording(outcome) if recorded else _answers(outcome))
        self.count = len(said)
        """Answers there are."""
        self.asked = list[Request]()
        """What it was asked so far."""
        self.other: Difference | None = None
        """The first question that is not the one that was recorded."""
        self._said = iter(said)
        self._outcome = outcome

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        del hear
        key, answer = next(self._said, ("", None))
        if answer is None:
            raise self._end()
        if self._strict and key != request.key:
            name = f"questions.{len(self.asked)}"
            self.other = Difference(self._outcome.key, None, name, key, request.key)
            raise SdkBridgeError("RECORDING_MISSING", "another question was asked")
        self.asked.append(request)
        return answer

    async def close(self) -> None: ...

    def parted(self, why: str) -> Difference:
        """That the answers are not as many as the questions."""
        told = f"{len(self.asked)}, and then: {why}"
        return Difference(self._outcome.key, None, "answers", self.count, told)

    def _end(self) -> SdkBridgeError:
        """What ended the cell; where nothing did, there should have been no question."""
        ended = self._outcome
        if ended.error:
            return SdkBridgeError(ended.error, ended.error_message)
        return SdkBridgeError("RECORDING_MISSING", "one more question was asked")


def _answers(outcome: Outcome) -> Iterator[tuple[str, Answer]]:
    """What was said, in order: as the models' own recording has it, where there is one."""
    if outcome.calls:
        yield from _recording(outcome)
        return
    for passage in outcome.passages:
        yield from (("", _answer(attempt)) for attempt in passage.attempts)
    yield from (("", _answer(attempt)) for attempt in outcome.dropped)


def _recording(outcome: Outcome) -> Iterator[tuple[str, Answer]]:
    """What was recorded: by what each question is known, and what was said to it."""
    for call in outcome.calls:
        recorded = _recorded(outcome.key, call)
        if recorded.answer is not None:
            yield recorded.request.key, recorded.answer


def _recorded(key: str, call: dict[str, Any]) -> Recorded:
    try:
        return msgspec.convert(call, Recorded)
    except msgspec.ValidationError as problem:
        raise corrupt(key, f"a call of it is none: {problem}") from problem


def _answer(attempt: Attempt) -> Answer:
    spent = Usage(
        calls=1,
        input_tokens=attempt.input_tokens,
        output_tokens=attempt.output_tokens,
        cost=attempt.cost,
        unpriced=int(attempt.unpriced),
    )
    return Answer(
        text=attempt.raw_output,
        finish=cast(Finish, attempt.finish),
        usage=spent,
        took_ms=attempt.latency_ms,
    )
