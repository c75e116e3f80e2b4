"""Scenarios and plans by name for other people's tools: environments, evaluations."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from saniwa.app.scenarios import load_book_layers, locate_registry, open_scenario
from saniwa.core.errors import ExperimentError
from saniwa.core.extras import require_packages
from saniwa.experiment.plan import DEFAULT_FAULTS, ExperimentPlan, PreparedPlan
from saniwa.scenario.registry import Registry

if TYPE_CHECKING:
    from inspect_ai import Task

    from saniwa.integrations.gymnasium_env import ScenarioEnv
    from saniwa.integrations.pettingzoo_env import MultiAgentEnv

NAMESPACE = "saniwa"
"""What stands before the slash in the name of an environment."""
_ENVIRONMENT_NEEDS: Final = "an environment needs"
_TASK_NEEDS: Final = "an evaluation needs"


def make_environment(
    scenario: str,
    *,
    registry: str | Path | None = None,
    rulebook: str | None = None,
    **how: Any,
) -> "ScenarioEnv":
    """A scenario as a Gymnasium environment, by id or file; `how` as `ScenarioEnv` says.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
        SchemaValidationError: The scenario cannot be found or trusted.
        RulebookError: The book cannot be read.
        RunError: `ACTOR_UNKNOWN`, `LANGUAGE_UNKNOWN`.
    """
    require_packages(
        "gymnasium", extra="gym", what=_ENVIRONMENT_NEEDS, kind=ExperimentError
    )
    from saniwa.integrations.gymnasium_env import ScenarioEnv

    opened = open_scenario(scenario, registry)
    return ScenarioEnv(opened, load_book_layers(opened, rulebook), **how)


def make_multi_agent_environment(
    scenario: str,
    *,
    registry: str | Path | None = None,
    rulebook: str | None = None,
    **how: Any,
) -> "MultiAgentEnv":
    """A scenario as a PettingZoo environment, one agent for each character.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
        SchemaValidationError: The scenario cannot be found or trusted.
        RulebookError: The book cannot be read.
        RunError: `LANGUAGE_UNKNOWN`.
    """
    require_packages(
        "pettingzoo", extra="gym", what=_ENVIRONMENT_NEEDS, kind=ExperimentError
    )
    from saniwa.integrations.pettingzoo_env import MultiAgentEnv

    opened = open_scenario(scenario, registry)
    return MultiAgentEnv(opened, load_book_layers(opened, rulebook), **how)


def register_environments(registry: str | Path | None = None) -> tuple[str, ...]:
    """Make every scenario of a registry known to `gymnasium.make`; gives their names.

    They are called `saniwa/ID-v0`. Doing it again changes nothing.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
        SchemaValidationError: The registry cannot be found or trusted.
    """
    require_packages(
        "gymnasium", extra="gym", what=_ENVIRONMENT_NEEDS, kind=ExperimentError
    )
    import gymnasium

    place = locate_registry(registry)
    names = []
    for entry in Registry.open(place).entries:
        name = f"{NAMESPACE}/{entry.scenario_id}-v0"
        names.append(name)
        gymnasium.envs.registration.registry.pop(name, None)
        gymnasium.register(
            id=name,
            entry_point="saniwa.app.integrations:make_environment",
            kwargs={"scenario": entry.scenario_id, "registry": str(place)},
        )
    return tuple(names)


def build_scenario_task(
    *scenarios: str, registry: str | Path | None = None, **plan: Any
) -> "Task":
    """Scenarios as an inspect-ai task; `plan` as the keys of a plan's file say.

    Raises:
        ExperimentError: `EXTRA_MISSING`, or what is wrong with the plan.
        SaniwaError: A scenario, book or edition cannot be found or read.
    """
    return _build_task({"scenarios": [*scenarios], **plan}, registry)


def build_plan_task(file: str | Path, *, registry: str | Path | None = None) -> "Task":
    """A plan's file as an inspect-ai task; the models it names are not asked.

    Raises:
        DocumentError: The file is no JSON or YAML.
        ExperimentError: `EXTRA_MISSING`, or what is wrong with the plan.
        SaniwaError: A scenario, book or edition cannot be found or read.
    """
    return _build_task(file, registry)


def _build_task(
    plan: str | Path | Mapping[str, Any], registry: str | Path | None
) -> "Task":
    require_packages(
        "inspect_ai", extra="inspect", what=_TASK_NEEDS, kind=ExperimentError
    )
    from saniwa.app.experiments.service import load_prepared_plan
    from saniwa.integrations import inspect_eval  # noqa: F401 - known from here on
    from saniwa.integrations.inspect_eval import build_task

    # Whoever runs the evaluation says which model answers: none of the plan's is opened.
    prepared = load_prepared_plan(plan, registry=registry, replayed=True)
    _check_one_player(prepared.plan)
    return build_task(_remove_models(prepared))


def _check_one_player(plan: ExperimentPlan) -> None:
    """See that one model can play every condition: inspect-ai asks no other.

    Raises:
        ExperimentError: `UNKNOWN_VALUE`.
    """
    models = {each.model for each in plan.conditions}
    if len(models) > 1:
        raise ExperimentError(
            "UNKNOWN_VALUE",
            f"the plan names {len(models)} models, and one model plays an evaluation of "
            "inspect-ai: its conditions would not differ",
            hint="run one evaluation for each model: inspect eval … --model NAME; or run "
            "the plan with: saniwa experiment run",
        )
    if {each.faults for each in plan.conditions} != {DEFAULT_FAULTS}:
        raise ExperimentError(
            "UNKNOWN_VALUE",
            "the plan says how stand-ins err ('faults'), and inspect-ai's model does not "
            "hear of it: its conditions would not differ",
            hint="run one evaluation for each: inspect eval … --model saniwa/standin -M "
            "invent=60; or run the plan with: saniwa experiment run",
        )


def _remove_models(prepared: PreparedPlan) -> PreparedPlan:
    """The plan without the name of a model, which does not play."""
    conditions = tuple(
        msgspec.structs.replace(each, model="") for each in prepared.plan.conditions
    )
    plan = msgspec.structs.replace(prepared.plan, conditions=conditions)
    return msgspec.structs.replace(prepared, plan=plan)
