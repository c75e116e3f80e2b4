import pytest

from saniwa.story.elements import (
    ChoiceElement,
    Declaration,
    DoElement,
    LabelElement,
    LinkTarget,
    RouteElement,
    SayElement,
    WhenElement,
)
from saniwa.story.parser.markdown import parse_scene
from tests.fakes.scenes import list_codes, parse_block


def _list_cases(text: str) -> list[tuple[str, int]]:
    [when] = parse_block(text)
    assert isinstance(when, WhenElement)
    return [(c.when.source if c.when else "", len(c.block)) for c in when.cases]


def test_a_condition_has_cases() -> None:
    """`:::when`, `:::else when` and `:::else` are cases with their blocks."""
    text = ":::when n > 1\nA.\n:::else when m\nB.\n\nC.\n:::else\nD.\n:::\n"

    assert [("n > 1", 1), ("m", 2), ("", 1)] == _list_cases(text)


def test_conditions_nest_and_hold_lists() -> None:
    """Lines belong to the innermost condition."""
    assert [("a", 2)] == _list_cases(":::when a\n:::when b\n- [x](#x)\n:::\nC.\n:::")


def test_a_block_in_an_arm_goes_up_to_its_end() -> None:
    """A block under an item extends to its end in any indentation, and the list continues."""
    [choice] = parse_block("- A\n  :::when a\nB.\n  :::\n- C\n  x\n")

    assert isinstance(choice, ChoiceElement)
    [when] = choice.options[0].arm
    assert isinstance(when, WhenElement)
    assert (SayElement(3, 1, 3, "", "B."),) == when.cases[0].block
    assert 2 == len(choice.options)


def test_a_deed_has_two_outcomes() -> None:
    """`:::do` has lines for success, and `:::refused` lines for a refusal."""
    text = ":::do take {thing}\nGood.\n:::refused\nNo.\n:::"
    [deed] = parse_block(text)

    assert isinstance(deed, DoElement)
    assert not isinstance(deed.words, str)
    assert (SayElement(2, 1, 2, "", "Good."),) == deed.done
    assert (SayElement(4, 1, 4, "", "No."),) == deed.refused


def test_without_a_refused_part_the_world_says_why() -> None:
    """A missing `:::refused` differs from an empty one."""
    [deed] = parse_block(":::do wait\n:::")
    [silent] = parse_block(":::do wait\n:::refused\n:::")

    assert isinstance(deed, DoElement)
    assert isinstance(silent, DoElement)
    assert (None, ()) == (deed.refused, silent.refused)


def test_a_refused_block_may_follow_a_line_with_a_deed() -> None:
    """A `:::refused` block belongs to the action directly before it."""
    say, deed = parse_block("I take it. {do take key}\n:::refused\nNo.\n:::")

    assert isinstance(say, SayElement)
    assert isinstance(deed, DoElement)
    assert (SayElement(3, 1, 3, "", "No."),) == deed.refused


def test_old_choices_and_routes_are_read() -> None:
    """`- text @route` leads to `:::route`, which is skipped otherwise and may be nested."""
    text = (
        ":::choices\n- Go left @left {once}\n- Stay {if n} @stay\n:::\n"
        ":::route left\nA.\n:::route 内側\nB.\n:::\n:::\n"
    )
    choice, route = parse_block(text)

    assert isinstance(choice, ChoiceElement)
    assert [
        ("Go left", LinkTarget("left", "", 2, 12), True, ""),
        ("Stay", LinkTarget("stay", "", 3, 16), False, "n"),
    ] == [
        (each.words, each.target, each.once, each.only_if.source if each.only_if else "")
        for each in choice.options
    ]
    assert ":::choices" == choice.old
    assert isinstance(route, RouteElement)
    assert LabelElement(5, 1, 5, "left", "route", 10) == route.label
    _, inner = route.block
    assert isinstance(inner, RouteElement)
    assert "内側" == inner.label.name


def test_routes_among_the_items_do_not_split_the_choice() -> None:
    """Routes among the items do not split the choice."""
    text = ":::choices\n- a @a\n:::route a\nA.\n:::\n- b @b\n:::\n"
    choice, route = parse_block(text)

    assert isinstance(choice, ChoiceElement)
    assert ["a", "b"] == [each.words for each in choice.options]
    assert isinstance(route, RouteElement)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (("met", False, 2, 1), ":::flag\nmet\n:::"),
        (("met", False, 2, 3), ":::flag\n- met <!-- Ben -->\n:::"),
        (("n", 3, 2, 3), ":::vars\n  n = 3\n:::"),
        (("n", "Ben", 2, 1), ':::vars\nn: "Ben"\n:::'),
        (("met", True, 1, 9), ":::flag met=TRUE\n"),
        (("n", None, 1, 9), ":::vars n\n:::"),
    ],
)
def test_old_declarations_are_variables(expected: tuple[str, object, int, int], text: str) -> None:
    """Old declarations are added to the variables of the front matter."""
    scene = parse_scene(text, "story.md")

    assert (Declaration(*expected),) == scene.front.variables  # type: ignore[arg-type]
    assert () == scene.block
    assert [] == list_codes(text)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (("BLOCK_UNCLOSED", 2, 1), "A.\n:::when n\nB."),
        (("BLOCK_UNCLOSED", 1, 1), ":::when n\nB.\n## next\nC."),
        (("BLOCK_UNCLOSED", 1, 1), ":::flag\na"),
        (("BLOCK_UNOPENED", 2, 1), "A.\n:::"),
        (("BLOCK_UNOPENED", 2, 1), "A.\n:::else"),
        (("BLOCK_UNOPENED", 3, 1), ":::when n\n:::else\n:::else\n:::"),
        (("BLOCK_UNOPENED", 1, 1), ":::refused\n:::"),
        (("COMMAND_UNKNOWN", 1, 1), ":::wehn n\nA.\n:::"),
        (("EXPRESSION_MALFORMED", 1, 12), ":::when n +\nA.\n:::"),
        (("PARAMETER_MISSING", 1, 1), ":::route\n:::"),
        (("PARAMETER_MISSING", 1, 1), ":::do\n:::"),
        (("PARAMETER_MALFORMED", 2, 1), ":::vars\nmy var\n:::"),
        (("PARAMETER_MALFORMED", 2, 9), ":::when n\n:::else what\n:::"),
    ],
)
def test_what_is_wrong_is_found_where_it_is(expected: tuple[str, int, int], text: str) -> None:
    """Each mistake has its code, line and column."""
    assert [expected] == list_codes(text)


def test_an_unknown_block_offers_the_nearest_and_keeps_what_is_in_it() -> None:
    """An unknown block gets the nearest as a hint, and keeps its content."""
    scene = parse_scene(":::wehn n\nA.\n:::", "story.md")

    assert ["did you mean :::when?"] == [each.hint for each in scene.findings]
    [when] = scene.block
    assert isinstance(when, WhenElement)
    assert (SayElement(2, 1, 2, "", "A."),) == when.cases[0].block


def test_blocks_too_deep_are_reported_and_close_as_many_as_they_opened() -> None:
    """Blocks that are nested too deep are not opened, and their ends close nothing else."""
    text = ":::when n\n" * 42 + "A.\n" + ":::\n" * 42

    assert [("BLOCK_TOO_DEEP", 41, 1), ("BLOCK_TOO_DEEP", 42, 1)] == list_codes(text)
