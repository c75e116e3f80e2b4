import gc
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from saniwa.app.experiments.plan_preparation import find_recommended_profile, prepare_plan
from saniwa.app.scenario_lookup import open_scenario
from saniwa.core.errors import (
    ConfigurationError,
    ExperimentError,
    RulebookError,
    SaniwaError,
    SchemaValidationError,
)
from saniwa.experiment.plan import PreparedPlan, count_cells
from saniwa.experiment.plan_reader import read_plan
from tests.fakes.experiments import HOUSE


@pytest.fixture(autouse=True)
def _enter_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SANIWA_REGISTRY", raising=False)


def _prepare(plan: str | None = None, **options: Any) -> PreparedPlan:
    read = read_plan(plan, options)
    assert read.authored is not None, read.report
    return prepare_plan(read.authored, environment={})


def _expect_refusal(**options: Any) -> SaniwaError:
    with pytest.raises(SaniwaError) as caught:
        _prepare(**options)
    return caught.value


def test_everything_is_inside() -> None:
    """A prepared plan contains scenario, rulebook and prompts, so that no file is needed later."""
    made = _prepare(scenarios=["coffee_trap"], factors={"rulebook": ["scenario", "strict"]})

    setting = made.settings["coffee_trap"]
    assert open_scenario("coffee_trap").scenario_hash == setting.meta["scenario_hash"]
    assert "coffee_trap" == setting.document["name"]
    assert {"locations", "characters", "props"} <= setting.canonical.keys()
    assert {"", "strict"} == made.books["coffee_trap"].keys()
    assert {"en", "ja"} == made.prompts["plain"].keys()
    assert "demo" in setting.meta["tags"]
    assert setting.meta["description"].startswith("A trap for models")


def test_an_unknown_scenario_is_refused_as_everywhere() -> None:
    """An unknown scenario is refused with the nearest one."""
    problem = _expect_refusal(scenarios=["coffe_trap"])

    assert isinstance(problem, SchemaValidationError)
    assert ("REGISTRY_MISSING", "did you mean 'coffee_trap'?") == (problem.code, problem.hint)


def test_all_mistakes_are_reported_at_once() -> None:
    """The first mistake is raised, with all of them in its details."""
    problem = _expect_refusal(scenarios=["nowhere", "tag:none"], prompt="plane")

    assert isinstance(problem, ExperimentError)
    assert ["UNKNOWN_VALUE", "REGISTRY_MISSING", "REGISTRY_MISSING"] == [
        each["code"] for each in problem.details["findings"]
    ]
    assert "(and 2 more errors)" in problem.message


def test_a_mistake_is_reported_at_its_place_in_the_plan() -> None:
    """A mistake is reported at its place in the plan's file."""
    Path("plan.yaml").write_text("scenarios:\n  - nowhere\n  - neither\n")
    read = read_plan("plan.yaml")
    assert read.authored is not None
    with pytest.raises(ExperimentError) as caught:
        prepare_plan(read.authored)

    assert [("plan.yaml", 2), ("plan.yaml", 3)] == [
        (each["file"], each["line"]) for each in caught.value.details["findings"]
    ]


def test_a_tag_names_every_scenario_that_has_it() -> None:
    """A tag selects every scenario that has it, each once."""
    made = _prepare(scenarios=["tag:demo", "coffee_trap"])

    assert "coffee_trap" == made.plan.scenarios[0]
    assert len({*made.plan.scenarios}) == len(made.plan.scenarios) > 3


def test_files_are_found_from_the_plans_folder() -> None:
    """Files are found relative to the plan's folder."""
    folder = Path("plans")
    folder.mkdir()
    (folder / "house.json").write_text(json.dumps(HOUSE))
    (folder / "plan.yaml").write_text("scenarios: house.json\n")
    made = _prepare("plans/plan.yaml")

    assert ("house",) == made.plan.scenarios
    assert "plans/house.json" == made.settings["house"].meta["scenario_resolved_path"]


def test_a_rulebook_file_is_based_on_the_book_it_extends(tmp_path: Path) -> None:
    """A condition's rulebook file is used with the book that it extends."""
    (tmp_path / "house.json").write_text(json.dumps(HOUSE))
    (tmp_path / "mine.yaml").write_text("id: mine\nextends: strict\n")
    made = _prepare(scenarios=[str(tmp_path / "house.json")], rulebook=str(tmp_path / "mine.yaml"))
    (layers,) = made.books["house"].values()

    assert ["strict", "mine"] == [layer["id"] for layer in layers]


def test_a_rulebook_of_the_project_goes_by_its_name(tmp_path: Path) -> None:
    """A condition may name the project's own rulebook."""
    folder = tmp_path / "experiments" / "scenarios" / "rulebooks"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("id: mine\nextends: strict\n")
    made = _prepare(scenarios=["coffee_trap"], factors={"rulebook": ["scenario", "mine"]})
    layers = made.books["coffee_trap"]["mine"]

    assert ["strict", "mine"] == [layer["id"] for layer in layers]


def test_no_absolute_path_is_kept(tmp_path: Path) -> None:
    """Absolute paths of scenarios and rulebooks are not stored."""
    (tmp_path / "house.json").write_text(json.dumps(HOUSE))
    (tmp_path / "mine.yaml").write_text("name: mine\n")
    made = _prepare(scenarios=[str(tmp_path / "house.json")], rulebook=str(tmp_path / "mine.yaml"))
    import msgspec

    assert str(tmp_path).encode() not in msgspec.json.encode(made)


@pytest.mark.parametrize(
    ("options", "kind", "code"),
    [
        ({"rulebook": "strickt"}, RulebookError, "RULE_UNKNOWN_BOOK"),
        ({"model": "opnai:x"}, ConfigurationError, "MODEL_UNKNOWN"),
        ({"model": "openai:x"}, ConfigurationError, "MODEL_KEY_MISSING"),
        ({"model": "canned:none.yaml"}, SaniwaError, "DOCUMENT_UNREADABLE"),
        ({"prompt": "plane"}, ExperimentError, "UNKNOWN_VALUE"),
    ],
)
def test_what_a_plan_names_is_there(
    options: dict[str, str], kind: type[SaniwaError], code: str
) -> None:
    """Missing rulebooks, models, keys and editions are reported before the first call."""
    problem = _expect_refusal(scenarios=["coffee_trap"], **options)

    assert isinstance(problem, kind)
    assert code == problem.code


def test_a_recording_needs_no_model() -> None:
    """A replay needs no key of the model."""
    read = read_plan(None, {"scenarios": ["coffee_trap"], "model": "openai:x"})
    assert read.authored is not None

    assert "real" == prepare_plan(read.authored, replayed=True, environment={}).plan.mode


def test_a_scenario_without_anyone_cannot_be_played() -> None:
    """A scenario without characters is refused."""
    Path("empty.json").write_text(
        json.dumps({"name": "empty", "locations": {"a": {}}, "characters": {}})
    )

    assert _expect_refusal(scenarios=["empty.json"]).code in ("ACTOR_UNKNOWN", "EMPTY_WORLD")


@pytest.mark.parametrize("name", ["a/b", "a\\b", "x" * 250])
def test_a_scenario_whose_name_is_no_folders_name_is_refused(name: str) -> None:
    """A scenario whose name cannot be a folder name is refused."""
    Path("odd.json").write_text(json.dumps({**HOUSE, "name": name}))

    assert "NAME_UNUSABLE" == _expect_refusal(scenarios=["odd.json"]).code


def test_two_scenarios_of_one_name_are_refused() -> None:
    """Two scenarios with the same name are refused."""
    Path("one.json").write_text(json.dumps(HOUSE))
    Path("two.json").write_text(json.dumps({**HOUSE, "time_of_day": "night"}))

    assert "DUPLICATE_KEY" == _expect_refusal(scenarios=["one.json", "two.json"]).code


def test_ten_thousand_cells_are_no_burden() -> None:
    """A plan of 10,000 cells takes hardly more memory than one of four."""

    def measure_memory(seeds: int) -> int:
        gc.collect()
        tracemalloc.start()
        made = _prepare(scenarios=["coffee_trap"], seeds=seeds)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert 4 * seeds == count_cells(made.plan)
        return peak

    measure_memory(1)
    assert measure_memory(2_500) < measure_memory(1) + 1_000_000


def test_the_registry_recommends_a_profile() -> None:
    """A profile is recommended if all scenarios of the registry agree on it."""
    folder = Path("experiments/scenarios")
    folder.mkdir(parents=True)
    (folder / "registry.yaml").write_text(
        "scenarios:\n"
        "  - {scenario_id: one, path: null, recommended_profile: full}\n"
        "  - {scenario_id: two, path: null, recommended_profile: gate}\n"
    )

    assert "full" == find_recommended_profile(["one"])
    for others in (["one", "two"], ["house.json"], ["nowhere"], ["one", "nowhere"]):
        assert "" == find_recommended_profile(others)


@pytest.mark.parametrize(
    ("model", "refused"), [("openai:gpt-5-mini", True), ("openai:gpt-4o-mini", False)]
)
def test_temperatures_a_model_is_not_given_are_no_factor(model: str, refused: bool) -> None:
    """Conditions that differ only in a temperature the model does not take are refused."""
    read = read_plan(
        None,
        {"scenarios": ["coffee_trap"], "model": model} | {"factors": {"temperature": [0.0, 1.0]}},
    )
    assert read.authored is not None, read.report

    try:
        prepare_plan(read.authored, environment={"OPENAI_API_KEY": "sk-test"})
        code = ""
    except ExperimentError as problem:
        code = problem.code

    assert ("UNKNOWN_VALUE" if refused else "") == code
