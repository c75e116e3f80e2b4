import asyncio

import pytest

from saniwa.agent.completion_conditions import build_completion
from saniwa.agent.definition import KeywordSignal
from tests.fakes.completion import make_case


def _complete(word: str, *messages: str) -> bool:
    completion = build_completion(KeywordSignal(completion_keyword=word))
    return asyncio.run(completion.check(make_case(*messages))).complete


@pytest.mark.parametrize("messages", [("TASK_DONE",), ("x", "so: TASK_DONE!"), ("TASK_DONEish",)])
def test_the_word_may_be_anywhere_in_any_text(messages: tuple[str, ...]) -> None:
    """The keyword is found anywhere in any message, also inside a word."""
    assert _complete("TASK_DONE", *messages)


@pytest.mark.parametrize("messages", [("task_done",), ("TASK_", "DONE"), ("",)])
def test_only_the_word_itself_counts(messages: tuple[str, ...]) -> None:
    """The keyword is case-sensitive, and must be within one message."""
    assert not _complete("TASK_DONE", *messages)
    assert not _complete("a\nb", "a", "b")


def test_the_word_counts_in_the_iteration_in_which_it_is_said() -> None:
    """The keyword counts in the iteration in which it is said."""
    completion = build_completion(KeywordSignal(completion_keyword="終わり"))
    cases = [
        make_case("まだ"),
        make_case("これで終わり。", iteration=2),
        make_case("?", iteration=3),
    ]

    said = [asyncio.run(completion.check(each)).complete for each in cases]

    assert [False, True, False] == said


def test_an_empty_word_is_never_said() -> None:
    """An empty keyword is never found."""
    completion = build_completion(KeywordSignal(completion_keyword=""))

    assert not asyncio.run(completion.check(make_case("anything"))).complete
