from math import inf, nan

import pytest

from saniwa.agent.definition import AgentLimits
from saniwa.core.errors import ConfigurationValidationError


@pytest.mark.parametrize(
    "limit",
    [
        {"max_cost": nan},
        {"max_cost": inf},
        {"max_cost": -0.5},
        {"max_calls": -1},
        {"max_tokens": -1},
        {"max_iterations": -1},
    ],
)
def test_a_limit_that_would_stop_no_agent_is_none(limit: dict[str, float]) -> None:
    """A limit must be a finite number of at least 0."""
    with pytest.raises(ConfigurationValidationError) as caught:
        AgentLimits(**limit)  # type: ignore[arg-type]

    ((name, value),) = limit.items()
    assert f"{name!r} is {value!r}" in caught.value.message


def test_nothing_at_all_may_be_a_limit() -> None:
    """A limit may be 0."""
    assert 0 == AgentLimits(max_calls=0, max_tokens=0, max_cost=0.0).max_cost
