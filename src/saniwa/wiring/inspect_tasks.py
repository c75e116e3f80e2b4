"""What inspect-ai finds of ours by name: `saniwa/scenario`, `saniwa/plan`, `saniwa/standin`.

inspect-ai loads this module itself, through the entry point of the package. Needs the extra
`inspect`.
"""

from typing import Any

from inspect_ai import Task, task

from saniwa.experiment.abroad.inspect_model import StandInModel
from saniwa.wiring.abroad import plan_task, scenario_task

__all__ = ["StandInModel", "plan", "scenario"]


@task
def scenario(
    scenario: str | list[str] = "door_and_key",
    conditions: str | list[str] = "A,B,C,D",
    seeds: int = 1,
    max_turns: int = 10,
    **more: Any,
) -> Task:
    """One scenario or several, in the conditions of the 2×2.

    `more` are further keys of a plan, such as `language` or `max_tokens`.
    """
    return scenario_task(
        *_listed(scenario),
        conditions=_listed(conditions),
        seeds=seeds,
        max_turns=max_turns,
        **more,
    )


@task
def plan(file: str) -> Task:
    """A plan's file."""
    return plan_task(file)


def _listed(said: str | list[str]) -> list[str]:
    return said.split(",") if isinstance(said, str) else [*said]
