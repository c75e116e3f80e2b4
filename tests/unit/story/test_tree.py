"""Walking visits every element, in reading order."""

from saniwa.story.elements import (
    Block,
    ChoiceElement,
    LabelElement,
    SayElement,
    WhenCase,
    WhenElement,
    list_expressions,
    list_labels,
    list_targets,
    walk_elements,
)
from saniwa.story.parser.markdown import parse_scene

NESTED = """\
# T
one {a}
- [x](#end) {if b}
- stay {show if c} {do take the {d}}
  two
  :::when e
  three
  - [y](#end "call")
  :::else
  four
  :::
  :::refused
  five
  :::
:::route side
[SET n = f + 1]
six
:::
[LABEL name=last]
[go](other.md#end)
## end
seven
"""


def _parse_block(text: str) -> Block:
    return parse_scene(text, "story.md").block


def _list_said(block: Block) -> list[object]:
    words = [e.words for e in walk_elements(block) if isinstance(e, SayElement)]
    return [w if isinstance(w, str) else w.source for w in words]


def test_every_element_comes_in_reading_order() -> None:
    """Elements inside another come after it and before the next one."""
    expected = ["one {a}", "two", "three", "four", "five", "six", "seven"]

    assert expected == _list_said(_parse_block(NESTED))


def test_both_outcomes_of_a_deed_are_walked() -> None:
    """The lines for success come before those for a refusal."""
    text = ":::do take key\none\n:::refused\ntwo\n:::\n"

    assert ["one", "two"] == _list_said(_parse_block(text))


def test_labels_of_routes_are_labels() -> None:
    """The name of a route is listed among the labels, in order."""
    assert ["side", "last", "end"] == [each.name for each in list_labels(_parse_block(NESTED))]


def test_a_label_of_a_route_is_no_element() -> None:
    """The label of a route is not an element of its own."""
    names = [e.name for e in walk_elements(_parse_block(NESTED)) if isinstance(e, LabelElement)]

    assert ["last", "end"] == names


def test_options_come_from_every_depth() -> None:
    """Nested options come after those of the list around them."""
    choices = [e for e in walk_elements(_parse_block(NESTED)) if isinstance(e, ChoiceElement)]

    assert ["x", "stay", "y"] == [str(o.words) for each in choices for o in each.options]


def test_targets_are_those_of_options_jumps_and_calls() -> None:
    """The targets are those of options, jumps and calls, with their files."""
    found = [(each.file, each.label) for each in list_targets(_parse_block(NESTED))]

    assert [("", "end"), ("", "end"), ("other.md", "end")] == found


def test_expressions_come_from_words_conditions_and_assignments() -> None:
    """Expressions in texts, options, actions and conditions are all listed."""
    found = [each.source for each in list_expressions(_parse_block(NESTED))]

    assert ["a", "b", "c", "d", "e", "f + 1"] == found


def test_depth_costs_no_recursion() -> None:
    """Elements nested deeper than the stack are visited too."""
    block: Block = (SayElement(1, 1, 1, "", "deep"),)
    for _ in range(5_000):
        block = (WhenElement(1, 1, 1, (WhenCase(1, 1, 1, None, block),)),)

    assert 5_001 == sum(1 for _ in walk_elements(block))
