"""Plans and options of `saniwa experiment run`: errors are reported before files are written."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from saniwa.app.scenario_lookup import locate_shipped_registry
from saniwa.core import extras
from saniwa.core.errors import ExperimentError
from tests.fakes.experiments import render_answer
from tests.journeys.experiment_commands import SMALL, experiment_folder, read_answer, type_words

__all__ = ["experiment_folder"]


def test_a_dry_run_says_what_it_would_take_and_writes_nothing() -> None:
    """A dry run prints the number of cells and calls, and creates no folder."""
    done = type_words("run", *SMALL, "--conditions", "A", "D", "--seeds", "4", "--dry-run")

    assert 0 == done.exit_code
    for line in ("cells       8", "calls       24 to 48", "stand-ins call no model"):
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
    """One mistake in a plan exits with status 1, as several do, and creates no folder."""
    done = type_words("run", *words)
    (found,) = json.loads(type_words("run", *words, "--json").stdout)["findings"]

    assert (1, code) == (done.exit_code, found["code"])
    assert f"error[{code}]" in done.output
    assert not Path("results").exists()


def test_mistakes_of_the_plan_and_of_what_it_names_come_together() -> None:
    """Mistakes in keys, scenarios, books, editions and models are all reported at once."""
    Path("plan.yaml").write_text(
        "profil: dev\nscenarios: [nowhere, coffee_trap, locked_door]\n"
        "rulebook: strickt\nprompt: plane\nmode: real\nmodel: opnai:x\n"
    )
    found = json.loads(type_words("run", "plan.yaml", "--json").stdout)["findings"]

    assert [
        "MODEL_UNKNOWN", "REGISTRY_MISSING", "RULE_UNKNOWN_BOOK", "UNKNOWN_KEY",
        "UNKNOWN_VALUE",
    ] == sorted(each["code"] for each in found)  # fmt: skip


def test_a_dry_run_needs_no_key() -> None:
    """A dry run with a model needs no key."""
    done = type_words("run", *SMALL, "--model", "openai:gpt-5-mini", "--dry-run")

    assert 0 == done.exit_code, done.output
    assert "cells       1" in done.output


def test_a_scenario_in_the_place_of_a_plan_is_reported() -> None:
    """A scenario in the place of a plan gets a hint to use `--scenario`."""
    done = type_words("run", "coffee_trap")

    assert 2 == done.exit_code
    assert "use --scenario coffee_trap" in done.output


@pytest.mark.parametrize("words", [("A,D",), ("a", "d")])
def test_letters_as_others_write_them_are_understood_far_enough(words: tuple[str, ...]) -> None:
    """Commas and lower case in conditions get a hint with the right spelling."""
    done = type_words("run", "--scenario", "coffee_trap", "--conditions", *words)

    assert 1 == done.exit_code
    assert f"did you mean {words[0].upper().replace(',', ' ')}?" in done.output


def test_the_default_profile_is_reported() -> None:
    """The default profile is printed, with the option for all four conditions."""
    told = type_words("run", "--scenario", "coffee_trap", "--no-report").output

    assert (
        "profile dev: D, 1 seed, 15 turns, as the registry recommends; "
        "all four conditions: --profile full\n" in told
    )
    assert "profile" not in type_words("run", "--scenario", "nowhere").output


def test_of_a_profile_only_what_it_decided_is_reported() -> None:
    """Only the values that the profile decided are printed, after its name."""
    words = ("run", "--scenario", "coffee_trap", "--no-report", "--conditions", "A", "D")
    some = type_words(*words, "--seeds", "1", "--dry-run").output
    alone = type_words(*words, "--seeds", "1", "--max-turns", "2", "--dry-run").output

    assert "profile dev: 15 turns, as the registry recommends\n" in some
    assert "profile dev" not in alone


def test_a_shipped_scenario_that_a_projects_registry_hides_is_reported() -> None:
    """The message about a shipped scenario says that the project's registry replaces it."""
    Path("experiments/scenarios").mkdir(parents=True)
    Path("experiments/scenarios/registry.yaml").write_text(
        "scenarios:\n  - {scenario_id: mine, path: null}\n"
    )
    told = type_words("run", "--scenario", "coffee_trap").output

    assert "'coffee_trap' is included with Saniwa, but this folder's registry does not" in told


def test_all_that_a_plan_names_wrongly_is_shown_at_once() -> None:
    """All unknown scenarios, editions and books are reported at once, with status 1."""
    done = type_words("run", "--scenario", "nowhere", "neither", "--prompt", "plane")
    book = type_words("run", "--scenario", "coffee_trap", "--rulebook", "none")

    assert 1 == done.exit_code == book.exit_code
    assert 2 == done.output.count("error[REGISTRY_MISSING]")
    assert "error[UNKNOWN_VALUE]: there is no prompt edition 'plane'" in done.output
    assert "error[RULE_UNKNOWN_BOOK]" in book.output
    assert not Path("results").exists()


def test_findings_are_shown_with_the_line_and_a_caret() -> None:
    """Every mistake in a plan's file is shown with place and hint, with status 1."""
    Path("plan.yaml").write_text("scenarios: coffee_trap\nprofil: dev\nseeds: none\n")
    done = type_words("run", "plan.yaml")
    told = type_words("run", "plan.yaml", "--json")

    assert 1 == done.exit_code == told.exit_code
    assert "at plan.yaml:2:1 (profil)" in done.output
    assert "hint: did you mean 'profile'?" in done.output
    assert "^" in done.output
    assert "2 errors" in done.output
    assert ["UNKNOWN_KEY", "WRONG_TYPE"] == [
        each["code"] for each in json.loads(told.stdout)["findings"]
    ]


def test_nothing_named_is_a_wrong_call() -> None:
    """Without a plan or a scenario the usage is shown, with status 2."""
    done = type_words("run")

    assert 2 == done.exit_code
    assert "give a PLAN, or a scenario with --scenario" in done.output


def test_a_recording_of_fewer_cells_is_refused_at_once() -> None:
    """A recording that lacks cells is refused before a folder is created."""
    lines = {"answers": [render_answer("Hm.")], "repeat": True}
    Path("answers.yaml").write_text(json.dumps(lines))
    words = (*SMALL, "--model", "canned:answers.yaml", "--no-report")
    type_words("run", *words, "--output", "one")
    (one,) = Path("one").iterdir()
    with pytest.raises(ExperimentError) as caught:
        type_words("run", *words, "--seeds", "4", "--replay", str(one))

    assert "RECORDING_MISSING" == caught.value.code
    assert 3 == caught.value.details["missing"]
    assert not Path("results").exists()


def test_no_report_library_is_reported_before_anything_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the library for reports, a run with a report is refused at once."""
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    with pytest.raises(ExperimentError) as caught:
        type_words("run", "--scenario", "coffee_trap")

    assert "EXTRA_MISSING" == caught.value.code
    assert not Path("results").exists()


def test_help_loads_nothing_heavy() -> None:
    """The help loads no library of statistics, no event loop and no part of an experiment."""
    code = (
        "import sys\n"
        "from saniwa.cli.main import saniwa\n"
        "try: saniwa(['experiment', 'run', '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'scipy', 'matplotlib', 'statsmodels', 'asyncio', 'yaml', 'distributed',"
        " 'saniwa.experiment.plan', 'saniwa.app.experiments.plan_preparation'}\n"
        "sys.stderr.write(','.join(sorted(heavy & sys.modules.keys())))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "--conditions" in done.stdout
    assert "" == done.stderr


def test_a_cluster_that_is_not_there_is_reported_before_anything_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A cluster that cannot be reached is reported before a folder is created."""
    from saniwa.app.experiments import experiment_resources

    asked: list[str] = []

    async def fail_to_connect(address: str) -> None:
        asked.append(address)
        raise ExperimentError("CLUSTER_UNREACHABLE", "nobody is there")

    monkeypatch.setattr(experiment_resources, "check_cluster", fail_to_connect)
    with pytest.raises(ExperimentError) as caught:
        type_words("run", *SMALL, "--cluster", "tcp://127.0.0.1:9", "--store", "shared")

    assert "CLUSTER_UNREACHABLE" == caught.value.code
    assert ["tcp://127.0.0.1:9"] == asked
    assert not Path("results").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--max-tokens", "5"), "limits have no effect on stand-ins"),
        (("--temperature", "0.5"), "'temperature' has no effect when stand-ins"),
        (("--scenario", "door_and_key", "--language", "ja"), "'door_and_key_ja' is"),
    ],
)
def test_what_changes_nothing_or_something_else_is_warned_of(
    words: tuple[str, ...], told: str
) -> None:
    """An option without effect gives a warning, and the experiment is run."""
    done = type_words("run", *SMALL, *words)

    assert 0 == done.exit_code
    assert told in done.output


def test_a_status_of_1_because_of_a_gate_is_explained() -> None:
    """A run whose gate is not passed says why its exit status is 1, and whose answers counted."""
    Path("answers.yaml").write_text("repeat: true\nanswers: ['Output: Good evening.']\n", "utf-8")
    words = ("--scenario", "hidden_object", "--conditions", "D", "--seeds", "1", "--max-turns", "1")
    model = ("--model", "canned:answers.yaml", "--no-report")
    gated = type_words("run", *words, *model, "--profile", "gate")
    free = type_words("run", *words, *model, "--profile", "full")

    assert 1 == gated.exit_code
    assert (
        "exit status 1: the profile 'gate' requires Gate-3A to pass, but it did not: D (nothing to judge)"
        in (gated.output)
    )
    assert "Canned answers: these numbers describe answers" in gated.output
    unnamed = type_words("run", *words, *model)
    for other in (free, unnamed):
        assert 0 == other.exit_code
        assert "exit status 1" not in other.output
    assert "Gate-3A nothing to judge" in unnamed.output


def test_a_missing_key_and_a_missing_extra_are_reported_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A user with neither a key nor the library learns of both at once."""
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    found = read_answer("run", *SMALL, "--model", "openai:gpt-5-mini")["findings"]

    assert {"EXTRA_MISSING", "MODEL_KEY_MISSING"} == {each["code"] for each in found}


def test_a_dry_run_needs_neither_key_nor_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dry run with a provider's model warns of the missing extra, which a run needs."""
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    words = ("run", *SMALL, "--model", "openai:gpt-5-mini", "--dry-run")
    shown = type_words(*words)
    forecast = read_answer(*words)

    assert 0 == shown.exit_code, shown.output
    assert "\nwarning[EXTRA_MISSING]: a provider's model needs pydantic_ai" in shown.output
    assert "hint: pip install 'saniwa[models]'" in shown.output
    assert (["openai:gpt-5-mini"], None) == (forecast["unpriced"], forecast["cost_most"])


def test_seeds_may_be_listed() -> None:
    """One number for `--seeds` is a count, several are the seeds themselves."""
    plan = read_answer("run", *SMALL, "--seeds", "3", "7", "--dry-run")["plan"]

    assert [3, 7] == plan["seeds"]


def test_a_model_file_by_its_place_is_one_mistake() -> None:
    """A model file outside the folder is one finding, and not also a missing model."""
    words = ("--model", "canned:/answers.yaml", "--mode", "real")
    found = read_answer("run", *SMALL, *words)["findings"]

    assert ["FILE_OUTSIDE"] == [each["code"] for each in found]


def test_no_place_of_this_machine_is_reported() -> None:
    """An id that the shipped registry lacks has no location, and no path of this machine."""
    told = type_words("run", "--scenario", "nowhere").output

    assert "There is no scenario 'nowhere'\n  hint: there are: default, coffee_trap," in told
    assert "'saniwa scenario list' describes all of them" in told
    assert str(locate_shipped_registry().parent) not in told
