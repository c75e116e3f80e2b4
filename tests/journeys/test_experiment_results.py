"""Commands for finished experiments: list, show, replay, compare, export."""

import csv
import json
from pathlib import Path

import pytest

from saniwa.core.errors import ExperimentError, SaniwaError
from tests.journeys.experiment_commands import (
    SMALL,
    experiment_folder,
    find_only_folder,
    read_answer,
    type_words,
)

__all__ = ["experiment_folder"]


def _count_rows(path: str) -> int:
    with Path(path).open(newline="", encoding="utf-8") as file:
        return sum(1 for _ in csv.reader(file))


def test_experiments_are_listed_shown_and_replayed() -> None:
    """Each command finds the newest experiment, and shows it for people."""
    type_words("run", *SMALL, "--conditions", "A", "D", "--experiment-id", "mine")
    listed = read_answer("list")["experiments"]
    cell = type_words("show", "last", "A_coffee_trap_0")
    turn = type_words("show", "mine", "D_coffee_trap_0", "1")
    replayed = type_words("replay")

    assert [("mine", 2, True)] == [
        (each["experiment_id"], each["cells"], each["finished"]) for each in listed
    ]
    assert "2 of 2 done" in type_words("show").output
    assert cell.output.startswith("mine_A_coffee_trap_0\n  1  ")
    for part in ("prompt:", "| [WORLD]", "answer:", "result:"):
        assert part in turn.output
    assert (0, "2 cells, 6 turns, every one the same.\n") == (replayed.exit_code, replayed.output)


def test_nothing_done_is_nothing_to_replay() -> None:
    """A replay without finished cells exits with status 4 and claims no equality."""
    type_words("run", *SMALL, "--no-report")
    for cell in (find_only_folder() / "cells").glob("*.json"):
        cell.unlink()
    done = type_words("replay")

    assert 4 == done.exit_code
    assert "every one the same" not in done.output
    assert read_answer("replay")["same"] is False


def test_a_cell_that_was_changed_is_found_by_replaying() -> None:
    """A replay reports an edited cell with its turn and field, with status 1."""
    type_words("run", *SMALL, "--conditions", "D")
    (cell,) = (find_only_folder() / "cells").glob("*.json")
    kept = json.loads(cell.read_bytes())
    kept["passages"][1]["turn"]["worldAfter"] = "0" * 16
    cell.write_text(json.dumps(kept))
    done = type_words("replay", "last", "0")

    assert 1 == done.exit_code
    assert "coffee_trap_D_coffee_trap_0: turn 2 differs." in done.output
    assert 'field: "turn.worldAfter"' in done.output


@pytest.mark.parametrize("words", [("9",), ("E_coffee_trap_0",), ("0", "7")])
def test_what_is_not_there_is_reported(words: tuple[str, ...]) -> None:
    """A cell or turn that the plan does not have is an error."""
    type_words("run", *SMALL)
    with pytest.raises(ExperimentError) as caught:
        type_words("show", "last", *words)

    assert "CELL_UNKNOWN" == caught.value.code


def test_tables_are_written_for_other_programs() -> None:
    """The exported tables have one row for each turn and one for each cell."""
    type_words("run", *SMALL, "--conditions", "A", "D")
    done = type_words("export", "--format", "csv", "-o", "tables")

    assert 0 == done.exit_code
    assert [7, 3] == [_count_rows("tables/turns.csv"), _count_rows("tables/cells.csv")]


def test_two_experiments_are_compared() -> None:
    """A comparison shows the differences between the plans and between the numbers."""
    for name, turns in (("before", "3"), ("after", "4")):
        type_words("run", *SMALL, "--experiment-id", name, "--max-turns", turns, "--seeds", "3")
    done = type_words("compare", "before", "after")
    type_words("compare", "before", "after", "-o", "compared.html")

    assert 0 == done.exit_code
    assert "max\\_turns" in done.output
    assert Path("compared.html").read_text().startswith("<!DOCTYPE html>")
    assert 2 == type_words("compare", "before", "after", "-o", "x.txt").exit_code


def test_a_cell_of_another_experiment_is_refused() -> None:
    """A cell's file from another experiment is refused, even under the right name."""
    words = ("--scenario", "coffee_trap", "--profile", "dev", "--no-report")
    for turns in ("2", "3"):
        type_words("run", *words, "--max-turns", turns, "--output", turns)
    (two,), (three,) = (list(Path(name).iterdir()) for name in "23")
    name = "cells/coffee_trap_D_coffee_trap_0.json"
    (two / name).write_bytes((three / name).read_bytes())
    with pytest.raises(SaniwaError) as caught:
        type_words("report", str(two))

    assert "TRACE_CORRUPT" == caught.value.code
    assert "it is of the plan" in caught.value.message


def test_edited_verdicts_are_found_and_are_no_evidence() -> None:
    """A replay finds edited verdicts, and such an experiment cannot be submitted as evidence."""
    type_words("run", "--scenario", "coffee_trap", "--profile", "full", "--seeds", "1",
          "--conditions", "A", "--no-report")  # fmt: skip
    (cell,) = (find_only_folder() / "cells").glob("*.json")
    kept = json.loads(cell.read_bytes())
    for passage in kept["passages"]:
        for attempt in passage["attempts"]:
            for intent in attempt.get("intents", ()):
                intent["allowed"] = True
    cell.write_text(json.dumps(kept))
    done = type_words("replay")
    with pytest.raises(SaniwaError) as caught:
        type_words("resume", "--gate")

    assert 1 == done.exit_code
    assert ".allowed" in done.output
    assert "RUN_DIVERGED" == caught.value.code


def test_the_gate_is_judged_without_a_report() -> None:
    """The profile `gate` exits with the same status with or without statistics."""
    words = ("--scenario", "coffee_trap", "--profile", "gate", "--seeds", "1")
    bare = type_words("run", *words, "--no-report", "--json")
    told = json.loads(bare.stdout)

    assert ["Gate-3A", "Gate-3B"] == [each["gate"] for each in told["gates"]]
    assert (0 if told["gates"][0]["passed"] else 1) == bare.exit_code
    assert bare.exit_code == type_words("report").exit_code


def test_turns_behind_a_figure_are_listed() -> None:
    """Turns can be listed by what happened in them, for people and as JSON."""
    type_words("run", *SMALL, "--conditions", "A", "--seeds", "4")
    all_turns = read_answer("show", "last", "--where", "condition=A")["turns"]
    refused = read_answer("show", "last", "--where", "refused=yes")["turns"]
    told = type_words("show", "last", "--where", "refused=yes").output

    assert 12 == len(all_turns)
    assert 0 < len(refused) < 12
    assert all(f"{row['cell']}  " in told for row in refused)


def test_no_experiment_is_reported_too() -> None:
    """Without experiments the list says so."""
    assert "there is no experiment in 'results'" in type_words("list").output


def test_a_comparison_with_one_experiment_shows_how_to_name_two() -> None:
    """`compare last` answers with an example, and says where conditions are compared."""
    done = type_words("compare", "last")

    assert 2 == done.exit_code
    assert "saniwa experiment compare before last" in done.output
    assert "saniwa experiment report last" in done.output


def test_a_comparison_names_the_folders_that_it_read() -> None:
    """Which folder each name stands for goes to standard error, with its cells."""
    for name in ("before", "after"):
        type_words("run", *SMALL, "--experiment-id", name)
    done = type_words("compare", "before", "after")
    folders = sorted(Path("results").iterdir())

    for name, folder in (("after", folders[0]), ("before", folders[1])):
        assert f"{name}: {folder}, 1 of 1 cell\n" in done.stderr
    assert "the conditions of one are compared in its report.html" in done.stderr


def _leave_unfinished() -> Path:
    """Run a plan of two cells twice; the second lost a cell, as after Ctrl-C."""
    for _ in range(2):
        assert 0 == type_words("run", *SMALL, "--seeds", "2").exit_code
    folder = sorted(Path("results").iterdir())[-1]
    sorted((folder / "cells").glob("*.json"))[0].unlink()
    (folder / "results.json").unlink()
    return folder


def test_an_unfinished_run_of_the_same_plan_is_reported() -> None:
    """Before a plan starts over, the command names the run that could be continued."""
    folder = _leave_unfinished()
    again = type_words("run", *SMALL, "--seeds", "2")
    other = type_words("run", *SMALL, "--seeds", "3")

    assert f"an unfinished run of this plan has 1 of 2 cells in {folder}" in again.stderr
    assert f"continue with: saniwa experiment resume {folder}" in again.stderr
    assert "unfinished" not in other.stderr


def test_a_name_that_means_an_unfinished_run_points_to_a_finished_one() -> None:
    """`last` and an id say which folder they mean if an older one is finished."""
    folder = _leave_unfinished()
    finished = sorted(Path("results").iterdir())[0]
    told = type_words("show", "last").stderr
    exact = type_words("show", str(folder)).stderr

    assert f"last is {folder}, which is not finished (1 of 2 cells); finished is {finished}" in told
    assert "not finished" not in exact
