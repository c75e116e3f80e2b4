import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from saniwa.app.environments import (
    build_plan_task,
    build_scenario_task,
    make_environment,
    make_multi_agent_environment,
    register_environments,
)
from saniwa.core.errors import ExperimentError, SaniwaError, SchemaValidationError


@pytest.mark.parametrize(
    ("package", "extra", "opened"),
    [
        ("gymnasium", "gym", lambda: make_environment("door_and_key")),
        ("gymnasium", "gym", lambda: register_environments()),
        ("pettingzoo", "gym", lambda: make_multi_agent_environment("door_and_key")),
        ("inspect_ai", "inspect", lambda: build_scenario_task("door_and_key")),
    ],
)
def test_without_the_package_it_says_what_to_install(
    package: str, extra: str, opened: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the package, the error is the command that installs it."""
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(ExperimentError, match=package) as caught:
        opened()

    assert ("EXTRA_MISSING", f"pip install 'saniwa[{extra}]'") == (
        caught.value.code,
        caught.value.hint,
    )


def test_every_scenario_of_the_registry_can_be_made_by_name() -> None:
    """`gymnasium.make` knows every scenario of the registry, also after a second registration."""
    names = register_environments()

    assert names == register_environments()
    assert "saniwa/door_and_key-v0" in names
    for name in names:
        gymnasium.make(name).reset(seed=0)


@pytest.mark.parametrize("open_it", [make_environment, make_multi_agent_environment])
def test_an_unknown_scenario_is_refused(open_it: Callable[[str], object]) -> None:
    """An unknown scenario is refused."""
    with pytest.raises(SchemaValidationError) as caught:
        open_it("door_and_kee")

    assert "REGISTRY_MISSING" == caught.value.code


def test_another_book_can_judge() -> None:
    """A given rulebook replaces the scenario's own."""
    strict = make_environment("lantern_island", rulebook="strict").reset()[1]
    usual = make_environment("lantern_island").reset()[1]

    assert len(strict["admissible"]) != len(usual["admissible"])


def test_a_scenario_is_a_task_of_cells() -> None:
    """The conditions and seeds of a scenario become the samples of its task."""
    task = build_scenario_task("coffee_trap", conditions=["A", "D"], seeds=2, max_turns=2)

    assert 4 == len(task.dataset)
    assert {"A", "D"} == {(s.metadata or {})["condition"] for s in task.dataset}


def test_a_plans_file_is_a_task(tmp_path: Path) -> None:
    """A plan with a model becomes a task without opening the model."""
    file = tmp_path / "plan.yaml"
    file.write_text("scenarios: [house.yaml]\nconditions: [B]\nmode: real\nmodel: openai:none\n")
    (tmp_path / "house.yaml").write_text(
        "name: house\nlocations: {hall: {}}\ncharacters: {ann: {location: hall}}\n"
    )

    [sample] = build_plan_task(file).dataset

    assert "plan_B_house_0" == sample.id


@pytest.mark.parametrize(
    ("code", "options"),
    [
        ("REGISTRY_MISSING", {"conditions": ["A"]}),
        ("UNKNOWN_KEY", {"scenarios": ["default"], "condition": ["A"]}),
    ],
)
def test_a_plan_with_mistakes_is_no_task(code: str, options: dict[str, Any]) -> None:
    """A plan with mistakes is refused as a task."""
    with pytest.raises(SaniwaError) as caught:
        build_scenario_task("coffe_trap", **options)

    assert code == caught.value.code


def test_tasks_take_lists_as_the_command_line_gives_them() -> None:
    """A list of scenarios may be given as a list or as text with commas."""
    from saniwa.app import inspect_ai_tasks

    listed = inspect_ai_tasks.scenario(scenario=["default", "coffee_trap"], conditions="D")
    said = inspect_ai_tasks.scenario(scenario="default,coffee_trap", conditions=["D"])

    assert [s.id for s in listed.dataset] == [s.id for s in said.dataset]
    assert 2 == len(said.dataset)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"model": ["openai:one", "openai:two"]}, "has 2 models"),
        ({"faults": ["usual", "careless"]}, "faults of stand-ins"),
        ({"faults": ["careless"]}, "faults of stand-ins"),
    ],
)
def test_a_factor_that_one_model_cannot_play_is_refused(
    options: dict[str, Any], named: str
) -> None:
    """Factors that inspect-ai's single model cannot have are refused."""
    careless: dict[str, Any] = {}
    if "faults" in options:
        careless = {"faults": {"careless": {"invent": 90}}}
    mode = "sim" if careless else "real"

    with pytest.raises(ExperimentError, match=named) as caught:
        build_scenario_task("coffee_trap", factors=options, mode=mode, **careless)

    assert "UNKNOWN_VALUE" == caught.value.code


def test_a_task_reports_under_no_model_that_does_not_play() -> None:
    """A task does not name the plan's model, because that model is not called."""
    named = build_scenario_task("coffee_trap", conditions=["D"], model="openai:one")
    plain = build_scenario_task("coffee_trap", conditions=["D"], model="openai:two")

    assert "openai" not in str([sample.metadata for sample in named.dataset])
    assert named.metadata != {}
    assert [s.id for s in named.dataset] == [s.id for s in plain.dataset]
