from pathlib import Path

from tests.fakes.experiments import plan
from tests.fakes.results import NOON, kept_in
from tests.unit.http.routes.experiments.asking import Reader


def test_two_experiments_are_compared(tmp_path: Path) -> None:
    """What differs in their plans, and what became of every number."""
    first = kept_in(tmp_path / "results")
    second = kept_in(tmp_path / "results", plan(seeds=(0, 1), max_turns=1), at=NOON + 5_000)
    told = Reader(tmp_path).read(f"/{first.folder.name}/compare/{second.folder.name}")
    compared = told["compared"]

    assert (first.folder.name, second.folder.name) == (
        told["first"]["name"],
        told["second"]["name"],
    )
    assert {"what": "max_turns", "first": "2", "second": "1"} in compared["differences"]
    assert {"A", "B", "C", "D"} == {each["condition"] for each in compared["moves"]}
    assert told["headline"][0] in {each["name"] for each in told["metrics"]}


def test_an_experiment_is_the_same_as_itself(reader: Reader) -> None:
    """Nothing is better or worse than it is."""
    moves = reader.read("/last/compare/trial")["compared"]["moves"]

    assert {"the same", "nothing to count"} >= {each["change"] for each in moves}


def test_what_is_not_there_cannot_be_compared(reader: Reader) -> None:
    """Neither as the first nor as the second."""
    codes = {reader.read(way)["code"] for way in ("/none/compare/last", "/last/compare/none")}

    assert {"EXPERIMENT_NOT_FOUND"} == codes
