import asyncio
from typing import Literal

import pytest

from saniwa.agent.definition import StepCheck
from saniwa.agent.layer_contracts import QueryResult, StepCase, StepCheckResult
from saniwa.agent.step_checks import RuleChecker


def _check_texts(
    mode: Literal["any", "all"], words: tuple[str, ...], *texts: str
) -> StepCheckResult:
    check = RuleChecker(StepCheck(type="keyword", keywords=words, mode=mode))
    response = QueryResult(messages=texts, conversation_id="c")
    return asyncio.run(check.check(StepCase(type="keyword", response=response)))


@pytest.mark.parametrize(
    ("mode", "texts", "passed"),
    [
        ("any", ("an apple",), True),
        ("any", ("no fruit",), False),
        ("all", ("an apple",), False),
        ("all", ("a pear and an apple",), True),
        ("all", ("a pear", "an apple"), True),
        ("any", ("APPLE",), False),
        ("any", ("app", "le"), False),
    ],
)
def test_words_are_looked_for_in_every_text(
    mode: Literal["any", "all"], texts: tuple[str, ...], passed: bool
) -> None:
    """`any` needs one keyword, `all` needs all, in any of the messages."""
    assert passed == _check_texts(mode, ("apple", "pear"), *texts).passed


def test_a_word_does_not_run_over_into_the_next_text() -> None:
    """A keyword must be within one message."""
    assert not _check_texts("any", ("a\nb",), "a", "b").passed


def test_the_reason_names_the_words() -> None:
    """The reason names the keywords that were found or missing."""
    words = ("apple", "pear", "fig")

    assert "the model said 'apple'" == _check_texts("any", words, "apple").reason
    assert "the model did not say 'pear', 'fig'" == _check_texts("all", words, "apple").reason


@pytest.mark.parametrize("mode", ["any", "all"])
def test_a_check_without_words_never_passes(mode: Literal["any", "all"]) -> None:
    """A check without keywords never passes."""
    assert not _check_texts(mode, (), "anything").passed
