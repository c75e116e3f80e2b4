"""Clocks that jump backwards and forwards, between turns and within them."""

import asyncio
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed

from saniwa.app.gate.gate_opening import open_gate
from saniwa.app.run_stores import open_store
from saniwa.core.clock import Clock, FixedClock
from saniwa.core.ids import TimeOrderedIds
from saniwa.process.event_record import EventRecord
from saniwa.process.ruling import EventAcceptance
from saniwa.process.submission import Submission
from saniwa.rulebook.loader import resolve_layers
from saniwa.runs.replay import replay_run
from saniwa.runs.run import Run
from saniwa.runs.run_factory import open_run, resume_run
from saniwa.scenario.loader import load_scenario
from saniwa.turn.record import Turn
from tests.fakes.runs import GARDEN, summarize_replay
from tests.torture.ordeal import Ordeal, TrialTally
from tests.torture.ordeals.gates import DOOR

_WORDS = ("go east", "take the loaf", "go west", "take the brass key", "eat the loaf")
_LATEST = 250_000_000_000_000
"""Milliseconds since 1970 in the year 9892: the clock goes no further."""


class JumpingClock:
    """A clock whose every reading is random, or close to the last one."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._now = chance.randrange(_LATEST)
        self.jumps = 0
        """How often it has gone backwards."""

    def now(self) -> int:
        """A moment: a little later or earlier, years away, or the same one again."""
        step = self._chance.choice([0, 1, -1, 3_600_000, -3_600_000, None])
        before = self._now
        later = self._chance.randrange(_LATEST) if step is None else before + step
        self._now = min(max(later, 0), _LATEST)
        self.jumps += self._now < before
        return self._now


def _play_under_clock(folder: Path, chance: Random) -> TrialTally:
    """A run under such a clock has the same turns as the same run under a steady one."""
    clock = JumpingClock(chance)
    words = [chance.choice(_WORDS) for _ in range(30)]
    steady = _say_words(folder / "steady.sqlite", FixedClock(), words)
    jumped = _say_words(folder / "jumped.sqlite", clock, words)
    assert list(range(len(words))) == [turn.number for turn in jumped]
    ids = [turn.id for turn in jumped]
    assert sorted(set(ids)) == ids, "ids are out of order"
    assert [_drop_times(turn) for turn in steady] == [_drop_times(turn) for turn in jumped]
    return TrialTally(harmed=clock.jumps, acknowledged=len(jumped))


def _say_words(place: Path, clock: Clock, words: list[str]) -> list[Turn]:
    """The turns of a run that is resumed once; they are stored, and replay without a difference."""
    store = open_store(str(place))
    run = open_run(
        load_scenario(GARDEN), resolve_layers(), store, ids=TimeOrderedIds(), clock=clock
    )
    _say(run, words[:15])
    again = resume_run(run.id, store, ids=TimeOrderedIds(), clock=clock)
    _say(again, words[15:])
    turns = list(store.read_turns(run.id))
    assert (len(words), None) == summarize_replay(replay_run(store, run.id))
    store.close()
    return turns


def _say(run: Run, words: list[str]) -> None:
    async def say() -> None:
        for each in words:
            await run.say(each)

    asyncio.run(say())


def _drop_times(turn: Turn) -> tuple[object, ...]:
    """Everything in a turn that does not depend on the clock."""
    verdicts = tuple(verdict.reason_code for verdict in turn.validation_results)
    return (turn.raw_text, verdicts, turn.changes, turn.world_before, turn.world_after)


def _run_gate_under_clock(folder: Path, chance: Random) -> TrialTally:
    """A process run under such a clock."""
    place = folder / ".state_gate"
    (place / "processes").mkdir(parents=True)
    (place / "processes" / "door.yaml").write_text(DOOR)
    clock = JumpingClock(chance)
    with open_gate(place, clock=clock) as gate:
        run_id = gate.create_run("door").run_id
        for revision in range(1, 31):
            sent = Submission(
                run_id=run_id,
                event_name="turn",
                expected_revision=revision,
                idempotency_key=f"k{revision}",
            )
            ruled = gate.submit(sent)
            assert isinstance(ruled, EventAcceptance), ruled
            again = gate.submit(sent)
            assert isinstance(again, EventAcceptance), again
            assert ruled.event_id == again.event_id
        records = [each for each in gate.read_history(run_id) if isinstance(each, EventRecord)]
        report = gate.verify(run_id)
    assert list(range(1, 32)) == [each.revision for each in records]
    assert report.has_passed, report
    return TrialTally(harmed=clock.jumps, acknowledged=len(records))


ORDEALS = (
    Ordeal(
        name="run-clock-jumps",
        tried="A run is played while its clock jumps between turns and within them.",
        promised="Turns are in the order of play, and all but the times is the same.",
        trial=_play_under_clock,
    ),
    Ordeal(
        name="gate-clock-jumps",
        tried="Events are sent to a gate, each twice, while its clock jumps.",
        promised="Only revisions define the order, each event counts once, the log verifies.",
        trial=_run_gate_under_clock,
    ),
)
