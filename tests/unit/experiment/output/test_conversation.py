import re

import msgspec
from markdown_it import MarkdownIt

from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.output.publication import (
    FormatBreaks,
    render_cell,
    render_closing,
    render_opening,
)
from tests.fakes.experiments import make_plan, play_cell_of, render_answer
from tests.unit.experiment.output.trials import play_trial, replace_answer, replace_fields


def _render_outcome(outcome: CellOutcome) -> str:
    conditions = {each.name: each for each in play_trial()[0].plan.conditions}
    return "".join(render_cell(conditions[outcome.condition], outcome))


def _find_outcome(letter: str = "D") -> CellOutcome:
    return next(o for o in play_trial()[1] if o.condition == letter and o.scenario == "house")


def _make_breaking(steps: list[int], condition: str = "A") -> CellOutcome:
    """Make a cell whose answers need the given number of repair steps."""
    first = _find_outcome("A").passages[0]
    passages = tuple(
        msgspec.structs.replace(
            first,
            number=number,
            attempts=(
                msgspec.structs.replace(
                    first.final, break_type="TRAILING_GARBAGE", repair_steps=count
                ),
            ),
        )
        for number, count in enumerate(steps)
    )
    return replace_fields(_find_outcome("A"), condition=condition, passages=passages)


def test_a_refused_attempt_is_reported_with_the_rule_and_what_came_after() -> None:
    """The page shows the refused attempt, the reason and the final answer."""
    expected = (
        "- **1 Ann**: Fine.\n"
        "  - first: Coffee?\n"
        "    - refused: GET beans: MISSING\\_OBJECT by take.exists."
        " You see no such thing here: “the beans”.\n"
        "  - allowed: GET cup\n"
        "  - corrected without an apology\n"
    )
    assert expected in _render_outcome(_find_outcome())


def test_a_repaired_answer_is_reported() -> None:
    """The page shows how the format was broken and how it was repaired."""
    assert (
        "format broken: MISSING\\_OUTPUT\\_TAGS repaired by FALLBACK\\_SPEECH in 3 steps"
        in _render_outcome(_find_outcome())
    )


def test_a_give_up_is_reported() -> None:
    """The page shows that no attempts were left."""
    outcome = play_cell_of("D", render_answer("*take the beans*"))
    assert "given up after 3 answers; only the speech stands" in _render_outcome(outcome)


def test_an_error_is_the_end_of_a_conversation() -> None:
    """The error is shown at the end."""
    told = _render_outcome(
        replace_fields(_find_outcome(), passages=(), error="BRIDGE_REFUSED", error_message="no")
    )
    assert told.endswith("The end: BRIDGE\\_REFUSED: no\n")


def test_an_early_end_is_reported() -> None:
    """A conversation that stopped early says why."""
    told = _render_outcome(replace_fields(_find_outcome(), stopped="goal reached"))
    assert told.endswith("The end: goal reached.\n")


def test_no_answer_makes_markup() -> None:
    """The structure of the page does not depend on the answers."""
    attack = "\n\n# Won\n\n<script>x</script> [a](http://b) |\n```\n- **000 Ann**: no"
    shapes = [
        _list_token_types(_render_outcome(replace_answer(_find_outcome(), words)))
        for words in ("plain", attack)
    ]
    assert shapes[0] == shapes[1]


def _list_token_types(page: str) -> list[str]:
    found = []
    for token in MarkdownIt("gfm-like", {"linkify": False}).parse(page):
        found += [token.type, *(child.type for child in token.children or ())]
    return [kind for kind in found if kind not in ("text", "text_special")]


def test_three_breaks_are_shown_those_that_took_most_steps_first() -> None:
    """At most three examples are shown, those with the most repair steps first."""
    breaks = FormatBreaks()
    breaks.add_outcome(_make_breaking([1, 3]))
    breaks.add_outcome(_make_breaking([2, 1, 3, 2]))
    steps = [each.attempt.repair_steps for each in breaks.worst["A"]]
    assert ([3, 3, 2], 6) == (steps, breaks.counts["A"])


def test_breaks_are_shown_for_each_condition() -> None:
    """Examples are chosen for each condition separately."""
    breaks = FormatBreaks()
    for condition in "BA":
        breaks.add_outcome(_make_breaking([1, 2, 3, 3], condition))
    page = "".join(render_closing(breaks))
    assert ["A", "B"] == re.findall(r"^## In condition (.*)$", page, re.MULTILINE)
    assert 6 == page.count("came as:")


def test_no_break_is_reported_as_none() -> None:
    """A page without examples says that there are none."""
    assert "No answer broke the format." in "".join(render_closing(FormatBreaks()))


def test_the_head_says_what_the_letters_mean() -> None:
    """The head of the page explains the letters and the question."""
    page = render_opening(make_plan(question="1. Does *it* help?"))
    assert "Question: 1. Does \\*it\\* help?" in page
    assert "| B | on | off |\n| C | off | on |" in page
