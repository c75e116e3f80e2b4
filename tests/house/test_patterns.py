"""No regular expression of the package takes long for any text.

While an expression is matched, Python does nothing else: no other request is answered and
no signal is handled. So the time must be in proportion to the length of the text.
"""

import re

import pytest

from tests.house.patterns import (
    UsedExpression,
    find_expressions,
    find_hostile_texts,
    find_late_calls,
    is_linear,
)

_LATE = {
    # An author's own pattern; it is only compiled, and matched by an engine without
    # backtracking.
    "saniwa.agent.files.parameters.find_pattern_fault",
    # An escaped name without repetition.
    "saniwa.story.tools.mention_index._find_say_speaker",
    # A parameter's name from a table in the source.
    "saniwa.story.tools.completion._complete_keys",
    # A character's name, escaped, after the end of a sentence.
    "saniwa.experiment.answer_assessment._is_called",
}
_SLOW = (
    r'"(?:[^"\\]|\\.)*+"',
    r"\s*\n\s*",
    r"_+([a-z0-9])",
    r"<!--.*?-->",
    r"(?:a|aa)+b",
    r"(?:.+?x)?(.+?)(?P<end>y)",
    r"[\[<]\s*/?\s*(thought|output)",
    r"(?:\[c\]\s*)+\Z",
)


def test_expressions_are_compiled_with_their_module() -> None:
    """Only the listed functions compile an expression, which the tests below would not find."""
    assert _LATE == find_late_calls()


@pytest.mark.parametrize("pattern", _SLOW)
def test_a_slow_expression_is_found(pattern: str) -> None:
    """The texts made from a slow expression show that it is slow."""
    slow = UsedExpression("", re.compile(pattern), frozenset({"search"}))

    assert not all(is_linear(slow, text) for text in find_hostile_texts(slow.pattern))


def test_every_expression_is_linear() -> None:
    """Four times the text takes about four times as long, for every expression."""
    slow = {
        (each.place, text)
        for each in find_expressions()
        for text in find_hostile_texts(each.pattern)
        if not is_linear(each, text)
    }

    assert set() == slow
