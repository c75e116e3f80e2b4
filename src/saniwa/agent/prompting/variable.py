"""The names that prompts may use without their author saying where they come from."""

import re

STANDARD_VARIABLES = (
    "agent_name",
    "iteration",
    "completed_iterations",
    "max_iterations",
    "remaining",
    "completion_keyword",
    "completion_criteria",
    "previous_summary",
    "last_results",
    "check_count",
    "max_checks",
)
"""What every agent's loop says."""

INPUT = "input_text"
"""What was piped in; an argument of every agent, also of one that declares none."""

USER_VARIABLES = ("topic", "issue")
"""The usual names for what a user says; each is there only as a parameter."""

FLOOR_VARIABLES = (
    "who",
    "language",
    "scene",
    "beliefs",
    "memories",
    "goals",
    "guidance",
    "process",
    "state",
    "state_prompt",
    "missing",
    "required",
    "events",
    "handed_in",
    "variables",
    "last_decision",
)
"""What a floor says: the first seven in a world, the others at a gate."""

FLOOR_FACTS = (
    "goal_reached",
    "place",
    "turn",
    "state",
    "is_final",
    "revision",
    "process",
    "variables",
)
"""What a floor tells a completion and a gateway: the first three in a world, the others
at a gate; `variables` is a mapping."""

CHECK_VARIABLES = ("response",)
"""What the prompt of a step's check may use besides: what the model said."""

NAME = r"[A-Za-z0-9_-]+"
"""What a variable's name looks like."""
is_name = re.compile(NAME).fullmatch
"""Whether a text can be a variable's name."""


def is_told(fact: str) -> bool:
    """Whether a world or a gate could tell a fact: `state`, `variables.mood`."""
    return fact in FLOOR_FACTS or fact.startswith("variables.")


def output_variable(step: str, key: str) -> str:
    """The variable of a field a step puts out; dots become `_`: `initial_plan_title`."""
    return f"{step.replace('.', '_')}_{key}"
