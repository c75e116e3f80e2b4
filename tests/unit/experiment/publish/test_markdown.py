import pytest
from markdown_it import MarkdownIt

from saniwa.experiment.publish.markdown import as_text

_ATTACKS = [
    "<script>alert(1)</script>",
    "**bold** _thin_ `code` ~~gone~~",
    "[link](http://x.example) ![p](x) <http://x.example>",
    "http://x.example and www.x.example and a@b.example",
    "| a | b |",
    "&lt;b&gt; &amp; \\* \\\\",
    "# head",
    "$x$ @everybody ==mark==",
]


@pytest.mark.parametrize("words", _ATTACKS)
def test_words_are_shown_letter_for_letter(words: str) -> None:
    """Whatever somebody writes, a page shows the letters and nothing else."""
    parser = MarkdownIt("gfm-like", {"linkify": False})
    paragraph = parser.parse(f"said: {as_text(words, 600)}")[1]
    kinds = {child.type for child in paragraph.children or ()}
    shown = "".join(child.content for child in paragraph.children or ())
    assert (f"said: {words}", {"text"}) == (shown, kinds - {"text_special"})


@pytest.mark.parametrize("end", ["\n", "\r\n\r\n", "\u2028", "\x85", "\t", " \n "])
def test_words_stay_on_their_line(end: str) -> None:
    """A line end is a space: nobody's words begin a line of the page."""
    assert "a - b" == as_text(f"a{end}- b", 600)


def test_marks_that_turn_the_writing_are_shown_as_marks() -> None:
    """What is no letter cannot hide what follows it; joined emoji stay whole."""
    assert "a\ufffdb \ufffd\\[31m 👩\u200d👧" == as_text(
        "a\u202eb \x1b[31m 👩\u200d👧", 99
    )


def test_long_words_are_cut() -> None:
    """A page does not grow with one answer."""
    assert 600 == len(as_text("x" * 1_000_000, 600))


def test_halves_of_pairs_are_marked() -> None:
    """Every page can be encoded."""
    assert "a\ufffd" == as_text("a\ud800", 9)
