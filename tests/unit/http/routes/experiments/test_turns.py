from typing import Any

import msgspec
import pytest

from saniwa.app.operations import experiment_cells
from saniwa.experiment.metrics import METRICS
from tests.unit.http.routes.experiments.experiment_reader import ExperimentReader


def _list_turns(reader: ExperimentReader, **query: Any) -> list[tuple[str, int, int]]:
    items = reader.read("/last/turns", **query)["items"]
    return sorted((each["condition"], each["seed"], each["number"]) for each in items)


def test_every_metric_can_be_asked_for() -> None:
    """The filter accepts exactly the metrics that exist."""
    schema = msgspec.json.schema(experiment_cells.CellTurnSearchQuery)
    asked = schema["$defs"]["CellTurnSearchQuery"]["properties"]["metric"]["enum"]

    assert {"", *(each.name for each in METRICS)} == set(asked)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"metric": "impossible_rate"}, [("A", 0, 0), ("A", 1, 0)]),
        ({"metric": "invented_rate"}, [("A", 1, 0), ("C", 1, 0)]),
        ({"metric": "retried_rate"}, [("C", 0, 0), ("C", 1, 0)]),
        ({"metric": "retried_rate", "condition": "A"}, []),
        (
            {"metric": "first_turn_validity", "counted": "no", "condition": "C"},
            [("C", 0, 0), ("C", 1, 0)],
        ),
        ({"deny": "MISSING_OBJECT"}, [("A", 1, 0), ("C", 1, 0)]),
        ({"deny": "MISSING_OBJECT", "at": "final"}, [("A", 1, 0)]),
        ({"deny": "MISSING_OBJECT", "at": "first", "seed": 0}, []),
        ({"condition": "D", "turn": 1}, [("D", 0, 1), ("D", 1, 1)]),
        ({"condition": "D", "seed": 0, "turn": 0, "until": 1}, [("D", 0, 0), ("D", 0, 1)]),
        ({"condition": "D", "until": 0}, [("D", 0, 0), ("D", 1, 0)]),
        ({"target": "Lamp", "retried": "yes"}, [("C", 0, 0)]),
        ({"speaker": "ben", "condition": "B", "seed": 0}, [("B", 0, 1)]),
        ({"metric": "crash"}, []),
        ({"condition": "nowhere"}, []),
    ],
)
def test_a_number_leads_to_the_turns_behind_it(
    query: dict[str, Any], found: list[tuple[str, int, int]], reader: ExperimentReader
) -> None:
    """The turns of a metric are found by filters, which must all match."""
    assert found == _list_turns(reader, **query)


def test_turns_come_in_pages(reader: ExperimentReader) -> None:
    """Turns come in pages, in the plan's order, each once."""
    whole = reader.read("/last/turns", limit=50)["items"]
    told: list[dict[str, Any]] = []
    after: str | None = ""
    while after is not None:
        page = reader.read("/last/turns", limit=3, after=after)
        told += page["items"]
        after = page["next"]

    assert 16 == len(whole)
    assert whole == told


def test_no_answer_opens_more_runs_than_it_may(
    reader: ExperimentReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page reads a limited number of cells, and may be empty and still have a next one."""
    monkeypatch.setattr(experiment_cells, "MAX_CELLS_OPENED", 2)
    query: dict[str, Any] = {"metric": "give_up_rate"}
    pages = 0
    after: str | None = ""
    while after is not None:
        page = reader.read("/last/turns", **query, after=after)
        pages, after = pages + 1, page["next"]

    assert 4 == pages


@pytest.mark.parametrize(
    "query",
    [
        {"metric": "nothing"},
        {"deny": "LOCKED"},
        {"after": "x"},
        {"after": "1.2.3"},
        {"limit": 0},
        {"seed": "-1"},
        {"retried": "perhaps"},
        {"where": "deny=X"},
    ],
)
def test_what_cannot_be_asked_is_refused(query: dict[str, Any], reader: ExperimentReader) -> None:
    """An invalid filter is refused."""
    assert "PROTOCOL_BAD_FIELD" == reader.read("/last/turns", **query)["code"]
