from pathlib import Path

from tests.fakes.experiment_folders import NOON, make_experiment
from tests.fakes.experiments import make_plan
from tests.unit.http.routes.experiments.experiment_reader import ExperimentReader


def test_two_experiments_are_compared(tmp_path: Path) -> None:
    """A comparison has the differences of the plans and of each metric."""
    first = make_experiment(tmp_path / "results")
    second = make_experiment(
        tmp_path / "results", make_plan(seeds=(0, 1), max_turns=1), at=NOON + 5_000
    )
    told = ExperimentReader(tmp_path).read(f"/{first.folder.name}/compare/{second.folder.name}")
    compared = told["compared"]

    assert (first.folder.name, second.folder.name) == (
        told["first"]["name"],
        told["second"]["name"],
    )
    assert {"what": "max_turns", "first": "2", "second": "1"} in compared["differences"]
    assert {"A", "B", "C", "D"} == {each["condition"] for each in compared["moves"]}
    assert told["headline"][0] in {each["name"] for each in told["metrics"]}
    assert told["caveats"][0].startswith("The two setups differ in max_turns")


def test_a_comparison_has_its_caveats_in_the_language_of_the_reader(tmp_path: Path) -> None:
    """With `Accept-Language: ja`, caveats and method are Japanese."""
    folder = tmp_path / "results"
    first = make_experiment(folder).folder.name
    second = make_experiment(folder, make_plan(max_turns=1), at=NOON + 5_000).folder.name
    told = ExperimentReader(tmp_path).read(f"/{first}/compare/{second}", language="ja")

    assert told["caveats"][0].endswith("max_turnsが異なり、そのどれもが変化の原因でありえます。")
    assert "差は、二つ目から一つ目を引いたものです。" in told["compared"]["method"]
    assert [] == [each for each in told["caveats"] if "。 " in each]


def test_an_experiment_is_the_same_as_itself(reader: ExperimentReader) -> None:
    """An experiment compared with itself has no changes."""
    moves = reader.read("/last/compare/trial")["compared"]["moves"]

    assert {"the same", "nothing to count"} >= {each["change"] for each in moves}


def test_what_is_not_there_cannot_be_compared(reader: ExperimentReader) -> None:
    """An unknown experiment is not found, in either position."""
    codes = {reader.read(way)["code"] for way in ("/none/compare/last", "/last/compare/none")}

    assert {"EXPERIMENT_NOT_FOUND"} == codes
