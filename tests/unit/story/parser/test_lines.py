import pytest

from saniwa.story.elements import EndingElement, SayElement
from saniwa.story.parser.markdown import parse_scene
from tests.fakes.scenes import parse_block


def _list_codes(text: str) -> list[tuple[str, int, int]]:
    findings = parse_scene(text, "story.md").findings
    return [(each.code, each.where.line, each.where.column) for each in findings]


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("One two.", "One <!-- note --> two."),
        ("One.", "One. <!-- note -->"),
        ("One.", "<!-- note --> One."),
        ("One.", "<!-- a --><!-- b -->One.<!-- c -->"),
    ],
)
def test_comments_are_notes(expected: str, text: str) -> None:
    """Comments are not part of the text."""
    assert [expected] == [each.words for each in parse_block(text) if isinstance(each, SayElement)]


def test_a_comment_may_go_over_several_lines() -> None:
    """The text before and after a comment of several lines keeps its line numbers."""
    text = "One. <!-- a\n[WAIT 1]\n## b --> Two. {1 +}"

    assert ["One.", "Two. {1 +}"] == [
        each.words for each in parse_block(text) if isinstance(each, SayElement)
    ]
    assert [("EXPRESSION_MALFORMED", 3, 19)] == _list_codes(text)


@pytest.mark.parametrize(
    "text", ["<!-- ending: good -->", "<!--ending：good-->", "<!-- Ending:\ngood -->"]
)
def test_a_comment_may_be_an_ending(text: str) -> None:
    """A comment of one or several lines may be an ending."""
    assert (EndingElement(1, 1, 1, "good"),) == parse_block(text)


def test_an_ending_belongs_to_the_arm_it_is_indented_to() -> None:
    """An ending belongs to the item under which it is indented."""
    inside = parse_block("- A\n  x\n  <!-- ending: e -->\n")
    outside = parse_block("- A\n  x\n<!-- ending: e -->\n")

    assert (1, 2) == (len(inside), len(outside))


def test_an_ending_without_an_id_is_reported() -> None:
    """An ending without an id is a finding at the comment."""
    assert [("PARAMETER_MISSING", 1, 5)] == _list_codes("Bye <!-- ending: -->")


def test_a_comment_without_end_is_reported_and_the_story_read() -> None:
    """A comment without an end removes only the rest of its line."""
    text = "One. <!-- a\nTwo."

    assert [("COMMENT_UNCLOSED", 1, 6)] == _list_codes(text)
    assert (SayElement(1, 1, 2, "", "One.\nTwo."),) == parse_block(text)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_counts(end: str) -> None:
    """Every kind of line ending gives the same lines."""
    assert (SayElement(1, 1, 1, "", "One."), SayElement(3, 1, 3, "", "Two.")) == parse_block(
        f"One.{end}{end}Two.{end}"
    )


def test_other_separators_end_no_line() -> None:
    """U+2028 does not end a line."""
    assert (SayElement(1, 1, 1, "", "One.\u2028Two."),) == parse_block("One.\u2028Two.")
