"""Finding runs by process, state, variables, time and person."""

from typing import Any

import pytest

from saniwa.core.errors import ProcessError
from saniwa.process.run_search import build_run_filter
from tests.fakes.paper_process import HOUR, PaperGates


def _find(office: PaperGates, **asked: Any) -> list[str]:
    wanted = build_run_filter(now=office.clock.moment, **asked)
    runs = office.log.list_runs()
    return [each for each in runs if wanted.fits(office.log.load_run(each), office.log)]


@pytest.fixture(name="office")
def make_office() -> PaperGates:
    """Three runs: an old one, one in review that Ann sent back, and a new one about rain."""
    office = PaperGates()
    office.begin(rounds=1)
    office.clock.moment += 10 * HOUR
    reviewed = office.begin_reviewed()
    office.decide(reviewed, "reject")
    office.begin(topic="rain")
    return office


def test_a_run_is_found_by_process_and_state(office: PaperGates) -> None:
    """A run is found by process and state; without a filter all runs are."""
    every = [*office.log.list_runs()]

    assert every == _find(office)
    assert every == _find(office, process_id="paper", state="draft")
    assert [] == _find(office, process_id="letter")
    assert [] == _find(office, state="published")


def test_a_run_is_found_by_the_value_of_a_variable(office: PaperGates) -> None:
    """A value is JSON, or else a text, and an unset variable matches none."""
    old, _, new = office.log.list_runs()

    assert [old] == _find(office, variables=["rounds=1"])
    assert [new] == _find(office, variables=["topic=rain"])
    assert [new] == _find(office, variables=['topic="rain"', "rounds=0"])
    assert [] == _find(office, variables=["unset=null"])


def test_a_run_is_found_by_its_last_event(office: PaperGates) -> None:
    """A time is a date, or a duration before now."""
    old, *rest = office.log.list_runs()

    assert rest == _find(office, since="2h")
    assert [old] == _find(office, until="2h")
    assert [old, *rest] == _find(office, since="2026-01-01", until="2026-01-02")
    assert [] == _find(office, since="2026-01-01T23:00:00+00:00")


def test_a_run_is_found_by_who_sent_an_event(office: PaperGates) -> None:
    """A run is found by the sender of any of its events."""
    reviewed = [*office.log.list_runs()][1]

    assert [reviewed] == _find(office, person="ann")
    assert [] == _find(office, person="eve")


@pytest.mark.parametrize(
    "asked", [{"since": "soon"}, {"until": "2026-13-01"}, {"variables": ["topic"]}]
)
def test_a_question_that_cannot_be_read_is_refused(asked: dict[str, Any]) -> None:
    """An invalid filter is refused."""
    with pytest.raises(ProcessError) as refused:
        build_run_filter(now=0, **asked)

    assert "SEARCH_UNUSABLE" == refused.value.code
