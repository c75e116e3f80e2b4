"""`python -m experiments.gm_2x2_runner`, with the published options."""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from experiments.gm_2x2_runner import translate_arguments

from tests.journeys.gate_terminal import make_environment


class _RunnerAnswer(NamedTuple):
    code: int
    out: str
    err: str


def _run_command(folder: Path, words: str) -> _RunnerAnswer:
    done = subprocess.run(
        [sys.executable, "-m", "experiments.gm_2x2_runner", *words.split()],
        cwd=folder,
        env=make_environment(),
        capture_output=True,
        timeout=600,
        check=False,
    )
    return _RunnerAnswer(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A user's folder with a registry, and without a package in it."""
    subprocess.run(
        [sys.executable, "-m", "saniwa", "scenario", "new", "your_scenario"],
        cwd=tmp_path,
        env=make_environment(),
        check=True,
        capture_output=True,
    )
    assert not (tmp_path / "experiments/__init__.py").exists()
    return tmp_path


def _read_results(folder: Path) -> dict[str, object]:
    (made,) = folder.glob("*/results.json")
    told: dict[str, object] = json.loads(made.read_text())
    return told


def test_the_command_of_the_contract_works_as_written(project: Path) -> None:
    """The published command works in a project's folder, on the project's scenario."""
    done = _run_command(project, "--scenario your_scenario")
    (folder,) = (project / "results").iterdir()

    assert 0 == done.code, done.err
    assert folder.name.startswith("gm_2x2_your_scenario_")
    meta = json.loads((folder / "run_meta.json").read_text())["run_meta"]
    assert (
        "experiments/scenarios/registry.yaml"
        == (meta["scenarios"]["your_scenario"]["registry_path"])
    )


def test_the_longer_form_of_earlier_versions_works(tmp_path: Path) -> None:
    """Every published option is accepted; those without effect are reported."""
    done = _run_command(
        tmp_path,
        "--experiment_id old --profile gate --conditions A B C D "
        "--scenarios coffee_trap locked_door --seeds 1 --max_turns 2 "
        "--mode sim --llm_model gemma3:12b --llm_url http://127.0.0.1:1/v1 "
        "--gm_url http://localhost:8001 --output_dir out --max_tokens 99 "
        "--temperature 0.5 --warmup_requests 1 --save_full_logs --jobs 2 ",
    )

    # The profile gate may exit with status 1, as Gate-3A may fail.
    assert done.code in (0, 1), done.err
    told = _read_results(tmp_path / "out")
    assert ("old", 2, {"A", "B", "C", "D"}) == (
        told["experiment_id"],
        told["max_turns"],
        {*told["conditions"]},  # type: ignore[misc]
    )
    for option in ("gm_url", "warmup_requests", "save_full_logs"):
        assert f"--{option} is without use here" in done.err
    assert "'model' has no effect when stand-ins play" in done.err


def test_comma_joined_ids_are_answered_with_the_right_spelling(tmp_path: Path) -> None:
    """Comma-joined ids are refused with the right spelling, and nothing is run."""
    done = _run_command(tmp_path, "--scenarios coffee_trap,locked_door")

    assert 1 == done.code
    assert "hint: write: coffee_trap locked_door" in done.out
    assert not (tmp_path / "results").exists()


def test_an_unknown_scenario_is_refused_at_once(tmp_path: Path) -> None:
    """An unknown scenario is refused, and not replaced by a built-in one."""
    done = _run_command(tmp_path, "--scenario nowhere")

    assert 1 == done.code
    assert "[REGISTRY_MISSING]" in done.out
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("--llm_model gemma3:12b", "--model=ollama:gemma3:12b"),
        ("--llm_model mistral", "--model=ollama:mistral"),
        ("--llm_model mistral:instruct", "--model=ollama:mistral:instruct"),
        ("--llm_model openai:gpt-5-mini", "--model=openai:gpt-5-mini"),
        ("--llm_model x:y --llm_url http://127.0.0.1:9/v1", "--model=x:y"),
    ],
)
def test_a_bare_model_is_ollamas(typed: str, expected: str) -> None:
    """A model without a provider or an address is one of Ollama."""
    assert expected in translate_arguments(["--mode", "real", *typed.split()])


@pytest.mark.parametrize("spelt", ["--no_report", "--no-report"])
def test_a_report_can_be_left_out(spelt: str) -> None:
    """The report can be left out, in the current and the published spelling."""
    assert "--no-report" in translate_arguments(["--scenario", "default", spelt])


def test_a_misspelt_provider_is_refused_at_once(tmp_path: Path) -> None:
    """A misspelt provider is refused, and not sent to Ollama."""
    done = _run_command(tmp_path, "--scenario coffee_trap --mode real --llm_model opnai:gpt-5-mini")

    assert 2 == done.code
    assert "did you mean 'openai'?" in done.err
    assert not (tmp_path / "results").exists()


def test_a_server_that_is_not_there_can_be_tried_again(tmp_path: Path) -> None:
    """If a model cannot be reached, the exit status is 4 and the way to resume is printed."""
    done = _run_command(
        tmp_path,
        "--scenario coffee_trap --mode real --llm_model gemma3:12b "
        "--llm_url http://127.0.0.1:9/v1 --max_turns 1 ",
    )

    assert 4 == done.code, done.err
    assert "saniwa experiment resume" in done.err


def test_help_names_every_option(tmp_path: Path) -> None:
    """The help names every option."""
    done = _run_command(tmp_path, "--help")

    assert 0 == done.code
    for option in ("--scenario", "--experiment_id", "--llm_model", "--save_full_logs"):
        assert option in done.out
