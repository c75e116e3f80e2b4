from pathlib import Path

import pytest

from tests.fakes.experiment_folders import make_experiment
from tests.unit.http.routes.experiments.experiment_reader import ExperimentReader


def test_runs_are_listed_page_by_page(reader: ExperimentReader) -> None:
    """Cells are listed in pages, in the plan's order, each once."""
    first = reader.read("/last/cells", limit=5)
    second = reader.read("/last/cells", limit=5, after=first["next"])
    numbers = [each["number"] for page in (first, second) for each in page["items"]]

    assert [*range(8)] == numbers
    assert second["next"] is None


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"condition": "C"}, 2),
        ({"condition": "Z"}, 0),
        ({"scenario": "house", "seed": 1}, 4),
        ({"seed": 7}, 0),
        ({"state": "done"}, 8),
        ({"state": "not done"}, 0),
        ({"state": "failed"}, 0),
    ],
)
def test_runs_are_found_by_what_they_are(
    query: dict[str, str], count: int, reader: ExperimentReader
) -> None:
    """Cells are found by filters, which must all match."""
    assert count == len(reader.read("/last/cells", **query)["items"])


def test_runs_that_are_not_done_are_listed_too(tmp_path: Path) -> None:
    """Unfinished cells are listed too, unless filtered out."""
    make_experiment(tmp_path / "results", only=5)
    reader = ExperimentReader(tmp_path)
    whole = reader.read("/last/cells")["items"]
    left = reader.read("/last/cells", state="not done")["items"]

    assert (8, 3) == (len(whole), len(left))
    assert {(False, 0)} == {(each["done"], each["turns"]) for each in left}


def test_a_run_is_reported_turn_by_turn(reader: ExperimentReader) -> None:
    """A cell's turns have every attempt, with refusals and cards."""
    line = reader.read("/last/cells", condition="C", seed=0)["items"][0]
    view = reader.read(f"/last/cells/{line['number']}")
    first = view["turns"]["items"][0]

    assert (1, 0, 1, 2) == tuple(
        line[name] for name in ("refused_first", "refused", "retries", "turns")
    )
    assert ["WRONG_LOCATION"] == [
        each["deny_code"]
        for each in first["attempts"][0]["intents"]
        if not each.get("allowed", True)
    ]
    assert first["attempts"][0]["card"]
    assert 2 == len(first["attempts"])
    assert view == reader.read(f"/trial/cells/{line['key']}")


def test_turns_of_a_run_come_in_pages(reader: ExperimentReader) -> None:
    """The turns of a cell come in pages."""
    first = reader.read("/last/cells/0", limit=1)["turns"]
    second = reader.read("/last/cells/0", limit=1, after=first["next"])["turns"]

    assert [0, 1] == [page["items"][0]["number"] for page in (first, second)]
    assert second["next"] is None


def test_a_turn_shows_the_request_to_the_model(reader: ExperimentReader) -> None:
    """A turn has the prompt of each attempt; a retry's prompt has the card."""
    line = reader.read("/last/cells", condition="C", seed=0)["items"][0]
    told = reader.read(f"/last/cells/{line['number']}/turns/0")
    card = told["turn"]["attempts"][0]["card"]

    assert 2 == len(told["told"])
    assert card not in told["told"][0]["text"]
    assert card in told["told"][1]["text"]


@pytest.mark.parametrize(
    "path", ["nobody", "8", "-1", "0/turns/2", "0/turns/-1", "0/turns/x", "0/turns/²"]
)
def test_what_there_is_not_is_not_found(path: str, reader: ExperimentReader) -> None:
    """An unknown cell or turn is not found."""
    told = reader.client.get(f"/api/v1/experiments/last/cells/{path}")

    assert (404, "CELL_UNKNOWN") == (told.status_code, told.json()["code"])


def test_a_run_that_is_not_done_cannot_be_looked_at(tmp_path: Path) -> None:
    """An unfinished cell cannot be read, and the hint says how to resume."""
    make_experiment(tmp_path / "results", only=0)
    told = ExperimentReader(tmp_path).read("/last/cells/0")

    assert ("CELL_UNKNOWN", True) == (told["code"], "resume" in told["hint"])
