import asyncio
from typing import Literal

import pytest

from saniwa.agent.definition import StepCheck
from saniwa.agent.layer_contracts import ActionResult, QueryResult, StepCase, StepCheckResult
from saniwa.agent.step_checks import RuleChecker


def _check_results(mode: Literal["any", "all"], *results: ActionResult) -> StepCheckResult:
    check = RuleChecker(StepCheck(type="action", mode=mode))
    response = QueryResult(messages=("",), conversation_id="c")
    case = StepCase(type="action", response=response, action_results=results)
    return asyncio.run(check.check(case))


def _make_results(successes: str) -> tuple[ActionResult, ...]:
    return tuple(ActionResult(type="speak", success=each == "+") for each in successes)


@pytest.mark.parametrize(
    ("successes", "any_", "all_"),
    [
        ("", False, False),
        ("+", True, True),
        ("-", False, False),
        ("-+", True, False),
        ("++", True, True),
    ],
)
def test_something_must_have_been_done_and_come_true(
    successes: str, any_: bool, all_: bool
) -> None:
    """`any` needs one successful action, `all` needs all; neither passes without an action."""
    results = _make_results(successes)

    assert (any_, all_) == (
        _check_results("any", *results).passed,
        _check_results("all", *results).passed,
    )


def test_the_reason_names_the_first_that_failed() -> None:
    """The reason names the first failed action with its refusal."""
    failed = ActionResult(type="speak", success=False, code="LOCKED", message="it is locked")

    said = _check_results("all", *_make_results("+"), failed)

    assert "actions that succeeded: 1 of 2; 'speak' did not: LOCKED: it is locked" == (said.reason)


def test_a_failure_without_words_is_named_all_the_same() -> None:
    """A failed action without a code and a message is still named."""
    assert "actions that succeeded: 0 of 1; 'speak' did not" == (
        _check_results("any", *_make_results("-")).reason
    )


def test_doing_nothing_is_no_success() -> None:
    """The reason says that there was no action."""
    assert "nothing was done" == _check_results("any").reason


def test_a_long_refusal_is_cut() -> None:
    """The reason is limited in length."""
    failed = ActionResult(type="speak", success=False, message="x" * 10_000)

    assert len(_check_results("any", failed).reason) < 400
