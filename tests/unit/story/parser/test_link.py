import pytest

from saniwa.story.elements import ChoiceElement, JumpElement, LinkTarget, SayElement
from saniwa.story.parser.markdown import parse_scene


def _parse_jump(text: str) -> JumpElement:
    [jump] = parse_scene(text, "story.md").block
    assert isinstance(jump, JumpElement)
    return jump


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (LinkTarget("street", "", 1, 7), "[on](#street)"),
        (LinkTarget("", "b.md", 1, 6), "[on](b.md)"),
        (LinkTarget("street", "b.md", 1, 11), "[on](b.md#street)"),
        (LinkTarget("入口", "", 1, 7), "[先]( #入口)"),
        (LinkTarget("入口", "", 1, 6), "[先](#%E5%85%A5%E5%8F%A3)"),
        (LinkTarget("a", "my file.md", 1, 17), "[x](<my file.md#a>)"),
        (LinkTarget("%zz", "", 1, 6), "[x](#%zz)"),
        (LinkTarget("a", "", 1, 10), "[a [b]](#a)"),
    ],
)
def test_a_link_alone_is_a_jump(expected: LinkTarget, text: str) -> None:
    """A link alone on a line is a jump to a label, a file, or a label in a file."""
    assert expected == _parse_jump(text).target


@pytest.mark.parametrize("title", ['"call"', "'call'", '"Call"'])
def test_the_title_call_makes_a_call(title: str) -> None:
    """The link title "call" makes a call."""
    assert _parse_jump(f"[the map](#map {title})").call


def test_another_title_is_reported() -> None:
    """Another link title is a warning."""
    scene = parse_scene('[the map](#map "cal")', "story.md")

    assert [("PARAMETER_MALFORMED", "warning", 16)] == [
        (each.code, each.severity, each.where.column) for each in scene.findings
    ]
    assert not _parse_jump('[the map](#map "cal")').call


def test_a_link_out_of_the_story_stays_text() -> None:
    """A link to the web stays text."""
    scene = parse_scene("[site](https://example.org/)", "story.md")

    assert (SayElement(1, 1, 1, "", "[site](https://example.org/)"),) == scene.block
    assert ["LINK_IN_SENTENCE"] == [each.code for each in scene.findings]


@pytest.mark.parametrize(
    ("label", "call", "text"),
    [
        ("My Place", False, "[x](#My Place)"),
        ("My Place", True, '[x](#My Place "call")'),
        ("My Place", True, "[WAIT 1s] [x]( #My Place 'call' )"),
    ],
)
def test_a_label_may_be_named_as_it_is_written(label: str, call: bool, text: str) -> None:
    """The label in a link may contain spaces."""
    jump = parse_scene(text, "story.md").block[-1]
    [choice] = parse_scene(f"- {text[text.index('[x]') :]}", "story.md").block

    assert isinstance(jump, JumpElement)
    assert isinstance(choice, ChoiceElement)
    target = choice.options[0].target
    assert target is not None
    assert (label, call) == (jump.target.label, jump.call)
    assert (label, call) == (target.label, choice.options[0].call)
    assert text[jump.target.column - 1 :].startswith(label)
