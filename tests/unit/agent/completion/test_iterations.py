import asyncio

import pytest

from saniwa.agent.completion_conditions import build_completion
from saniwa.agent.definition import IterationBudget
from tests.fakes.completion import make_case


@pytest.mark.parametrize(("iteration", "complete"), [(1, False), (2, False), (3, True), (4, True)])
def test_complete_when_the_count_has_reached_the_budget(iteration: int, complete: bool) -> None:
    """The completion holds from the last iteration of its budget."""
    completion = build_completion(IterationBudget(max_iterations=3))

    said = asyncio.run(completion.check(make_case(iteration=iteration)))

    assert complete == said.complete


def test_checks_do_not_count() -> None:
    """Checks do not count for a budget of iterations."""
    completion = build_completion(IterationBudget(max_iterations=2))

    assert not asyncio.run(completion.check(make_case(checks=9))).complete


def test_the_reason_names_both_numbers() -> None:
    """The reason has both numbers."""
    completion = build_completion(IterationBudget(max_iterations=3))

    said = asyncio.run(completion.check(make_case(iteration=4)))

    assert "iterations done: 4 of 3" == said.reason
