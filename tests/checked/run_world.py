"""Players of one run, each a separate process, on one SQLite file or in one memory."""

import shutil
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from saniwa.core.clock import FixedClock
from saniwa.core.errors import SaniwaError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.playing import PlayRequest, PlayState
from saniwa.runs.ports import RunStore
from saniwa.runs.replay import replay_run
from saniwa.runs.run_factory import resume_run
from saniwa.runs.scenario_playing import ScenarioPlaying
from saniwa.store.sqlite_runs_and_plays import SqliteRunStore
from saniwa.turn.record import Turn
from tests.checked.explorer import ExplorationFigures, explore
from tests.checked.own_ids import OwnIds
from tests.checked.schedule_database import DatabaseRouter, ScheduleDatabase, disable_sync
from tests.checked.schedule_run import ScheduleRun
from tests.fakes.coroutine_tests import finish_coroutine
from tests.fakes.rulebooks import HANDS_OFF
from tests.fakes.runs import open_courtyard_run

FILE = "runs.sqlite"

Errand = Callable[["RunWorld", int, RunStore], None]
"""What a caller does."""


class ToldAnswer(NamedTuple):
    """What a caller asked for, and the answer it received."""

    caller: int
    """The number of the caller."""
    key: str
    """The idempotency key of the request."""
    answer: PlayState | str
    """The state of the run; an error's code; empty if no answer arrived."""

    @property
    def short(self) -> str:
        """The answer in one word."""
        return self.answer if isinstance(self.answer, str) else "done"


Deed = Callable[[ScenarioPlaying, PlayRequest], Awaitable[PlayState]]


def say_words(key: str, text: str, revision: int = 0, body: str = "") -> Errand:
    """Says some words."""
    return do_deed(key, lambda run, asked: run.say(asked, text), revision, body or text)


def take_back(key: str, revision: int) -> Errand:
    """Takes back the last turn."""
    return do_deed(key, lambda run, asked: run.back(asked), revision, "back")


def edit_rules(key: str, revision: int) -> Errand:
    """Replaces the run's rules."""

    async def lay(run: ScenarioPlaying, request: PlayRequest) -> PlayState:
        return await run.change_run(
            request, lambda inner: inner.edit_rulebook(HANDS_OFF, asked=request.asked)
        )

    return do_deed(key, lay, revision, "edit")


def do_deed(key: str, deed: Deed, revision: int, body: str) -> Errand:
    """Makes a request under a key, and notes the answer."""

    def do_errand(world: "RunWorld", caller: int, store: RunStore) -> None:
        asked = IdempotencyKey(key=key, digest=body)
        run = ScenarioPlaying(resume_run(world.run, store, ids=OwnIds(caller), clock=FixedClock()))
        request = PlayRequest(revision=revision, asked=asked)
        world.ask(caller, key, lambda: finish_coroutine(deed(run, request)))

    return do_errand


def read_turns(world: "RunWorld", caller: int, store: RunStore) -> None:
    """Reads the run's turns."""
    world.readings.append(tuple(store.read_turns(world.run)))
    assert caller >= 0


class RunWorld:
    """One schedule of players of one run."""

    def __init__(self, parties: "RunSchedules", playing: ScheduleRun) -> None:
        self._all = parties
        self.run = parties.run
        """The run that they all play."""
        self.bank = parties.banks.bank = ScheduleDatabase(killed=parties.killed)
        self.told: list[ToldAnswer] = []
        """All that was asked, with the answers."""
        self.readings: list[tuple[Turn, ...]] = []
        """What readers saw."""
        self._commits = 0
        parties.lay()
        for number, errand in enumerate(parties.errands):
            # Opened before any caller plays: opening is not part of a turn.
            store = parties.open_store()
            playing.add("ABC"[number], self._bind_errand(number, errand, store))

    def ask(self, caller: int, key: str, deed: Callable[[], PlayState]) -> None:
        """Do what was asked and note the answer."""
        place = len(self.told)
        self.told.append(ToldAnswer(caller, key, ""))
        try:
            answer: PlayState | str = deed()
        except SaniwaError as problem:
            answer = problem.code
        self.told[place] = ToldAnswer(caller, key, answer)

    def look(self) -> None:
        """Another process reads whole turns, and all that were acknowledged."""
        if self.bank.commits != self._commits:
            self._commits = self.bank.commits
            with self._all.open_outside() as store:
                self._check(tuple(store.read_turns(self.run)))

    def end(self) -> None:
        """Every answer is true and was carried out once; the run replays and can be continued."""
        if not self.bank.struck:
            outcome = sorted(each.short for each in self.told)
            assert outcome in self._all.outcomes, f"the caller received {outcome}"
        self._all.points |= self.bank.points
        with self._all.open_outside() as store:
            turns = tuple(store.read_turns(self.run))
            self._check(turns)
            for seen in self.readings:
                assert turns[: len(seen)] == seen, "a reader saw what was never there"
            self._go_on(store, len(turns))

    def close(self) -> None:
        """Close what is open."""
        self._all.banks.bank = None
        self.bank.close()

    def _bind_errand(self, number: int, errand: Errand, store: RunStore) -> Callable[[], None]:
        return lambda: errand(self, number, store)

    def _check(self, turns: Sequence[Turn]) -> None:
        numbers = [turn.number for turn in turns]
        assert list(range(len(turns))) == numbers, f"turns: {numbers}"
        keys = [turn.asked.key for turn in turns if turn.asked]
        assert len(set(keys)) == len(keys), f"done twice: {keys}"
        for each in self.told:
            if isinstance(each.answer, PlayState):
                place = each.answer.revision - 1
                assert place < len(turns), f"{each.key} was reported, and is not stored"
                asked = turns[place].asked
                assert asked is not None
                assert each.key == asked.key, f"{each.key} received another's turn"
        may = {t.key for t in self.told if t.short in ("done", "")}
        for key in keys[self._all.before :]:
            assert key in may, f"{key} is kept, and was refused"

    def _go_on(self, store: RunStore, revision: int) -> None:
        found = replay_run(store, self.run)
        assert found.first_difference is None, f"it replays otherwise: {found}"
        run = ScenarioPlaying(resume_run(self.run, store, ids=OwnIds(9), clock=FixedClock()))
        finish_coroutine(run.say(PlayRequest(revision=revision), "look"))


class RunSchedules:
    """All schedules of some players, with each of them killed at every step."""

    def __init__(
        self,
        folder: Path,
        *errands: Errand,
        outcomes: Sequence[Sequence[str]],
        words: Sequence[str] = (),
    ) -> None:
        self.folder = folder
        self.errands = errands
        self.outcomes = [sorted(each) for each in outcomes]
        """The sets of answers that the callers may receive when none is killed."""
        self.before = len(words)
        self.banks = DatabaseRouter()
        self.killed: tuple[int, int] | None = None
        self.points: set[tuple[int, int]] = set()
        with closing(self._make_first_store()) as store:
            run = open_courtyard_run(store)
            for text in words:
                finish_coroutine(run.say(text, asked=IdempotencyKey(key=text, digest=text)))
        self.run = run.id

    def lay(self) -> None:
        """Prepare one schedule: copy the run as it was created."""
        folder = self.folder / "played"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shutil.copy(self.folder / FILE, folder / FILE)

    def open_store(self) -> RunStore:
        """The store, as a separate process opens it."""
        return self._open_file()

    @contextmanager
    def open_outside(self) -> Iterator[RunStore]:
        """The store, as a process that does not play opens it."""
        bank, self.banks.bank = self.banks.bank, None
        store = disable_sync(self._open_file())
        self.banks.bank = bank
        with closing(store):
            yield store

    def _open_file(self) -> SqliteRunStore:
        return SqliteRunStore(self.folder / "played" / FILE, mode="existing")

    def _make_first_store(self) -> RunStore:
        return SqliteRunStore(self.folder / FILE)

    def explore(self) -> ExplorationFigures:
        """Every schedule in which no caller is killed."""
        with self.banks.replace_connect():
            return explore(lambda playing: RunWorld(self, playing))

    def explore_kills(self, callers: Sequence[int]) -> ExplorationFigures:
        """Every schedule in which one of these callers is killed, at every step."""
        figures = self.explore()
        for point in sorted(p for p in self.points if p[0] in callers):
            self.killed = point
            figures += self.explore()
        self.killed = None
        return figures
