from saniwa.story.story import parse_story
from saniwa.story.tools.refactoring import apply_text_edits, has_old_notation, list_quick_fixes

STORY = "## bridge\nHello.\n- [a](#brigde)\n- [b](#brdige)\n"


def test_a_finding_with_a_fix_offers_it() -> None:
    """Applying a fix writes the suggested name."""
    found = list(list_quick_fixes(parse_story(STORY, "a.md"), "a.md", 1, 4))

    assert ["write 'bridge'"] * 2 == [each.title for each in found]
    assert STORY.replace("brigde", "bridge").replace("brdige", "bridge") == apply_text_edits(
        STORY, [each.edit for each in found]
    )


def test_only_the_lines_asked_for_are_repaired() -> None:
    """Only fixes in the given lines and file are offered."""
    story = parse_story(STORY, "a.md")

    assert [4] == [each.edit.line for each in list_quick_fixes(story, "a.md", 4, 9)]
    assert [] == list(list_quick_fixes(story, "b.md", 1, 9))


def test_old_notation_is_known_where_it_is_reported() -> None:
    """Old notation is reported at the place of its finding."""
    story = parse_story("## a\nHi.\n[JUMP label=a]\n", "a.md")

    assert [False, True, False] == [
        has_old_notation(story, file, line, line)
        for file, line in (("a.md", 1), ("a.md", 3), ("b.md", 3))
    ]
