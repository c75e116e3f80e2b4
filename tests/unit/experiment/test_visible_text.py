import pytest
from markdown_it import MarkdownIt

from saniwa.experiment.output.output_folder import escape_markdown, make_visible, make_visible_line

_ATTACKS = [
    "<script>alert(1)</script>",
    "**bold** _thin_ `code` ~~gone~~",
    "[link](http://x.example) ![p](x) <http://x.example>",
    "http://x.example and www.x.example and a@b.example",
    "WWW.x.example",
    "| a | b |",
    "&lt;b&gt; &amp; \\* \\\\",
    "# head #",
    "$x$ @everybody ==mark==",
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("マグ　カップ", "マグ　カップ"),
        ("👩‍🍳", "👩‍🍳"),
        ("a\u202eb", "a\\u202eb"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\r\nb\rc", "a\nb\\rc"),
        ("\ta", "    a"),
    ],
)
def test_what_cannot_be_seen_is_made_visible(text: str, expected: str) -> None:
    """Direction marks and escapes are shown; Japanese spaces and emoji are kept."""
    assert expected == make_visible(text)


@pytest.mark.parametrize("end", ["\n", "\r\n\r\n", "\u2028", "\x85", "\t", " \n ", "\r"])
def test_words_stay_on_their_line(end: str) -> None:
    """A line end becomes a space, so no text can start a line of a page."""
    assert "a - b" == make_visible_line(f"a{end}- b") == escape_markdown(f"a{end}- b")


@pytest.mark.parametrize("words", _ATTACKS)
def test_words_are_shown_letter_for_letter(words: str) -> None:
    """Text of any kind is shown literally."""
    parser = MarkdownIt("gfm-like", {"linkify": False})
    paragraph = parser.parse(f"said: {escape_markdown(words)}")[1]
    kinds = {child.type for child in paragraph.children or ()}
    shown = "".join(child.content for child in paragraph.children or ())
    assert (f"said: {words}", {"text"}) == (shown, kinds - {"text_special"})


def test_a_heading_keeps_its_last_letters() -> None:
    """Trailing hashes are kept as part of the heading."""
    heading = MarkdownIt().parse(f"# {escape_markdown('a #')}")[1]
    assert "a #" == "".join(child.content for child in heading.children or ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a|b", r"a\|b"),
        ("`a`", r"\`a\`"),
        ("*a* _b_", r"\*a\* \_b\_"),
        ("<script>", r"\<script>"),
        ("p < 0.001", "p < 0.001"),
        ("[a](b)", r"\[a\](b)"),
        ("a\nb", "a b"),
        ("http://a.b", "http&#58;//a.b"),
        ("@you", "&#64;you"),
        ("WWW.a", "WWW&#46;a"),
        ("&lt;", "&amp;lt;"),
        ("$x$", r"\$x\$"),
        ("\u202e", r"\\u202e"),
        ("\x1b[0m", r"\\x1b\[0m"),
        ("マグ　カップ", "マグ　カップ"),
    ],
)
def test_text_is_never_markup(text: str, expected: str) -> None:
    """Each character that has a meaning in Markdown is escaped."""
    assert expected == escape_markdown(text)
