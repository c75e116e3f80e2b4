"""Mistakes in child runs, lanes, joins and timers are found, with their places."""

import pytest

from saniwa.documents.document import parse_document
from saniwa.process.definition import Process
from saniwa.process.reader import read_process_document, read_process_text
from tests.fakes.tour_process import SURVEY, TOUR, read_tour

CASES = {
    "JOIN_UNMEETABLE": [
        (
            "one_dropped: {type: children, names: [surveys], condition: any, ended_in: [dropped]}",
            "one_dropped: {type: children, names: [legal], condition: count, min_count: 2}",
        ),
        (
            "one_dropped: {type: children, names: [surveys], condition: any, ended_in: [dropped]}",
            "one_dropped: {type: children, names: [legal], ended_in: [reading]}",
        ),
        ("ended_in: [dropped]", "ended_in: [lost]"),
        (
            "  - {from: plan, event: start, to: gather}",
            "  - {from: plan, event: start, to: gather}\n  - {from: plan, when: children, to: over}",
        ),
    ],
    "DUPLICATE_CHILD_NAME": [("name: legal", "name: surveys")],
    "INVALID_CHILD_REFERENCE": [("names: [surveys]", "names: [survey]")],
    "INVALID_CHILD_PROCESS": [("process: survey", "process: servey")],
    "CHILD_CYCLE": [("process: survey", "process: tour")],
    "CHILDREN_UNUSABLE": [
        ("each: sites", "each: sites, count: 2"),
        ("each: sites, item_variable: site", "count: 0"),
        ("  - plan\n", "  - {name: plan, children: [{name: idle, process: survey}]}\n"),
    ],
    "NO_FINAL_STATE": [("{name: cleared, is_final: true}", "cleared")],
    "DUPLICATE_STATE_NAME": [("[reading, {name: cleared", "[reading, reading, {name: cleared")],
    "INVALID_TRANSITION_TO": [("to: cleared,", "to: claered,")],
    "UNKNOWN_KEY": [("states: [reading,", "states: [{name: reading, lanes: []},")],
    "UNKNOWN_VALUE": [("when: children, guard: all_done", "when: kids, guard: all_done")],
    "CALENDAR_UNUSABLE": [("event: cancel, to: failed", "at: 25:00 UTC, to: failed")],
    "DURATION_UNUSABLE": [
        ("event: cancel, to: failed", "after: 1h, retry: {every: soon, times: 2}, to: failed")
    ],
    "TRIGGER_UNUSABLE": [
        ("event: cancel, to: failed", "after: 1h, at: 09:00 UTC, to: failed"),
        ("event: cancel, to: failed", "event: cancel, retry: {every: 1h, times: 2}, to: failed"),
        ("event: cancel, to: failed", "after: 1h, retry: {every: 1h, times: 0}, to: failed"),
    ],
    "INVALID_MIN_COUNT": [("condition: any,", "condition: count, min_count: 0,")],
}


def _find(process_id: str) -> Process | tuple[str, ...] | None:
    return read_tour(SURVEY) if process_id == "survey" else ("survey", "tour")


def test_a_tour_without_a_mistake_has_no_finding() -> None:
    """A valid process with child runs has no finding, alone or with its child processes."""
    assert () == read_process_text(TOUR).report.findings
    assert () == read_process_document(parse_document(TOUR), _find).report.findings


@pytest.mark.parametrize(
    ("code", "old", "new"), [(code, *each) for code, cases in CASES.items() for each in cases]
)
def test_a_mistake_is_found_with_its_line(code: str, old: str, new: str) -> None:
    """A mistake is reported at its line."""
    assert old in TOUR
    text = TOUR.replace(old, new, 1)

    found = read_process_document(parse_document(text), _find).report.findings

    first = next((each for each in found if each.code == code), None)
    assert first is not None, found
    assert first.where is not None
    assert first.where.line
