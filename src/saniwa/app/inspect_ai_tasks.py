"""Names that inspect-ai finds: `saniwa/scenario`, `saniwa/plan`, `saniwa/standin`.

inspect-ai loads this module itself, through the entry point of the package. Needs the
extra `inspect`.
"""

from typing import Any

from inspect_ai import Task, task

from saniwa.app.environments import build_plan_task, build_scenario_task

# Importing it registers the model `saniwa/standin`.
from saniwa.integrations import inspect_eval as inspect_eval


@task
def scenario(
    scenario: str | list[str] = "door_and_key",
    conditions: str | list[str] = "A,B,C,D",
    seeds: int = 1,
    max_turns: int = 10,
    **more: Any,
) -> Task:
    """Build a task of one or more scenarios, in the conditions of the 2×2 design.

    `more` are further keys of a plan, such as `language` or `max_tokens`.
    """
    return build_scenario_task(
        *_split_names(scenario),
        conditions=_split_names(conditions),
        seeds=seeds,
        max_turns=max_turns,
        **more,
    )


@task
def plan(file: str) -> Task:
    """Build a task from a plan's file."""
    return build_plan_task(file)


def _split_names(names: str | list[str]) -> list[str]:
    return names.split(",") if isinstance(names, str) else [*names]
