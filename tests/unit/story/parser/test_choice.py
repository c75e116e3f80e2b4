import pytest

from saniwa.story.elements import (
    AssignElement,
    ChoiceElement,
    ChoiceOption,
    JumpElement,
    LinkTarget,
    SayElement,
)
from saniwa.story.parser.markdown import parse_scene


def _parse_choice(text: str) -> ChoiceElement:
    [choice] = parse_scene(text, "story.md").block
    assert isinstance(choice, ChoiceElement)
    return choice


def _parse_option(text: str) -> ChoiceOption:
    [option] = _parse_choice(text).options
    return option


def _list_codes(text: str) -> list[tuple[str, int, int]]:
    findings = parse_scene(text, "story.md").findings
    return [(each.code, each.where.line, each.where.column) for each in findings]


def test_a_list_of_links_is_a_choice() -> None:
    """Each item of a list of links is an option with its target."""
    choice = _parse_choice("- [Left](#left)\n- [Right](b.md#right)\n")

    assert (
        ChoiceElement(
            1,
            1,
            2,
            (
                ChoiceOption(1, 1, 1, "Left", LinkTarget("left", "", 1, 11)),
                ChoiceOption(2, 1, 2, "Right", LinkTarget("right", "b.md", 2, 16)),
            ),
        )
        == choice
    )


@pytest.mark.parametrize("mark", ["-", "*", "+", "1.", "12)"])
def test_every_list_is_a_choice(mark: str) -> None:
    """Bulleted and numbered lists are choices."""
    assert "Left" == _parse_option(f"{mark} [Left](#left)").words


def test_indented_lines_are_an_arm_and_the_list_continues_after_it() -> None:
    """Lines indented under an item belong to it, also after blank lines."""
    choice = _parse_choice("- A\n  Ben: Yes.\n\n  More.\n- B\n  [back](#b)")
    a, b = choice.options

    assert (SayElement(2, 3, 2, "Ben", "Yes."), SayElement(4, 3, 4, "", "More.")) == a.arm
    assert (JumpElement(6, 3, 6, LinkTarget("b", "", 6, 11)),) == b.arm
    assert (4, 6, 6) == (a.last, b.last, choice.last)


def test_arms_meet_after_the_list() -> None:
    """A line without indentation ends the list."""
    choice, say = parse_scene("- A\n  Yes.\nAfter.", "story.md").block

    assert isinstance(choice, ChoiceElement)
    assert SayElement(3, 1, 3, "", "After.") == say


def test_lists_nest() -> None:
    """A list under an item is a nested choice, and the item continues after it."""
    [option] = _parse_choice("- A\n  - [x](#x)\n  - [y](#y)\n  So.\n").options
    inner, say = option.arm

    assert isinstance(inner, ChoiceElement)
    assert ["x", "y"] == [each.words for each in inner.options]
    assert SayElement(4, 3, 4, "", "So.") == say


def test_a_list_continues_after_a_nested_one() -> None:
    """After a nested list, the outer list continues."""
    choice = _parse_choice("- A\n  - B\n    - C\n      deep\n- D\n  x")

    assert ["A", "D"] == [each.words for each in choice.options]


def test_a_tab_is_an_indent() -> None:
    """A tab counts as indentation."""
    assert 1 == len(_parse_option("- A\n\tBen: Yes.").arm)


def test_what_an_item_may_carry() -> None:
    """Groups at the end of an item give its condition, marks, action, id, tags and values."""
    option = _parse_option("- Take it {once} {if a} {show if b} {do take key} {#t .x v=1}")

    assert ("Take it", True, "take key", "t", ("x",), (("v", "1"),)) == (
        option.words,
        option.once,
        option.deed,
        option.id,
        option.tags,
        option.values,
    )
    assert ("a", "b") == (
        option.only_if and option.only_if.source,
        option.enabled_if and option.enabled_if.source,
    )


def test_an_item_may_be_a_fallback_or_a_question() -> None:
    """`{else}` marks the fallback, and `{ask}` takes free words."""
    assert _parse_option("- [Walk on](#street) {else}").fallback
    assert _parse_option("- Say something {ask}").ask


def test_an_item_may_call() -> None:
    """The link title "call" makes a call."""
    assert _parse_option('- [the map](#map "call")').call


def test_what_happens_when_a_deed_is_refused_is_in_the_arm() -> None:
    """An item with an action may have lines for success and for a refusal."""
    option = _parse_option("- Take it {do take key}\n  Good.\n  :::refused\n  No.\n  :::\n")

    assert (SayElement(2, 3, 2, "", "Good."),) == option.arm
    assert (SayElement(4, 3, 4, "", "No."),) == option.refused
    assert 5 == option.last


def test_words_of_an_item_may_vary() -> None:
    """The text of a link may have variables."""
    assert not isinstance(_parse_option("- [Give {n} coins](#a)").words, str)


@pytest.mark.parametrize(
    "text", ["- [a](#b)", "- a\n  b", "- a {do wait}", "- a {ask}", "- a\n  [SET n = 1]"]
)
def test_an_item_that_does_something_is_fine(text: str) -> None:
    """An item needs a target, lines, an action or a question."""
    assert [] == _list_codes(text)


def test_a_link_among_other_words_is_reported() -> None:
    """A link among other words of an item is a warning."""
    found = _list_codes("- go [home](#home)\n  x")

    assert [("LINK_IN_SENTENCE", 1, 6)] == found


def test_too_many_options_are_reported_once_and_left_out() -> None:
    """Options after the five hundredth are dropped, with one finding."""
    scene = parse_scene("- [a](#b)\n" * 600, "story.md")
    [choice] = scene.block

    assert isinstance(choice, ChoiceElement)
    assert 500 == len(choice.options)
    assert [("OPTIONS_TOO_MANY", 501)] == [(each.code, each.where.line) for each in scene.findings]


def test_lists_too_deep_are_reported() -> None:
    """Lists that are nested too deep are a finding."""
    deep = "\n".join("  " * n + "- a" for n in range(60))

    assert ("BLOCK_TOO_DEEP", 41, 81) in _list_codes(deep)


def test_commands_work_in_arms() -> None:
    """Indented commands belong to the item."""
    [assign] = _parse_option("- A\n  [SET n += 1]").arm

    assert isinstance(assign, AssignElement)
    assert (2, 3, "n", 8) == (assign.line, assign.column, assign.name, assign.name_column)


@pytest.mark.parametrize(
    "between",
    [
        "---",
        "***",
        "Text.",
        "<!-- a note -->",
        "<!-- a note\nof two lines -->",
        "```\ncode\n```",
        "![a picture](x.png)",
        "[WAIT 1s]",
    ],
)
@pytest.mark.parametrize("blank", ["", "\n"])
def test_anything_between_two_lists_makes_them_two(between: str, blank: str) -> None:
    """Two lists are one choice only if just blank lines separate them."""
    items = "- [A](#a)\n- [B](#b)\n"
    block = parse_scene(items + blank + between + "\n" + blank + items, "s.md").block

    assert [2, 2] == [len(each.options) for each in block if isinstance(each, ChoiceElement)]


@pytest.mark.parametrize("between", ["---", "<!-- a note -->", ""])
def test_a_line_inside_an_arm_leaves_its_list_whole(between: str) -> None:
    """An indented line under an item does not split the list."""
    choice = _parse_choice(f"- A\n  So.\n\n  {between}\n\n  On.\n- B\n  No.\n")

    assert [2, 1] == [len(option.arm) for option in choice.options]


def test_a_comment_among_items_is_reported() -> None:
    """A comment that splits a list is a warning."""
    items = "- [A](#a)\n- [B](#b)\n"

    assert [("LIST_BROKEN", 3, 1)] == _list_codes(f"{items}<!-- a note -->\n{items}")
    assert [] == _list_codes(f"{items}\n<!-- a note -->\n\n{items}")
