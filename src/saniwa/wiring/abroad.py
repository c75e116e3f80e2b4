"""Scenarios and plans by name for other people's tools: environments, evaluations."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from saniwa.core.errors import ExperimentError
from saniwa.core.extra import need
from saniwa.scenario.registry import Registry
from saniwa.wiring.scenario import book_layers, open_scenario, registry_place

if TYPE_CHECKING:
    from inspect_ai import Task

    from saniwa.experiment.abroad.gymnasium_env import ScenarioEnv
    from saniwa.experiment.abroad.pettingzoo_env import CompanyEnv

NAMESPACE = "saniwa"
"""What stands before the slash in the name of an environment."""
_ENVIRONMENTS: Final = "an environment needs"
_TASKS: Final = "an evaluation needs"


def environment(
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
    need("gymnasium", extra="gym", what=_ENVIRONMENTS, kind=ExperimentError)
    from saniwa.experiment.abroad.gymnasium_env import ScenarioEnv

    opened = open_scenario(scenario, registry)
    return ScenarioEnv(opened, book_layers(opened, rulebook), **how)


def company(
    scenario: str,
    *,
    registry: str | Path | None = None,
    rulebook: str | None = None,
    **how: Any,
) -> "CompanyEnv":
    """A scenario as a PettingZoo environment, one agent for each character.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
        SchemaValidationError: The scenario cannot be found or trusted.
        RulebookError: The book cannot be read.
        RunError: `LANGUAGE_UNKNOWN`.
    """
    need("pettingzoo", extra="gym", what=_ENVIRONMENTS, kind=ExperimentError)
    from saniwa.experiment.abroad.pettingzoo_env import CompanyEnv

    opened = open_scenario(scenario, registry)
    return CompanyEnv(opened, book_layers(opened, rulebook), **how)


def register_environments(registry: str | Path | None = None) -> tuple[str, ...]:
    """Make every scenario of a registry known to `gymnasium.make`; gives their names.

    They are called `saniwa/ID-v0`. Doing it again changes nothing.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
        SchemaValidationError: The registry cannot be found or trusted.
    """
    need("gymnasium", extra="gym", what=_ENVIRONMENTS, kind=ExperimentError)
    import gymnasium

    place = registry_place(registry)
    names = []
    for entry in Registry.open(place).entries:
        name = f"{NAMESPACE}/{entry.scenario_id}-v0"
        names.append(name)
        gymnasium.envs.registration.registry.pop(name, None)
        gymnasium.register(
            id=name,
            entry_point="saniwa.wiring.abroad:environment",
            kwargs={"scenario": entry.scenario_id, "registry": str(place)},
        )
    return tuple(names)


def scenario_task(
    *scenarios: str, registry: str | Path | None = None, **plan: Any
) -> "Task":
    """Scenarios as an inspect-ai task; `plan` as the keys of a plan's file say.

    Raises:
        ExperimentError: `EXTRA_MISSING`, or what is wrong with the plan.
        SaniwaError: A scenario, book or edition cannot be found or read.
    """
    return _task({"scenarios": [*scenarios], **plan}, registry)


def plan_task(file: str | Path, *, registry: str | Path | None = None) -> "Task":
    """A plan's file as an inspect-ai task; the models it names are not asked.

    Raises:
        DocumentError: The file is no JSON or YAML.
        ExperimentError: `EXTRA_MISSING`, or what is wrong with the plan.
        SaniwaError: A scenario, book or edition cannot be found or read.
    """
    return _task(file, registry)


def _task(plan: str | Path | Mapping[str, Any], registry: str | Path | None) -> "Task":
    need("inspect_ai", extra="inspect", what=_TASKS, kind=ExperimentError)
    from saniwa.experiment.abroad import inspect_model  # noqa: F401 - known from here on
    from saniwa.experiment.abroad.inspect_task import task_of
    from saniwa.wiring.experiment.at_once import planned

    # Whoever runs the evaluation says which model answers: none of the plan's is opened.
    return task_of(planned(plan, registry=registry, replayed=True))
