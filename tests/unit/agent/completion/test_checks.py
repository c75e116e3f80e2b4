import asyncio

import pytest

from saniwa.agent.completion_conditions import build_completion
from saniwa.agent.definition import CheckBudget
from tests.fakes.completion import make_case


@pytest.mark.parametrize(("checks", "complete"), [(0, False), (1, False), (2, True), (3, True)])
def test_complete_when_the_checks_are_used_up(checks: int, complete: bool) -> None:
    """The completion holds from the last check of its budget."""
    completion = build_completion(CheckBudget(max_checks=2))

    assert complete == asyncio.run(completion.check(make_case(checks=checks))).complete


def test_iterations_do_not_count() -> None:
    """Iterations do not count for a budget of checks."""
    completion = build_completion(CheckBudget(max_checks=2))

    assert not asyncio.run(completion.check(make_case(iteration=9, checks=1))).complete


def test_the_reason_names_both_numbers() -> None:
    """The reason has both numbers."""
    completion = build_completion(CheckBudget(max_checks=2))

    said = asyncio.run(completion.check(make_case(checks=2)))

    assert "step checks done: 2 of 2" == said.reason
