"""Emphasis in a text: what the reader sees, and the spans that the host gets."""

import pytest

from saniwa.story.player import Player
from saniwa.story.step_result import Say
from saniwa.story.story import parse_story

Span = tuple[int, int, str]


def _read_first_line(text: str) -> tuple[str, list[Span]]:
    """The first line of a story, with its spans."""
    [said] = Player(parse_story(text).program).step().directives
    assert isinstance(said, Say)
    return said.args.text, [(s.start, s.end, s.kind) for s in said.args.spans or ()]


@pytest.mark.parametrize(
    ("written", "text", "spans"),
    [
        ("It was *very* late.", "It was very late.", [(7, 11, "emphasis")]),
        ("**Stop!** he said.", "Stop! he said.", [(0, 5, "strong")]),
        ("Type `ls *` now.", "Type ls * now.", [(5, 9, "code")]),
        ("``a`b`` c", "a`b c", [(0, 3, "code")]),
        ("***both***", "both", [(0, 4, "emphasis"), (0, 4, "strong")]),
        ("**a *b* c**", "a b c", [(0, 5, "strong"), (2, 3, "emphasis")]),
        ("*a **b** c*", "a b c", [(0, 5, "emphasis"), (2, 3, "strong")]),
        ("これは**「重要」**です。", "これは「重要」です。", [(3, 7, "strong")]),
        ("私は*とても*眠い。", "私はとても眠い。", [(2, 5, "emphasis")]),
        ("**強調*の*中**", "強調の中", [(0, 4, "strong"), (2, 3, "emphasis")]),
        ("🙂 *😀* x", "🙂 😀 x", [(2, 3, "emphasis")]),
        ("Two *lines\n  of* text", "Two lines\nof text", [(4, 12, "emphasis")]),
        ("(*sigh*)", "(sigh)", [(1, 5, "emphasis")]),
        ("Ben: *Hi*, you.", "Hi, you.", [(0, 2, "emphasis")]),
        ("[SAY speaker=Ben] *Hi*", "Hi", [(0, 2, "emphasis")]),
    ],
)
def test_marks_become_spans(written: str, text: str, spans: list[Span]) -> None:
    """The text has no markup, and every mark is a span, the outer one first."""
    assert (text, spans) == _read_first_line(written)


@pytest.mark.parametrize(
    "text",
    [
        "5 * 3 = 15",
        "5*3*2 = 30",
        "２*３*４",
        "2 * 3 * 4",
        "sh*t and d*mn",
        "f*** and s***.",
        "Price 5* and 6*",
        "*Terms apply",
        "**open",
        "a ** b ** c",
        "`no' and `yes'",
        "don`t and can`t",
        "(*^_^*) hello (*^_^*)",
        "(*´ω`*) and (*´ω`*)",
        "（*'▽'*）",
        "(*ノωノ) and (*ノωノ)",
        "a_b_c and _d_",
        "`one",
    ],
)
def test_lone_signs_stay_in_the_text(text: str) -> None:
    """A mark without a partner, in a sum, a word or an emoticon, is shown as it is."""
    assert (text, []) == _read_first_line(text)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"a \*b\* c", "a *b* c"),
        (r"\*b\*", "*b*"),
        (r"\`b\`", "`b`"),
        (r"*a\*", "*a*"),
        (r"\**a*\*", "*a*"),
    ],
)
def test_a_backslash_keeps_the_sign(written: str, text: str) -> None:
    """An escaped mark is text, and begins and ends nothing."""
    assert text == _read_first_line(written)[0]


@pytest.mark.parametrize(
    ("line", "text", "spans"),
    [
        ("*{n} men*", "2 men", [(0, 5, "emphasis")]),
        ("{n > 1: *many*|few} men", "many men", [(0, 4, "emphasis")]),
        ("*{n > 1: ma*ny|few}", "*ma*ny", []),
        ("a {~*b*} c", "a b c", [(2, 3, "emphasis")]),
        ("a *{n < 1: b}* c", "a  c", []),
        ("{who} *x*", "*A* x", [(4, 5, "emphasis")]),
        ("{n < 1: gone}\n*a*", "a", [(0, 1, "emphasis")]),
        ("*a\n{n < 1: gone}\nb* c", "a\nb c", [(0, 3, "emphasis")]),
    ],
)
def test_marks_and_braces(line: str, text: str, spans: list[Span]) -> None:
    """A pair of marks must be in one text: around braces, or within one side of them."""
    front = '---\nid: a\nvars: {n: 2, who: "*A*"}\n---\n'

    assert (text, spans) == _read_first_line(front + line)


def test_choices_and_questions_are_plain() -> None:
    """Choices and questions are shown without marks."""
    story = parse_story("- Take the *red* one\n  So.\n- [`Blue`](#x)\n\n## x\nY.\n")
    [branch] = Player(story.program).step().to_document()["directives"]

    assert {"choices": ["Take the red one", "Blue"]} == branch["args"]


def test_a_line_keeps_its_made_id() -> None:
    """A generated id is that of the text as written, with its marks."""
    [said] = Player(parse_story("It *was*.\n").program, annotate=True).step().directives

    assert isinstance(said, Say)
    assert "2bec3cbe" == said.args.id


def test_many_signs_are_read_in_bounded_work() -> None:
    """Many nested marks are read in linear time."""
    many = 20_000
    text, spans = _read_first_line("*" * many + "x" + "*" * many)

    assert ("x", many // 2) == (text, len(spans))
    assert ("*a " * many).strip() == _read_first_line("*a " * many)[0]


@pytest.mark.parametrize(
    ("written", "title"),
    [("The *old* lamp", "The old lamp"), ("5 * 3", "5 * 3"), ("{n} *x*", "{n} *x*")],
)
def test_a_title_is_plain(written: str, title: str) -> None:
    """A story's title is shown without marks."""
    assert title == parse_story(f"# {written}\nHi.\n").title
