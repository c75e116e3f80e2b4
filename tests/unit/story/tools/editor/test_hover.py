from pathlib import Path

import pytest

from saniwa.story.story import parse_story, read_story
from saniwa.story.tools.hover import HoverText, build_hover
from saniwa.story.tools.mention_index import MentionIndex
from saniwa.story.value_operations import FUNCTIONS

STORY = """\
---
id: bridge
vars: {met: false}
cast: [Ben]
---
## bridge
Ben: *You* `again`?
{met: Hm.|Hm?} {visits("bridge")} {chosen("lamp")}
[SET met = true]
- Ask {#lamp}
  [SHOW_IMAGE file=rain]
- [On](#bridge)
"""


def _render_hover(line: int, column: int, text: str = STORY) -> str:
    told = build_hover(
        MentionIndex(parse_story(text, "dir/story.md")), "dir/story.md", line, column
    )
    return told.text if told else ""


@pytest.mark.parametrize(
    ("line", "column", "parts"),
    [
        pytest.param(
            12,
            10,
            [
                "label `bridge` · story.md:6",
                "named in story.md:8, story.md:12",
                r"> Ben: \*You\* \`again\`?",
            ],
            id="label",
        ),
        pytest.param(
            8,
            3,
            [
                "variable `met` · true or false, at first `false`",
                "declared in story.md:3",
                "set in story.md:9",
                "read in story.md:8",
            ],
            id="variable",
        ),
        pytest.param(7, 1, ["speaker `Ben` · 1 line", "declared in story.md:4"], id="speaker"),
        pytest.param(
            8, 17, ['`visits("label")`', "how often the label was reached"], id="function"
        ),
        pytest.param(8, 44, ["option `lamp` · story.md:10"], id="option"),
        pytest.param(11, 22, ["image `rain` · no such file"], id="asset"),
        pytest.param(8, 11, [], id="words"),
    ],
)
def test_each_kind_of_name_shows_its_own(line: int, column: int, parts: list[str]) -> None:
    """Each kind of name has its own few lines of description, and plain words have none."""
    assert "\n\n".join(parts) == _render_hover(line, column)


def test_a_command_shows_its_parameters() -> None:
    """A command's description has its parameters."""
    told = _render_hover(11, 8)

    assert told.startswith("`[SHOW_IMAGE file=… layer=…]`\n\nshows a picture")
    assert "- `file` (needed): " in told


def test_the_letters_meant_come_with_it() -> None:
    """The description has the range it is about."""
    told = build_hover(MentionIndex(parse_story(STORY, "a.md")), "a.md", 9, 6)

    assert isinstance(told, HoverText)
    assert (9, 6, 3) == (told.line, told.column, told.length)


def test_what_is_used_often_is_not_listed_whole() -> None:
    """Of many uses, the first few are listed and the rest counted."""
    text = "## a\nHi.\n" + "- [x](#a)\n" * 9

    assert "a.md:7 and 4 more" in render_first_hover(text)


def render_first_hover(text: str) -> str:
    """The description of the label in the first line."""
    told = build_hover(MentionIndex(parse_story(text, "a.md")), "a.md", 1, 4)
    return told.text if told else ""


def test_a_label_without_links_says_so() -> None:
    """A label without links is described as such."""
    assert "label `a` · a.md:1\n\nno link leads here" == render_first_hover("## a\n## b\nHi.\n")


def test_a_file_and_an_asset_are_reported(tmp_path: Path) -> None:
    """A link to a file shows its title, and a picture its file."""
    (tmp_path / "art" / "images").mkdir(parents=True)
    (tmp_path / "art" / "images" / "rain.png").touch()
    (tmp_path / "b.md").write_text("# The * *end*\nBye.\n", encoding="utf-8")
    first = tmp_path / "a.md"
    first.write_text(
        "---\nid: a\nassets: art\n---\n[SHOW_IMAGE file=rain]\nHi.\n[on](b.md)\n", encoding="utf-8"
    )
    names = MentionIndex(read_story(first))

    told = [build_hover(names, str(first), *place) for place in ((5, 19), (7, 7))]

    assert [r"image `rain` · `images/rain.png`", r"file `b.md` · The \* end"] == [
        each.text for each in told if each
    ]


def test_every_function_has_a_signature() -> None:
    """Every function has an example and a description."""
    assert all(
        function.example.startswith(f"{name}(") and function.about
        for name, function in FUNCTIONS.items()
    )
