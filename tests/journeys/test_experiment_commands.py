"""`saniwa experiment`, as it is typed: from a plan to its report, stopped and gone on."""

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from saniwa.cli import saniwa
from saniwa.core import extra
from saniwa.core.errors import ExperimentError, SaniwaError
from tests.fakes.experiments import say

_SMALL = ("--scenario", "coffee_trap", "--max-turns", "3", "--no-report")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("SANIWA_REGISTRY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def _type(*words: str) -> Result:
    return CliRunner().invoke(saniwa, ["experiment", *words], catch_exceptions=False)


def _json(*words: str) -> Any:
    return json.loads(_type(*words, "--json").stdout)


def _folder() -> Path:
    (folder,) = Path("results").iterdir()
    return folder


def _rows(path: str) -> int:
    with Path(path).open(newline="", encoding="utf-8") as file:
        return sum(1 for _ in csv.reader(file))


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "times.json"
    }


def test_the_whole_way_from_a_scenario_to_a_report() -> None:
    """A run writes every published file, and the four conditions differ."""
    done = _type(
        "run", "--scenario", "coffee_trap", "--profile", "full", "--seeds", "2"
    )
    folder = _folder()
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
    means = _json("report", "last")["means"]
    assert means["A"]["first_try_validity"] < means["B"]["first_try_validity"]
    assert means["A"]["impossible_rate"] > means["C"]["impossible_rate"]


def test_the_same_plan_gives_the_same_bytes() -> None:
    """Run twice, every file but the times is the same, and none names this folder."""
    for output in ("one", "two"):
        assert (
            0
            == _type(
                "run", *_SMALL, "--conditions", "A", "D", "--output", output
            ).exit_code
        )
    (one,), (two,) = (list(Path(name).iterdir()) for name in ("one", "two"))

    assert _files(one) == _files(two)
    here = str(Path.cwd()).encode()
    assert not [name for name, content in _files(one).items() if here in content]


def test_a_dry_run_tells_what_it_would_take_and_writes_nothing() -> None:
    """Cells, calls, tokens, cost and disk; no folder is made."""
    done = _type("run", *_SMALL, "--conditions", "A", "D", "--seeds", "4", "--dry-run")

    assert 0 == done.exit_code
    for line in ("cells       8", "calls       24 to 48", "stand-ins play"):
        assert line in done.output
    assert not Path("results").exists()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--scenario", "nowhere"), "REGISTRY_MISSING"),
        (("--scenario", "coffee_trap", "--model", "openai:x"), "MODEL_KEY_MISSING"),
        (("--scenario", "coffee_trap", "--prompt", "plane"), "UNKNOWN_VALUE"),
    ],
)
def test_a_bad_plan_is_refused_before_anything_is_written(
    words: tuple[str, ...], code: str
) -> None:
    """One mistake is told as several are, and leaves with the same: 1, and no folder."""
    done = _type("run", *words)
    (found,) = json.loads(_type("run", *words, "--json").stdout)["findings"]

    assert (1, code) == (done.exit_code, found["code"])
    assert f"error[{code}]" in done.output
    assert not Path("results").exists()


def test_mistakes_of_the_plan_and_of_what_it_names_come_together() -> None:
    """Everything at once: keys, scenarios, books, editions and models, each once."""
    Path("plan.yaml").write_text(
        "profil: dev\nscenarios: [nowhere, coffee_trap, locked_door]\n"
        "rulebook: strickt\nprompt: plane\nmode: real\nmodel: opnai:x\n"
    )
    found = json.loads(_type("run", "plan.yaml", "--json").stdout)["findings"]

    assert [
        "MODEL_UNKNOWN", "REGISTRY_MISSING", "RULE_UNKNOWN_BOOK", "UNKNOWN_KEY",
        "UNKNOWN_VALUE",
    ] == sorted(each["code"] for each in found)  # fmt: skip


def test_a_dry_run_needs_no_key() -> None:
    """What it would take is told before anybody has one."""
    done = _type("run", *_SMALL, "--model", "openai:gpt-5-mini", "--dry-run")

    assert 0 == done.exit_code, done.output
    assert "cells       1" in done.output


def test_a_scenario_in_the_place_of_a_plan_is_told() -> None:
    """Whoever forgets --scenario is shown it."""
    done = _type("run", "coffee_trap")

    assert 2 == done.exit_code
    assert "say --scenario coffee_trap" in done.output


@pytest.mark.parametrize("words", [("A,D",), ("a", "d")])
def test_letters_as_others_write_them_are_understood_far_enough(
    words: tuple[str, ...],
) -> None:
    """Commas and small letters are no conditions, and what would be is shown."""
    done = _type("run", "--scenario", "coffee_trap", "--conditions", *words)

    assert 1 == done.exit_code
    assert f"did you mean {words[0].upper().replace(',', ' ')}?" in done.output


def test_the_profile_nobody_named_is_told() -> None:
    """What it comes to, and how to have all four conditions."""
    told = _type("run", "--scenario", "coffee_trap", "--no-report").output

    assert (
        "profile dev: D, 1 seed, 15 turns, as the registry recommends; "
        "all four conditions: --profile full\n" in told
    )
    assert "profile" not in _type("run", "--scenario", "nowhere").output


def test_a_shipped_scenario_that_a_projects_registry_hides_is_told_of() -> None:
    """It was there a moment ago: why it is not now is said."""
    Path("experiments/scenarios").mkdir(parents=True)
    Path("experiments/scenarios/registry.yaml").write_text(
        "scenarios:\n  - {scenario_id: mine, path: null}\n"
    )
    told = _type("run", "--scenario", "coffee_trap").output

    assert "'coffee_trap' comes with Saniwa, but the registry here is another" in told


def test_all_that_a_plan_names_wrongly_is_shown_at_once() -> None:
    """Books, editions and scenarios that are not there, each with its code; leaves with 1."""
    done = _type("run", "--scenario", "nowhere", "neither", "--prompt", "plane")
    book = _type("run", "--scenario", "coffee_trap", "--rulebook", "none")

    assert 1 == done.exit_code == book.exit_code
    assert 2 == done.output.count("error[REGISTRY_MISSING]")
    assert "error[UNKNOWN_VALUE]: there is no prompt edition 'plane'" in done.output
    assert "error[RULE_UNKNOWN_BOOK]" in book.output
    assert not Path("results").exists()


def test_findings_are_shown_with_the_line_and_a_caret() -> None:
    """Every mistake of a plan's file at once, each with place and cure; leaves with 1."""
    Path("plan.yaml").write_text("scenarios: coffee_trap\nprofil: dev\nseeds: none\n")
    done = _type("run", "plan.yaml")
    told = _type("run", "plan.yaml", "--json")

    assert 1 == done.exit_code == told.exit_code
    assert "at plan.yaml:2:1 (profil)" in done.output
    assert "hint: did you mean 'profile'?" in done.output
    assert "^" in done.output
    assert "2 errors" in done.output
    assert ["UNKNOWN_KEY", "WRONG_TYPE"] == [
        each["code"] for each in json.loads(told.stdout)["findings"]
    ]


def test_nothing_named_is_a_wrong_call() -> None:
    """Without a plan or a scenario the usage is told; leaves with 2."""
    done = _type("run")

    assert 2 == done.exit_code
    assert "name a PLAN, or a scenario with --scenario" in done.output


def test_models_are_recorded_and_a_recording_gives_the_same_bytes() -> None:
    """Answers of a model are kept; replayed without it, every file is the same."""
    lines = [say("*take the cup*"), say("*コーヒー豆を取る*"), say("Hm.")] * 3
    Path("answers.yaml").write_text(json.dumps({"answers": lines, "repeat": True}))
    words = (*_SMALL, "--conditions", "A", "D")
    first = _type("run", *words, "--model", "canned:answers.yaml", "--output", "one")
    (one,) = Path("one").iterdir()
    Path("answers.yaml").rename("gone.yaml")
    again = _type(
        "run", *words, "--model", "canned:answers.yaml", "--replay", str(one),
        "--output", "two",
    )  # fmt: skip
    (two,) = Path("two").iterdir()

    assert (0, 0) == (first.exit_code, again.exit_code), again.output
    assert _files(one) == _files(two)
    assert [name for name in _files(one) if name.endswith("tape.jsonl")]


def test_a_recording_of_fewer_cells_is_refused_at_once() -> None:
    """What was never recorded is told before a folder is made."""
    lines = {"answers": [say("Hm.")], "repeat": True}
    Path("answers.yaml").write_text(json.dumps(lines))
    words = (*_SMALL, "--model", "canned:answers.yaml", "--no-report")
    _type("run", *words, "--output", "one")
    (one,) = Path("one").iterdir()
    with pytest.raises(ExperimentError) as caught:
        _type("run", *words, "--seeds", "4", "--replay", str(one))

    assert "RECORDING_MISSING" == caught.value.code
    assert 3 == caught.value.details["missing"]
    assert not Path("results").exists()


def test_a_budget_stops_and_is_gone_on_with() -> None:
    """What was done before the ceiling stays; with a higher one the rest is done."""
    Path("answers.yaml").write_text(
        json.dumps({"answers": [say("Hm.")], "repeat": True})
    )
    words = (*_SMALL, "--seeds", "4", "--model", "canned:answers.yaml")
    with pytest.raises(SaniwaError) as few:
        _type("run", *words, "--max-calls", "8")
    assert "one cell may take 9 calls, and 8 are allowed" == few.value.message
    assert not Path("results").exists()
    with pytest.raises(SaniwaError) as caught:
        _type("run", *words, "--max-calls", "12")
    cells = _folder() / "cells"
    before = {path.name: path.read_bytes() for path in cells.glob("*.json")}
    done = _type("resume", "--no-report")

    assert "BUDGET_SPENT" == caught.value.code
    assert 2 == len(before)
    assert 0 == done.exit_code
    assert "2 of 4 cells done before" in done.output
    assert (
        before.items() <= {p.name: p.read_bytes() for p in cells.glob("*.json")}.items()
    )


def test_experiments_are_listed_shown_and_replayed() -> None:
    """Each command finds the newest, and tells it as people read it."""
    _type("run", *_SMALL, "--conditions", "A", "D", "--experiment-id", "mine")
    listed = _json("list")["experiments"]
    cell = _type("show", "last", "A_coffee_trap_0")
    turn = _type("show", "mine", "D_coffee_trap_0", "1")
    replayed = _type("replay")

    assert [("mine", 2, True)] == [
        (each["experiment_id"], each["cells"], each["finished"]) for each in listed
    ]
    assert "2 of 2 done" in _type("show").output
    assert cell.output.startswith("mine_A_coffee_trap_0\n  0  ")
    for part in ("told:", "| [WORLD]", "said:", "kept:"):
        assert part in turn.output
    assert (0, "2 cells, 6 turns, every one the same.\n") == (
        replayed.exit_code,
        replayed.output,
    )


def test_a_cell_that_was_changed_is_found_by_replaying() -> None:
    """An edited verdict is told with cell and turn; leaves with 1."""
    _type("run", *_SMALL, "--conditions", "D")
    (cell,) = (_folder() / "cells").glob("*.json")
    kept = json.loads(cell.read_bytes())
    kept["passages"][1]["turn"]["worldAfter"] = "0" * 16
    cell.write_text(json.dumps(kept))
    done = _type("replay", "last", "0")

    assert 1 == done.exit_code
    assert "coffee_trap_D_coffee_trap_0: turn 1 differs." in done.output
    assert 'field: "turn.worldAfter"' in done.output


@pytest.mark.parametrize("words", [("9",), ("E_coffee_trap_0",), ("0", "7")])
def test_what_is_not_there_is_told(words: tuple[str, ...]) -> None:
    """A cell or turn that the plan does not have."""
    _type("run", *_SMALL)
    with pytest.raises(ExperimentError) as caught:
        _type("show", "last", *words)

    assert "CELL_UNKNOWN" == caught.value.code


def test_tables_are_written_for_other_programs() -> None:
    """One row a turn and one a cell."""
    _type("run", *_SMALL, "--conditions", "A", "D")
    done = _type("export", "--format", "csv", "-o", "tables")

    assert 0 == done.exit_code
    assert [7, 3] == [_rows("tables/turns.csv"), _rows("tables/cells.csv")]


def test_two_experiments_are_compared() -> None:
    """What differs in the plans, and what became of the numbers."""
    for name, turns in (("before", "3"), ("after", "4")):
        _type(
            "run",
            *_SMALL,
            "--experiment-id",
            name,
            "--max-turns",
            turns,
            "--seeds",
            "3",
        )
    done = _type("compare", "before", "after")
    _type("compare", "before", "after", "-o", "compared.html")

    assert 0 == done.exit_code
    assert "max\\_turns" in done.output
    assert Path("compared.html").read_text().startswith("<!DOCTYPE html>")
    assert 2 == _type("compare", "before", "after", "-o", "x.txt").exit_code


def test_cells_may_be_kept_in_a_folder_that_is_shared() -> None:
    """With --store the cells lie there, and a copy in the experiment's own folder."""
    done = _type("run", *_SMALL, "--store", "shared")

    assert 0 == done.exit_code
    assert [p.name for p in sorted(Path("shared").glob("*.json"))] == [
        p.name for p in sorted((_folder() / "cells").glob("*.json"))
    ]
    assert 0 == _type("replay").exit_code


def test_cells_that_were_there_before_are_told_of() -> None:
    """A second run over the same store says whose cells it takes, and is as whole."""
    _type("run", *_SMALL, "--store", "shared", "--output", "one", "--no-report")
    done = _type("run", *_SMALL, "--store", "shared", "--no-report")

    assert 0 == done.exit_code
    assert "1 of 1 cell done before, in the place that --store names" in done.output
    assert (_folder() / "times.json").is_file()


def test_a_cell_of_another_experiment_is_refused() -> None:
    """A file under the right name is not yet the right cell."""
    words = ("--scenario", "coffee_trap", "--profile", "dev", "--no-report")
    for turns in ("2", "3"):
        _type("run", *words, "--max-turns", turns, "--output", turns)
    (two,), (three,) = (list(Path(name).iterdir()) for name in "23")
    name = "cells/coffee_trap_D_coffee_trap_0.json"
    (two / name).write_bytes((three / name).read_bytes())
    with pytest.raises(SaniwaError) as caught:
        _type("report", str(two))

    assert "TRACE_CORRUPT" == caught.value.code
    assert "it is of the plan" in caught.value.message


def test_edited_verdicts_are_found_and_are_no_evidence() -> None:
    """Replaying judges every attempt again; the gate is handed nothing that differs."""
    _type("run", "--scenario", "coffee_trap", "--profile", "full", "--seeds", "1",
          "--conditions", "A", "--no-report")  # fmt: skip
    (cell,) = (_folder() / "cells").glob("*.json")
    kept = json.loads(cell.read_bytes())
    for passage in kept["passages"]:
        for attempt in passage["attempts"]:
            for intent in attempt.get("intents", ()):
                intent["allowed"] = True
    cell.write_text(json.dumps(kept))
    done = _type("replay")
    with pytest.raises(SaniwaError) as caught:
        _type("resume", "--gate")

    assert 1 == done.exit_code
    assert ".allowed" in done.output
    assert "RUN_DIVERGED" == caught.value.code


def test_the_gate_is_judged_without_a_report() -> None:
    """The profile gate leaves with the same, with or without statistics."""
    words = ("--scenario", "coffee_trap", "--profile", "gate", "--seeds", "1")
    bare = _type("run", *words, "--no-report", "--json")
    told = json.loads(bare.stdout)

    assert ["Gate-3A", "Gate-3B"] == [each["gate"] for each in told["gates"]]
    assert (0 if told["gates"][0]["passed"] else 1) == bare.exit_code
    assert bare.exit_code == _type("report").exit_code


def test_no_report_library_is_told_before_anything_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A report that could not be made is refused at once."""
    monkeypatch.setattr(extra, "find_spec", lambda _: None)
    with pytest.raises(ExperimentError) as caught:
        _type("run", "--scenario", "coffee_trap")

    assert "EXTRA_MISSING" == caught.value.code
    assert not Path("results").exists()


@pytest.mark.slow
def test_ctrl_c_leaves_everything_to_go_on_with() -> None:
    """It ends with 130 and says how; gone on with, all is as if nothing had been."""
    words = ("run", *_SMALL, "--profile", "full", "--seeds", "60")
    begun = subprocess.Popen(
        [sys.executable, "-m", "saniwa", "experiment", *words],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    cells = None
    while begun.poll() is None:
        cells = next(Path().glob("results/*/cells/*.json"), None)
        if cells is not None:
            begun.send_signal(signal.SIGINT)
            break
    told = begun.communicate(timeout=60)[1]
    assert cells is not None
    assert 130 == begun.returncode, told
    assert f"go on with: saniwa experiment resume {_folder()}" in told
    assert not (_folder() / "results.json").exists()

    assert 0 == _type("resume", "--no-report").exit_code
    assert 0 == _type(*words, "--output", "whole").exit_code
    (whole,) = Path("whole").iterdir()
    assert _files(whole) == _files(_folder())


def test_help_comes_in_a_blink() -> None:
    """Help loads no library of statistics, no event loop and no part of an experiment."""
    code = (
        "import sys\n"
        "from saniwa.cli import saniwa\n"
        "try: saniwa(['experiment', 'run', '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'scipy', 'matplotlib', 'statsmodels', 'asyncio', 'yaml', 'distributed',"
        " 'saniwa.experiment.plan', 'saniwa.wiring.experiment.prepare'}\n"
        "sys.stderr.write(','.join(sorted(heavy & sys.modules.keys())))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert "--conditions" in done.stdout
    assert "" == done.stderr
