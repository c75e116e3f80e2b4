"""`saniwa experiment` commands: from a plan to its report, stopped and resumed."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from saniwa.core.errors import SaniwaError
from tests.fakes.experiments import render_answer
from tests.fakes.model_server import ModelServer
from tests.fakes.processes import end_with_test
from tests.journeys.experiment_commands import (
    SMALL,
    experiment_folder,
    find_only_folder,
    read_answer,
    read_files,
    type_words,
)

__all__ = ["experiment_folder"]


def test_the_whole_way_from_a_scenario_to_a_report() -> None:
    """A run writes every published file, and the conditions differ as expected."""
    done = type_words("run", "--scenario", "coffee_trap", "--profile", "full", "--seeds", "2")
    folder = find_only_folder()
    names = {path.name for path in folder.iterdir()}

    assert 0 == done.exit_code, done.output
    assert folder.name.startswith("gm_2x2_coffee_trap_")
    assert {
        "prepared.json",
        "results.json",
        "REPORT.md",
        "report.html",
        "CONVERSATION_REPORT.md",
        "turns_log.json",
        "examples_index.csv",
        "analysis.json",
        "run_meta.json",
        "times.json",
        "artifacts",
        "cells",
    } == names
    means = read_answer("report", "last")["means"]
    assert means["A"]["first_try_validity"] < means["B"]["first_try_validity"]
    assert means["A"]["impossible_rate"] > means["C"]["impossible_rate"]


def test_the_same_plan_gives_the_same_bytes() -> None:
    """Two runs of a plan write the same bytes except for times, and no path of the folder."""
    for output in ("one", "two"):
        assert (
            0 == type_words("run", *SMALL, "--conditions", "A", "D", "--output", output).exit_code
        )
    (one,), (two,) = (list(Path(name).iterdir()) for name in ("one", "two"))

    assert read_files(one) == read_files(two)
    here = str(Path.cwd()).encode()
    assert not [name for name, content in read_files(one).items() if here in content]


def test_models_are_recorded_and_a_recording_gives_the_same_bytes() -> None:
    """A replay of a recording, without the model, writes the same files."""
    lines = [
        render_answer("*take the cup*"),
        render_answer("*コーヒー豆を取る*"),
        render_answer("Hm."),
    ] * 3
    Path("answers.yaml").write_text(json.dumps({"answers": lines, "repeat": True}))
    words = (*SMALL, "--conditions", "A", "D")
    first = type_words("run", *words, "--model", "canned:answers.yaml", "--output", "one")
    (one,) = Path("one").iterdir()
    Path("answers.yaml").rename("gone.yaml")
    again = type_words(
        "run", *words, "--model", "canned:answers.yaml", "--replay", str(one),
        "--output", "two",
    )  # fmt: skip
    (two,) = Path("two").iterdir()

    assert (0, 0) == (first.exit_code, again.exit_code), again.output
    assert read_files(one) == read_files(two)
    assert [name for name in read_files(one) if name.endswith("tape.jsonl")]


def test_a_budget_stops_and_is_continued() -> None:
    """Cells done before a limit stay, and with a higher limit the rest is done."""
    Path("answers.yaml").write_text(json.dumps({"answers": [render_answer("Hm.")], "repeat": True}))
    words = (*SMALL, "--seeds", "4", "--model", "canned:answers.yaml")
    with pytest.raises(SaniwaError) as few:
        type_words("run", *words, "--max-calls", "8")
    assert "a cell may need 9 calls, but the limit is 8" == few.value.message
    assert not Path("results").exists()
    with pytest.raises(SaniwaError) as caught:
        type_words("run", *words, "--max-calls", "12")
    cells = find_only_folder() / "cells"
    before = {path.name: path.read_bytes() for path in cells.glob("*.json")}
    done = type_words("resume", "--no-report")

    assert "BUDGET_SPENT" == caught.value.code
    assert 2 == len(before)
    assert 0 == done.exit_code
    assert "2 of 4 cells done before" in done.output
    assert before.items() <= {p.name: p.read_bytes() for p in cells.glob("*.json")}.items()


def test_cells_may_be_kept_in_a_folder_that_is_shared() -> None:
    """With `--store` the cells are kept there, with a copy in the experiment's folder."""
    done = type_words("run", *SMALL, "--store", "shared")

    assert 0 == done.exit_code
    assert [p.name for p in sorted(Path("shared").glob("*.json"))] == [
        p.name for p in sorted((find_only_folder() / "cells").glob("*.json"))
    ]
    assert 0 == type_words("replay").exit_code


def test_cells_that_were_there_before_are_reported() -> None:
    """A second run with the same store says which cells it found, and is complete."""
    type_words("run", *SMALL, "--store", "shared", "--output", "one", "--no-report")
    done = type_words("run", *SMALL, "--store", "shared", "--no-report")

    assert 0 == done.exit_code
    assert "1 of 1 cell done before, in the store named by --store" in done.output
    assert (find_only_folder() / "times.json").is_file()


def test_a_cell_that_failed_is_played_again() -> None:
    """`resume` runs a cell again whose model refused, and the error is gone."""
    with ModelServer(lambda _: render_answer("*マグカップを取る*")) as server:
        server.plan("refuse")
        address = ("--model-url", f"{server.url}/v1")
        model = ("--model", "openai-compatible:any", *address)
        begun = type_words("run", *SMALL, "--profile", "dev", *model)
        results = json.loads((find_only_folder() / "results.json").read_bytes())
        again = type_words("resume", "--no-report")

    assert 1 == begun.exit_code, begun.output
    assert 1 == results["conditions"]["D"]["stats"]["crashes"]
    assert 0 == again.exit_code, again.output
    assert "1 cell that ended with an error is run again" in again.output


@pytest.mark.slow
def test_ctrl_c_leaves_everything_to_continue_with() -> None:
    """Ctrl-C exits with status 130 and a hint; resumed, the files are those of a whole run."""
    words = ("run", *SMALL, "--profile", "full", "--seeds", "60")
    begun = end_with_test(
        subprocess.Popen(
            [sys.executable, "-m", "saniwa", "experiment", *words],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "NO_COLOR": "1"},
        )
    )
    cells = None
    while begun.poll() is None:
        cells = next(Path().glob("results/*/cells/*.json"), None)
        if cells is not None:
            begun.send_signal(signal.SIGINT)
            break
    told = begun.communicate(timeout=120)[1]
    assert cells is not None
    assert 130 == begun.returncode, told
    command = f"{sys.executable} -m saniwa experiment resume {find_only_folder()}"
    assert f"continue with: {command}" in told
    assert not (find_only_folder() / "results.json").exists()

    assert 0 == type_words("resume", "--no-report").exit_code
    assert 0 == type_words(*words, "--output", "whole").exit_code
    (whole,) = Path("whole").iterdir()
    assert read_files(whole) == read_files(find_only_folder())


def test_a_report_is_written_in_japanese_next_to_the_english_one() -> None:
    """`--language ja` adds two files, names them, and changes no byte of the others."""
    plan = ("--scenario", "coffee_trap", "--conditions", "A", "D", "--seeds", "2")
    assert 1 >= type_words("run", *plan, "--max-turns", "2").exit_code
    folder = find_only_folder()
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}

    told = type_words("report", "--language", "ja")

    assert 1 >= told.exit_code
    assert [f"report: {folder / page}" for page in ("report.html", "report.ja.html")] == (
        told.output.splitlines()[-2:]
    )
    text = (folder / "REPORT.ja.md").read_text(encoding="utf-8")
    page = (folder / "report.ja.html").read_text(encoding="utf-8")
    assert {path: path.read_bytes() for path in before} == before
    assert "## 答え" in text
    assert "(report.ja.html#plot-impossible-deed-rate)" in text
    assert "Impossible actions" not in text
    assert "。 " not in text.replace("。 |", "")  # a cell of a table ends with a space
    assert '<html lang="ja">' in page
