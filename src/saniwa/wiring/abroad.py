"""Scenarios by name for other people's tools: environments that learners play in."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from saniwa.experiment.abroad.extra import need
from saniwa.scenario.registry import Registry
from saniwa.wiring.scenario import book_layers, open_scenario, registry_place

if TYPE_CHECKING:
    from saniwa.experiment.abroad.gymnasium_env import ScenarioEnv
    from saniwa.experiment.abroad.pettingzoo_env import CompanyEnv

NAMESPACE = "saniwa"
"""What stands before the slash in the name of an environment."""


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
    need("gymnasium", "gym")
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
    need("pettingzoo", "gym")
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
    need("gymnasium", "gym")
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
