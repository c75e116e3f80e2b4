from saniwa.story.parser.markdown import parse_scene
from saniwa.story.tools.overview import OutlineEntry, build_outline


def test_sections_hold_their_labels_and_endings() -> None:
    """An outline has sections with their labels and endings, up to the next section."""
    text = """\
# Title
[LABEL name=start]
Hi.
## one
- a
  <!-- ending: early -->
:::route side
Hm.
:::
## 二つ目
[ENDING id=late name="Late"]
"""

    assert (
        OutlineEntry("start", "label", 2, 13, 5, 2),
        OutlineEntry(
            "one",
            "section",
            4,
            4,
            3,
            9,
            (
                OutlineEntry("early", "ending", 6, 3, 1, 6),
                OutlineEntry("side", "label", 7, 10, 4, 9),
            ),
        ),
        OutlineEntry(
            "二つ目", "section", 10, 4, 3, 12, (OutlineEntry("Late", "ending", 11, 1, 1, 11),)
        ),
    ) == build_outline(parse_scene(text, "a.md"))


def test_nothing_has_no_outline() -> None:
    """A file without sections has an empty outline."""
    assert () == build_outline(parse_scene("Hello.\n", "a.md"))
