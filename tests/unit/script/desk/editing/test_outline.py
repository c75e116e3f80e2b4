from saniwa.script.desk.editing.outline import Entry, outline
from saniwa.script.reading.markdown import read_scene


def test_sections_hold_their_labels_and_endings() -> None:
    """An outline has two levels, and every section ends where the next begins."""
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
        Entry("start", "label", 2, 13, 5, 2),
        Entry(
            "one",
            "section",
            4,
            4,
            3,
            9,
            (
                Entry("early", "ending", 6, 3, 1, 6),
                Entry("side", "label", 7, 10, 4, 9),
            ),
        ),
        Entry(
            "二つ目", "section", 10, 4, 3, 12, (Entry("Late", "ending", 11, 1, 1, 11),)
        ),
    ) == outline(read_scene(text, "a.md"))


def test_nothing_has_no_outline() -> None:
    """A file without sections lists nothing."""
    assert () == outline(read_scene("Hello.\n", "a.md"))
