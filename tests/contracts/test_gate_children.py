"""What child runs and lanes promise, over memory, files and a real PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from saniwa.core.errors import StoreError
from saniwa.core.ids import CountingIds
from saniwa.process.event_record import LogNote
from saniwa.process.gate import Gate
from saniwa.process.ports import GateLog
from tests.contracts.test_gate_log import GateLogOpener, drop_tables
from tests.fakes.paper_process import AGENT, EvidenceFiles, ProcessCollection, SteppingClock
from tests.fakes.tour_process import SURVEY, read_tour


class PowerCutError(Exception):
    """The simulated end of the process."""


class CutLog:
    """A log that ends the caller's process before its nth write."""

    def __init__(self, log: GateLog, writes: int) -> None:
        self._log = log
        self.left = writes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise PowerCutError

    def create(self, *given: Any) -> None:
        """Create a run, or end the process."""
        self._count()
        self._log.create(*given)

    def lock_run(self, run_id: str) -> Any:
        """Lock a run, or end the process before it is written."""
        self._count()
        return self._log.lock_run(run_id)


@pytest.fixture(params=["memory", "files", "postgres"])
def logs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[GateLogOpener]:
    """The log under test, without any run."""

    def get_url() -> str:
        address: str = request.getfixturevalue("postgres_url")
        drop_tables(address)
        return address

    opener = GateLogOpener(request.param, tmp_path, get_url)
    yield opener
    opener.close()


class Tour:
    """A gate for tours and surveys over one log."""

    def __init__(self, log: GateLog, ids: CountingIds | None = None) -> None:
        self.log = log
        self.ids = ids or CountingIds()
        self.clock = SteppingClock()
        self.library = ProcessCollection(read_tour(), read_tour(SURVEY))
        self.gate = self.make_gate(log)

    def make_gate(self, log: Any) -> Gate:
        """A gate over the given log."""
        return Gate(log, self.library, EvidenceFiles({}), AGENT, clock=self.clock, ids=self.ids)

    def begin(self) -> str:
        """Create a tour, which is then in its first state."""
        return self.gate.create_run("tour").run_id

    def send(self, run_id: str, event: str, gate: Gate | None = None, **more: Any) -> Any:
        """Send an event at the current revision, with its name as the key."""
        revision = self.log.load_run(run_id).revision
        return (gate or self.gate).emit_event(
            run_id=run_id,
            event_name=event,
            expected_revision=revision,
            idempotency_key=event,
            **more,
        )

    def start(self, gate: Gate | None = None) -> str:
        """Create a tour that waits for two surveys and its lane."""
        run_id = self.begin()
        assert self.send(run_id, "start", gate, payload={"sites": ["a", "b"]})["ok"]
        return run_id


def _finish(tour: Tour, run_id: str) -> None:
    """Bring every child run to the end that its parent waits for."""
    for child in list(tour.gate.list_runs(run_id)):
        standing = tour.log.load_run(child)
        if standing.state == "open":
            tour.send(child, "submit")
        elif standing.state == "reading":
            tour.send(child, "clear", artifacts=[{"type": "signature", "content": "ann"}])


def test_a_state_begins_its_children_and_joins_when_all_have_ended(logs: GateLogOpener) -> None:
    """When all child runs have ended, the gate moves the parent, on evidence that it makes."""
    tour = Tour(logs.open())
    run_id = tour.start()
    children = list(tour.gate.list_runs(run_id))
    sites = [tour.log.load_run(each).variables.get("site") for each in children]
    waiting = tour.gate.get_state(run_id)

    _finish(tour, run_id)

    state = tour.gate.get_state(run_id)
    assert ["a", "b", None] == sites
    assert 3 == len(set(children))
    assert ["needs 3 child runs" in j.waits_for for j in waiting.joins] == [True, False]
    assert ("over", True) == (state.current_state, state.is_final)
    assert ["gate"] == [piece.made_by for piece in state.artifacts]
    for each in (run_id, *children):
        report = tour.gate.verify(each)
        assert report.has_passed, report.findings


def test_a_child_that_fails_moves_the_run_another_way_and_closes_the_rest(
    logs: GateLogOpener,
) -> None:
    """Once the parent has left the state, its other child runs are closed."""
    tour = Tour(logs.open())
    run_id = tour.start()
    first, second, _ = tour.gate.list_runs(run_id)

    tour.send(first, "drop")
    refused = tour.send(second, "submit")

    closed = tour.gate.get_state(second).parent
    assert "failed" == tour.log.load_run(run_id).state
    assert "INVALID_EVENT" == refused["error"]["code"]
    assert closed is not None
    assert "has left the state" in closed.closed


def test_a_lane_shares_the_folder_and_the_variables_of_its_run(logs: GateLogOpener) -> None:
    """A lane has the evidence folder and the variables of its run."""
    tour = Tour(logs.open())
    run_id = tour.start()
    survey, _, lane = tour.gate.list_runs(run_id)

    where = [tour.gate.get_state(each).artifact_base_path for each in (run_id, lane, survey)]

    assert ["a", "b"] == tour.log.load_run(lane).variables["sites"]
    assert where[0] == where[1] != where[2]


@pytest.mark.parametrize("cut", range(14))
def test_a_crash_between_any_two_writes_loses_and_doubles_no_child(
    logs: GateLogOpener, cut: int
) -> None:
    """After a crash, a tick starts missing child runs, records ends, and joins once."""
    tour = Tour(logs.open())
    run_id = tour.begin()
    dying = tour.make_gate(CutLog(tour.log, cut))
    try:
        tour.send(run_id, "start", dying, payload={"sites": ["a", "b"]})
        for child in list(tour.gate.list_runs(run_id)):
            lane = tour.log.load_run(child).state == "reading"
            signed = {"artifacts": [{"type": "signature", "content": "ann"}]} if lane else {}
            tour.send(child, "clear" if lane else "submit", dying, **signed)
    except PowerCutError:
        pass
    tour.send(run_id, "start", payload={"sites": ["a", "b"]})
    tour.gate.tick(run_id)
    _finish(tour, run_id)

    tour.gate.tick(run_id)

    begun = [e for e in tour.log.read_entries(run_id) if isinstance(e, LogNote) and e.children]
    ended = [e for e in tour.log.read_entries(run_id) if isinstance(e, LogNote) and e.ended]
    assert "over" == tour.log.load_run(run_id).state
    assert ["surveys", "legal"] == [e.children.name for e in begun if e.children]
    assert 3 == len(ended)
    assert 4 == len(list(tour.log.list_runs()))
    assert 3 == tour.log.load_run(run_id).revision
    assert tour.gate.verify(run_id).has_passed


def test_the_same_request_again_begins_what_a_crash_left_out(logs: GateLogOpener) -> None:
    """Sending the same event again after a crash starts the missing child runs without a tick."""
    tour = Tour(logs.open())
    run_id = tour.begin()
    sites = {"sites": ["a", "b"]}
    with pytest.raises(PowerCutError):
        tour.send(run_id, "start", tour.make_gate(CutLog(tour.log, 1)), payload=sites)
    before = len(list(tour.gate.list_runs(run_id)))
    answer = tour.send(run_id, "start", payload=sites)

    assert (0, True) == (before, answer["success"])
    assert 3 == len(list(tour.gate.list_runs(run_id)))


def test_children_that_have_not_begun_have_not_ended(logs: GateLogOpener) -> None:
    """After a crash the state says which child runs are missing, and no join happens."""
    tour = Tour(logs.open())
    run_id = tour.begin()
    with pytest.raises(PowerCutError):
        tour.send(
            run_id, "start", tour.make_gate(CutLog(tour.log, 1)), payload={"sites": ["a", "b"]}
        )

    waits = {join.to_state: join.waits_for for join in tour.gate.get_state(run_id).joins}

    assert {
        "over": "needs child runs 'surveys', but none were started",
        "failed": "needs child runs 'surveys', but none were started",
    } == waits


_RACE = """
process_id: race
version: "1"
name: A race
states:
  - rest
  - {name: gather, children: [{name: surveys, process: survey, count: 2}]}
  - {name: over, is_final: true}
events: [{name: go, allowed_roles: ["*"]}, {name: stop, allowed_roles: ["*"]}]
transitions:
  - {from: rest, event: go, to: gather}
  - {from: rest, after: 1ms, guard: never, to: over}
  - {from: gather, when: children, to: over}
  - {from: gather, event: stop, to: rest}
guards:
  never: {type: context, variable: never, condition: exists}
"""


class _MovedLog(CutLog):
    """A log in which another process moves a run directly before its caller locks it."""

    def __init__(self, log: GateLog, move: Any) -> None:
        super().__init__(log, 1_000)
        self._move = move

    def lock_run(self, run_id: str) -> Any:
        """Lock a run; the first time, another process moves it before."""
        move, self._move = self._move, lambda: None
        move()
        return super().lock_run(run_id)


def test_a_tick_joins_no_state_whose_children_another_process_has_yet_to_begin(
    logs: GateLogOpener,
) -> None:
    """A tick that finds the run in another state than it read does not join it."""
    tour = Tour(logs.open())
    tour.library = ProcessCollection(read_tour(_RACE), read_tour(SURVEY))
    tour.gate = tour.make_gate(tour.log)
    run_id = tour.gate.create_run("race").run_id
    dying = tour.make_gate(CutLog(tour.log, 1))

    def move() -> None:
        with pytest.raises(PowerCutError):
            tour.send(run_id, "go", dying)

    tour.make_gate(_MovedLog(tour.log, move)).tick(run_id)
    between = tour.log.load_run(run_id).state
    tour.gate.tick(run_id)

    assert ("gather", "gather") == (between, tour.log.load_run(run_id).state)
    assert 2 == len(list(tour.gate.list_runs(run_id)))


def test_an_end_is_recorded_once(logs: GateLogOpener) -> None:
    """A tick of a child run that has ended adds nothing to the run that waits for it."""
    tour = Tour(logs.open())
    run_id = tour.start()
    first = next(iter(tour.gate.list_runs(run_id)))
    tour.send(first, "submit")

    tour.gate.tick(first)

    ended = [e for e in tour.log.read_entries(run_id) if isinstance(e, LogNote) and e.ended]
    assert 1 == len(ended)


def test_an_end_that_the_childs_log_contradicts_is_found(logs: GateLogOpener) -> None:
    """A note in the parent that no child run confirms is an error of `verify`."""
    tour = Tour(logs.open())
    run_id = tour.start()
    first = next(iter(tour.gate.list_runs(run_id)))
    tour.send(first, "submit")
    ended = [e for e in tour.log.read_entries(run_id) if isinstance(e, LogNote) and e.ended]
    end = ended[0].ended
    assert end is not None
    with tour.log.lock_run(run_id) as passage:
        fake = LogNote(
            revision=passage.run.revision,
            at=tour.clock.now(),
            about="child",
            ended=type(end)(name="surveys", number=1, state="done", revision=2, digest="0"),
        )
        passage.append_note(fake)

    assert "CHILD_DIFFERS" in {each.code for each in tour.gate.verify(run_id).errors}


def test_a_process_that_begins_itself_is_bounded(logs: GateLogOpener) -> None:
    """Child runs are nested at most eight deep, and the note of the last run says why."""
    tour = Tour(logs.open())
    text = SURVEY.replace("[open,", "[{name: open, children: [{name: more, process: survey}]},")
    tour.library.processes["survey"] = read_tour(text)

    tour.gate.create_run("survey")

    last = list(tour.log.list_runs())[-1]
    assert 9 == len(list(tour.log.list_runs()))
    assert "already nested 8 deep" in tour.log.load_run(last).children["more"].problem


def test_there_are_no_children_of_a_run_that_is_not_there(logs: GateLogOpener) -> None:
    """Listing the child runs of an unknown run is an error."""
    with pytest.raises(StoreError, match="RUN_NOT_FOUND"):
        list(Tour(logs.open()).gate.list_runs("run-00000000-0000-7000-8000-ffffffffffff"))
