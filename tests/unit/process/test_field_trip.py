"""The example with child runs, lanes and a calendar time, played to its end."""

from pathlib import Path
from typing import Any

from saniwa.process.definition import Process
from saniwa.process.reader import read_process
from tests.fakes.paper_process import HOUR, REVIEWER, PaperGates, ProcessCollection

_EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "processes"
_EVIDENCE: dict[str, tuple[str, dict[str, Any]]] = {
    "visit": ("submit", {"type": "report", "content": {"visitors": 3}}),
    "count": ("submit_costs", {"type": "costs", "content": "120"}),
    "ask": ("submit_permit", {"type": "permit", "content": "granted by the town"}),
}


def _read(name: str) -> Process:
    found = read_process(_EXAMPLES / f"{name}.yaml").process
    assert found is not None
    return found


def _begin_trip() -> tuple[PaperGates, str]:
    office = PaperGates()
    office.library = ProcessCollection(_read("field_trip"), _read("site_survey"))
    run_id = office.begin()
    assert office.send(run_id, "start", payload={"sites": ["lake", "hill", "mill"]})["ok"]
    return office, run_id


def _send_child(office: PaperGates, run_id: str) -> None:
    event, artifact = _EVIDENCE[office.log.load_run(run_id).state]
    assert office.send(run_id, event, artifacts=[artifact])["ok"]


def test_a_trip_is_decided_when_all_child_runs_have_ended() -> None:
    """The trip is ready for its decision when all child runs have ended."""
    office, run_id = _begin_trip()
    for child in office.make_gate().list_runs(run_id):
        _send_child(office, child)

    assert "decide" == office.log.load_run(run_id).state
    assert office.decide(run_id, "approve")["ok"]
    assert "done" == office.log.load_run(run_id).state
    assert office.make_gate().verify(run_id).has_passed


def test_at_18_00_two_surveys_are_enough() -> None:
    """At 18:00 in Tokyo the trip continues with two surveys; the other child runs are closed."""
    office, run_id = _begin_trip()
    children = list(office.make_gate().list_runs(run_id))
    for child in children[:2]:
        _send_child(office, child)

    early = office.make_gate().tick(run_id)
    office.clock.moment += 24 * HOUR
    late = office.make_gate().tick(run_id)

    parent = office.make_gate(REVIEWER).get_state(children[2]).parent
    assert ((), ["decide"]) == (early, [each.to_state for each in late])
    assert parent is not None
    assert parent.closed
