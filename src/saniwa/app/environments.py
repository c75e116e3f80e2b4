"""Environments and evaluation tasks for Gymnasium, PettingZoo and inspect-ai, by name."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from saniwa.app import describe
from saniwa.app.scenario_lookup import load_book_layers, locate_registry, open_scenario
from saniwa.core.errors import ExperimentError
from saniwa.core.extras import require_packages
from saniwa.experiment.plan import DEFAULT_FAULTS, ExperimentPlan, PreparedPlan
from saniwa.scenario.registry import Registry

if TYPE_CHECKING:
    from inspect_ai import Task

    from saniwa.integrations.gymnasium_env import ScenarioEnv
    from saniwa.integrations.pettingzoo_env import MultiAgentEnv

NAMESPACE = "saniwa"
"""The part before the slash in the name of an environment."""
_ENVIRONMENT_NEEDS: Final = "an environment needs"
_TASK_NEEDS: Final = "an evaluation needs"


def make_environment(
    scenario: str, *, registry: str | Path | None = None, rulebook: str | None = None, **how: Any
) -> "ScenarioEnv":
    """Build a Gymnasium environment from a scenario's id or file.

    `how` are further arguments of `ScenarioEnv`.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
        SchemaValidationError: The scenario cannot be found or is invalid.
        RulebookError: The rulebook cannot be read.
        RunError: `ACTOR_UNKNOWN`, `LANGUAGE_UNKNOWN`.
    """
    require_packages("gymnasium", extra="gym", what=_ENVIRONMENT_NEEDS, kind=ExperimentError)
    from saniwa.integrations.gymnasium_env import ScenarioEnv

    opened = open_scenario(scenario, registry)
    return ScenarioEnv(opened, load_book_layers(opened, rulebook, registry), **how)


def make_multi_agent_environment(
    scenario: str, *, registry: str | Path | None = None, rulebook: str | None = None, **how: Any
) -> "MultiAgentEnv":
    """Build a PettingZoo environment from a scenario, one agent for each character.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
        SchemaValidationError: The scenario cannot be found or is invalid.
        RulebookError: The rulebook cannot be read.
        RunError: `LANGUAGE_UNKNOWN`.
    """
    require_packages("pettingzoo", extra="gym", what=_ENVIRONMENT_NEEDS, kind=ExperimentError)
    from saniwa.integrations.pettingzoo_env import MultiAgentEnv

    opened = open_scenario(scenario, registry)
    return MultiAgentEnv(opened, load_book_layers(opened, rulebook, registry), **how)


def register_environments(registry: str | Path | None = None) -> tuple[str, ...]:
    """Register every scenario of a registry with `gymnasium.make`; return their names.

    They are called `saniwa/ID-v0`. Registering again changes nothing.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
        SchemaValidationError: The registry cannot be found or is invalid.
    """
    require_packages("gymnasium", extra="gym", what=_ENVIRONMENT_NEEDS, kind=ExperimentError)
    import gymnasium

    place = locate_registry(registry)
    names = []
    for entry in Registry.open(place).entries:
        name = f"{NAMESPACE}/{entry.scenario_id}-v0"
        names.append(name)
        gymnasium.envs.registration.registry.pop(name, None)
        gymnasium.register(
            id=name,
            entry_point="saniwa.app.environments:make_environment",
            kwargs={"scenario": entry.scenario_id, "registry": str(place)},
        )
    return tuple(names)


def build_scenario_task(*scenarios: str, registry: str | Path | None = None, **plan: Any) -> "Task":
    """Build an inspect-ai task from scenarios; `plan` are keys of a plan's file.

    Raises:
        ExperimentError: `EXTRA_MISSING`, or the plan is invalid.
        SaniwaError: A scenario, rulebook or edition cannot be found or read.
    """
    return _build_task({"scenarios": [*scenarios], **plan}, registry)


def build_plan_task(file: str | Path, *, registry: str | Path | None = None) -> "Task":
    """Build an inspect-ai task from a plan's file; the models it names are not used.

    Raises:
        DocumentError: The file is not valid JSON or YAML.
        ExperimentError: `EXTRA_MISSING`, or the plan is invalid.
        SaniwaError: A scenario, rulebook or edition cannot be found or read.
    """
    return _build_task(file, registry)


def _build_task(plan: str | Path | Mapping[str, Any], registry: str | Path | None) -> "Task":
    require_packages("inspect_ai", extra="inspect", what=_TASK_NEEDS, kind=ExperimentError)
    from saniwa.app.experiments.experiment_run import load_prepared_plan
    from saniwa.integrations import inspect_eval  # noqa: F401 - known from here on
    from saniwa.integrations.inspect_eval import build_task

    # The user of inspect-ai chooses the model: no model of the plan is opened.
    prepared = load_prepared_plan(plan, registry=registry, replayed=True)
    _check_one_player(prepared.plan)
    return build_task(_remove_models(prepared))


def _check_one_player(plan: ExperimentPlan) -> None:
    """Check that one model can play every condition: inspect-ai uses only one.

    Raises:
        ExperimentError: `UNKNOWN_VALUE`.
    """
    if plan.mode == "work":
        raise describe("UNKNOWN_VALUE/agents_at_gate").to_error(ExperimentError)
    models = {each.model for each in plan.conditions}
    if len(models) > 1:
        raise describe("UNKNOWN_VALUE/check_one_player", models=len(models)).to_error(
            ExperimentError
        )
    if {each.faults for each in plan.conditions} != {DEFAULT_FAULTS}:
        raise describe("UNKNOWN_VALUE/faults_differ").to_error(ExperimentError)


def _remove_models(prepared: PreparedPlan) -> PreparedPlan:
    """Return the plan without model names, because those models do not play."""
    conditions = tuple(msgspec.structs.replace(each, model="") for each in prepared.plan.conditions)
    plan = msgspec.structs.replace(prepared.plan, conditions=conditions)
    return msgspec.structs.replace(prepared, plan=plan)
