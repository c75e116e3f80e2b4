from pathlib import Path

import pytest

from saniwa.core import extras
from saniwa.experiment.metrics import METRICS
from tests.fakes.experiment_folders import make_experiment
from tests.unit.http.routes.experiments.experiment_reader import ExperimentReader


def test_conditions_are_reported_side_by_side(reader: ExperimentReader) -> None:
    """The conditions are listed with all their metrics and refusals."""
    told = reader.read("/last/measures")
    by_name = {each["condition"]["name"]: each for each in told["conditions"]}

    assert (8, 8, None) == (told["done"], told["total"], told["lacking"])
    assert 0.5 == by_name["A"]["estimates"]["impossible_rate"]["mean"]
    assert 0.0 == by_name["D"]["estimates"]["impossible_rate"]["mean"]
    assert ("WRONG_LOCATION", 1) in by_name["A"]["refused"].items()
    assert (1, 0) == tuple(
        by_name["C"][which]["MISSING_OBJECT"] for which in ("refused_first", "refused")
    )
    assert ["unicorn"] == told["invented"]


def test_numbers_say_what_is_behind_them(reader: ExperimentReader) -> None:
    """Each metric says what its turns are."""
    metrics = {
        each["metric"]["name"]: each["behind"] for each in reader.read("/last/measures")["metrics"]
    }

    assert {each.name for each in METRICS} == set(metrics)
    assert ("turns", "all turns", "cells") == (
        metrics["give_up_rate"],
        metrics["latency_p95"],
        metrics["crash"],
    )


def test_every_test_has_a_word_and_every_gate_a_verdict(reader: ExperimentReader) -> None:
    """Every comparison and every gate has a verdict; with two blocks it is undecided."""
    told = reader.read("/last/measures")
    senses = {each["sense"] for each in (*told["effects"], *told["comparisons"])}

    assert senses <= {"could not be shown", "no change", "unknown"}
    assert {("Gate-3A", "C"), ("Gate-3B", "D")} <= {
        (each["gate"], each["condition"]) for each in told["gates"]
    }


def test_without_the_libraries_there_are_means_and_no_intervals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the libraries there are means without intervals, and the install command."""
    make_experiment(tmp_path / "results")
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    reader = ExperimentReader(tmp_path)
    told = reader.read("/last/measures")
    first, fourth = told["conditions"][0], told["conditions"][3]

    assert ("EXTRA_MISSING", "pip install 'saniwa[report]'") == (
        told["lacking"]["code"],
        told["lacking"]["hint"],
    )
    assert {"mean": 0.5, "low": None, "high": None, "n": 2, "note": ""} == first["estimates"][
        "impossible_rate"
    ]
    assert "give_up_rate" not in first["estimates"]
    assert 0.0 == fourth["estimates"]["give_up_rate"]["mean"]
    assert "EXTRA_MISSING" == reader.read("/last/report")["code"]
    assert "EXTRA_MISSING" == reader.read("/last/compare/last")["code"]


def test_an_experiment_that_has_only_begun_is_empty(tmp_path: Path) -> None:
    """An experiment without finished cells has no values, not zeros."""
    make_experiment(tmp_path / "results", only=0)
    first = ExperimentReader(tmp_path).read("/last/measures")["conditions"][0]

    assert (0, None) == (first["turns"], first["latency"])
    assert first["estimates"]["impossible_rate"]["mean"] is None
    assert {"steps": []} == first["course"]
