"""The labelled lines are understood at least as well as they were."""

import pytest

from tests.hearing.score import FOLDER, ScoredLine, read_lines, score_line

MOST_UNTRUE = {"en": 4, "ja": 0}
"""Lower these when a change makes the lines better understood; never raise them."""
FEWEST_RIGHT = {"en": 1787, "ja": 1871}


@pytest.fixture(scope="module", params=["en", "ja"])
def language_lines(request: pytest.FixtureRequest) -> tuple[str, list[ScoredLine]]:
    """All lines of a language with their scores."""
    lines = read_lines(FOLDER / f"lines_{request.param}.yaml")
    return request.param, [score_line(line, request.param) for line in lines]


def test_no_line_changes_the_world_untruly(language_lines: tuple[str, list[ScoredLine]]) -> None:
    """A line that asks for nothing, or for another deed, leaves the world as it was."""
    language, lines = language_lines
    untrue = [each.line.text for each in lines if each.score == "untrue"]

    assert len(untrue) <= MOST_UNTRUE[language], untrue


def test_lines_are_understood_as_their_labels_say(
    language_lines: tuple[str, list[ScoredLine]],
) -> None:
    """At least as many lines are right as when the figure was set."""
    language, lines = language_lines

    assert sum(each.score == "right" for each in lines) >= FEWEST_RIGHT[language]


def test_a_language_has_a_thousand_lines(language_lines: tuple[str, list[ScoredLine]]) -> None:
    """No line can vanish unnoticed."""
    _, lines = language_lines

    assert len(lines) >= 1800
