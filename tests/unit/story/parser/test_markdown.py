from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.story.elements import (
    AssignElement,
    ChoiceElement,
    EndingElement,
    JumpElement,
    LabelElement,
    PauseElement,
    PictureElement,
    SayElement,
    WhenElement,
)
from saniwa.story.parser.markdown import LARGEST, MOST, parse_scene
from tests.fakes.scenes import parse_block
from tests.fakes.stories import LAMP


def _list_codes(text: str) -> list[tuple[str, int, int]]:
    findings = parse_scene(text, "story.md").findings
    return [(each.code, each.where.line, each.where.column) for each in findings]


def test_the_sample_of_the_dialect_is_read_whole() -> None:
    """The sample of the dialect has all elements in order, and no findings."""
    scene = parse_scene(LAMP, "bridge.md")

    assert [
        (PictureElement, 6),
        (LabelElement, 7),
        (SayElement, 8),
        (SayElement, 9),
        (AssignElement, 10),
        (ChoiceElement, 11),
        (JumpElement, 17),
        (WhenElement, 18),
        (JumpElement, 21),
        (LabelElement, 22),
        (SayElement, 23),
        (LabelElement, 24),
        (SayElement, 25),
        (EndingElement, 25),
    ] == [(type(each), each.line) for each in scene.block]
    assert () == scene.findings
    assert ("bridge", "The lamp keeper") == (scene.front.id, scene.title)


def test_the_first_script_of_the_origin_is_read() -> None:
    """The original format's first sample is parsed, with text on the line after a command."""
    text = "[SAY speaker=Hero]\nHello, world!\n\n[WAIT 1s]\n\n[SAY speaker=Hero]\nGoodbye!"

    assert (
        SayElement(1, 1, 2, "Hero", "Hello, world!", old="SAY"),
        PauseElement(4, 1, 4, 1.0),
        SayElement(6, 1, 7, "Hero", "Goodbye!", old="SAY"),
    ) == parse_block(text)


def test_the_second_script_of_the_origin_is_read() -> None:
    """The original format's second sample is parsed, with a branch and labels."""
    text = (
        "[SAY speaker=A]\nWhich way?\n\n[BRANCH choice=Left label=l, choice=Right label=r]\n"
        "\n[LABEL name=l]\n[SAY speaker=A]\nLeft.\n\n[LABEL name=r]\n[SAY speaker=A]\nRight.\n"
    )

    kinds = [type(each) for each in parse_block(text)]

    assert [SayElement, ChoiceElement, LabelElement, SayElement, LabelElement, SayElement] == kinds


def test_headings_are_titles_and_targets() -> None:
    """The first heading is the title, and sections and scenes are labels."""
    scene = parse_scene("# Rain\n## 橋の上 ##\n# scene: next one\n", "story.md")

    assert "Rain" == scene.title
    assert (
        LabelElement(2, 1, 2, "橋の上", "section", 4),
        LabelElement(3, 1, 3, "next one", "scene", 10),
    ) == scene.block


def test_the_front_matter_may_give_the_title() -> None:
    """The front matter may give the title."""
    assert "Rain" == parse_scene("---\ntitle: Rain\n---\nHello.", "story.md").title


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (("HEADING_DEEP", 1, 1), "### deep"),
        (("HEADING_EMPTY", 1, 1), "##"),
        (("HEADING_EMPTY", 2, 1), "A.\n## ##"),
        (("TITLE_REPEATED", 2, 1), "# One\n# Two"),
        (("MARKDOWN_UNSUPPORTED", 2, 1), "A.\n```\n[FOO]\n```\nB."),
        (("MARKDOWN_UNSUPPORTED", 1, 1), "> A.\n> B."),
        (("MARKDOWN_UNSUPPORTED", 1, 1), "| a | b |\n|---|---|\n| c | d |"),
        (("MARKDOWN_UNSUPPORTED", 1, 1), "![rain](rain.png)"),
        (("MARKDOWN_UNSUPPORTED", 1, 4), "So ![rain](rain.png)"),
        (("MARKDOWN_UNSUPPORTED", 2, 1), "Title\n====="),
        (("MARKDOWN_UNSUPPORTED", 2, 1), "Title\n---"),
        (("MARKDOWN_UNSUPPORTED", 1, 1), "##cramped"),
    ],
)
def test_markdown_that_means_nothing_here_is_reported_once(
    expected: tuple[str, int, int], text: str
) -> None:
    """Markdown without a meaning in a story is one warning with a hint."""
    scene = parse_scene(text, "story.md")

    assert [expected] == _list_codes(text)
    assert ["warning"] == [each.severity for each in scene.findings]
    assert all(each.hint for each in scene.findings)


def test_markdown_outside_the_format_is_shown_as_text_or_skipped() -> None:
    """Quotes and tables are text, code is skipped, and deep headings are labels."""
    assert (SayElement(1, 3, 2, "", "A.\nB."),) == parse_block("> A.\n> B.")
    assert (SayElement(1, 1, 1, "", "| a | b |"),) == parse_block("| a | b |")
    assert () == parse_block("```\nx\n```")
    assert (LabelElement(1, 1, 1, "deep", "section", 5),) == parse_block("### deep")


@pytest.mark.parametrize("rule", ["---", "***", "___", "- - -", "-----"])
def test_a_rule_is_a_pause_for_the_eye(rule: str) -> None:
    """A horizontal rule separates lines, and shows nothing."""
    assert (SayElement(1, 1, 1, "", "A."), SayElement(5, 1, 5, "", "B.")) == parse_block(
        f"A.\n\n{rule}\n\nB."
    )
    assert [] == _list_codes(f"A.\n\n{rule}\n\nB.")


def test_code_without_end_is_reported_and_the_story_read() -> None:
    """Code without an end is a finding, and the text after it is kept."""
    assert [("BLOCK_UNCLOSED", 1), ("MARKDOWN_UNSUPPORTED", 1)] == sorted(
        (code, line) for code, line, _ in _list_codes("```\nA.")
    )
    assert (SayElement(2, 1, 2, "", "A."),) == parse_block("```\nA.")


def test_a_line_may_be_escaped() -> None:
    """A backslash makes a mark into text."""
    assert (SayElement(1, 1, 1, "", "[WAIT 1] is a command."),) == parse_block(
        r"\[WAIT 1] is a command."
    )


def test_old_notation_is_reported_once_a_kind() -> None:
    """Each kind of outdated notation is one finding at its first place, with the count."""
    text = "# scene: a\n[SAY speaker=A] x\n[SAY speaker=A] y\n[c] z\n[JUMP label=a]\n"
    findings = parse_scene(text, "story.md").findings

    assert [("# scene:", 1, 1), ("SAY", 2, 2), ("[c]", 1, 4), ("JUMP", 1, 5)] == [
        (each.details["kind"], each.details["count"], each.where.line) for each in findings
    ]
    assert ["note", "note", "warning", "note"] == [each.severity for each in findings]
    assert {"OLD_NOTATION"} == {each.code for each in findings}


def test_a_line_too_long_is_reported_and_left_out() -> None:
    """A line that is too long is a finding, and the rest is parsed."""
    scene = parse_scene("x" * 100_001 + "\nA.", "story.md")

    assert ["LINE_TOO_LONG"] == [each.code for each in scene.findings]
    assert (SayElement(2, 1, 2, "", "A."),) == scene.block


def test_a_story_too_large_is_reported() -> None:
    """A story with too many characters or elements is a finding."""
    letters = parse_scene("x" * (LARGEST + 1), "story.md")
    elements = parse_scene("## a\n" * (MOST + 10), "story.md")

    assert ["STORY_TOO_LARGE"] == [each.code for each in letters.findings]
    assert ["STORY_TOO_LARGE"] == [each.code for each in elements.findings]
    assert MOST + 1 == len(elements.block)


def test_an_empty_story_is_empty() -> None:
    """An empty story has no findings."""
    scene = parse_scene("\ufeff", "story.md")

    assert ((), ()) == (scene.block, scene.findings)


_PIECES = st.sampled_from(
    [
        "---\n",
        "id: x\n",
        "\n",
        "  ",
        "\t",
        "- ",
        "1. ",
        "# ",
        "## ",
        "### x",
        "# scene: q",
        "[SAY speaker=A]",
        " text",
        "Ben: ",
        "太郎：",
        "[c]",
        "[x](#y)",
        "{if a}",
        "{do take}",
        "{once}",
        "{ask}",
        "{#i .t}",
        "{a&b}",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        '"',
        "=",
        "[SET a=1]",
        "[SET a+=",
        "[IF flag=a]",
        "[ELSE]",
        "[ENDIF]",
        "[BRANCH choice=a label=b, choice=c]",
        "[JUMP_IF a>1 label=q]",
        "[DO x]",
        "[ASK name=n]",
        ":::when a",
        ":::else",
        ":::",
        ":::route r",
        ":::choices",
        ":::flag",
        ":::vars a=1",
        ":::do take",
        ":::refused",
        ":::wat",
        "<!--",
        "-->",
        "<!-- ending: e -->",
        "```",
        "> q",
        "![a](b)",
        "===",
        "\\",
        "@r",
        "[FOO]",
        "[END]",
        "\u2028",
        "\u3000",
        "\r",
        "\x00",
    ]
)


@given(st.lists(_PIECES | st.text(max_size=5), max_size=40).map("".join))
def test_every_text_is_a_scene(text: str) -> None:
    """Any text is parsed, and every finding is inside the file."""
    scene = parse_scene(text, "story.md")
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")

    for finding in scene.findings:
        assert 1 <= finding.where.line <= len(lines)
        assert 1 <= finding.where.column <= len(lines[finding.where.line - 1]) + 1
    for element in scene.block:
        assert 1 <= element.line <= element.last <= len(lines)


@given(st.lists(_PIECES, max_size=20).map("\n".join))
def test_reading_twice_gives_the_same(text: str) -> None:
    """The same text always gives the same scene."""
    assert parse_scene(text, "story.md") == parse_scene(text, "story.md")


@pytest.mark.parametrize(
    "text",
    [
        ":::when x\n" * 100_000,
        ":::choices\n- a @b\n" * 50_000,
        "[IF flag=x]\n" * 50_000,
        "[" * 100_000,
        "x [a](" * 16_000,
        "[FOO]\n" * 100_000,
        "<!-- a\n" * 100_000,
        "- a\n" * 100_000,
        "\n".join(" " * n + "- a" for n in range(1_000)),
        "```\n" * 100_000,
        "hello [c] there\n" * 100_000,
        ":::\n" * 100_000,
        "{" * 100_000,
        '[EVENT "' * 12_000,
        "[EVENT a" + " " * 90_000 + "b]",
        "> " * 50_000,
        "* " * 50_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_no_text_takes_long(text: str) -> None:
    """Any text is parsed in linear time."""
    begin = perf_counter()

    parse_scene(text, "story.md")

    assert perf_counter() - begin < 20
