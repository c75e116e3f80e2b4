from saniwa.script.desk.editing.mending import is_old_notation, mendings
from saniwa.script.desk.editing.rename import applied
from saniwa.script.story import story_of

STORY = "## bridge\nHello.\n- [a](#brigde)\n- [b](#brdige)\n"


def test_a_finding_that_knows_its_cure_offers_it() -> None:
    """Applied, the cure gives the name that was meant."""
    found = list(mendings(story_of(STORY, "a.md"), "a.md", 1, 4))

    assert ["write 'bridge'"] * 2 == [each.title for each in found]
    assert STORY.replace("brigde", "bridge").replace("brdige", "bridge") == applied(
        STORY, [each.edit for each in found]
    )


def test_only_the_lines_asked_for_are_mended() -> None:
    """What stands in other lines or files is left out."""
    story = story_of(STORY, "a.md")

    assert [4] == [each.edit.line for each in mendings(story, "a.md", 4, 9)]
    assert [] == list(mendings(story, "b.md", 1, 9))


def test_old_notation_is_known_where_it_is_told() -> None:
    """The place of the finding decides."""
    story = story_of("## a\nHi.\n[JUMP label=a]\n", "a.md")

    assert [False, True, False] == [
        is_old_notation(story, file, line, line)
        for file, line in (("a.md", 1), ("a.md", 3), ("b.md", 3))
    ]
