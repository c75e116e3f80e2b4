import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.story.story import parse_story
from saniwa.story.tools.completion import list_completions
from saniwa.story.tools.hover import build_hover
from saniwa.story.tools.mention_index import MentionIndex, find_definition, find_references
from saniwa.story.tools.overview import build_outline
from saniwa.story.tools.refactoring import RenameRefusal, apply_text_edits, rename_mention

STORY = """\
---
id: bridge
vars: {trust: 0}
cast: [Ben]
---
## The bridge
Ben: 😀 {trust} again. {visits("the-bridge")}
ルナ: Hello.
[SET mood = trust + 1]
- Ask {#lamp}
  [SET mood = 2]
- [On](#street) {if chosen("lamp") and mood}
<!-- a note --> [back](#the-bridge)
[SHOW_IMAGE file=rain]
## street
[SAY speaker=ルナ] Bye.
[over](#nowhere)
[ASK prompt="Who?" name=who]
"""


@pytest.fixture(scope="module")
def mention_index() -> MentionIndex:
    """The names in the story."""
    return MentionIndex(parse_story(STORY, "story.md"))


def _list_definitions(names: MentionIndex, line: int, column: int) -> list[tuple[int, int]]:
    found = find_definition(names, "story.md", line, column)
    return [(each.line, each.column) for each in found]


@pytest.mark.parametrize(
    ("line", "column", "made"),
    [
        pytest.param(12, 9, (15, 4), id="link"),
        pytest.param(13, 26, (6, 4), id="link behind a comment"),
        pytest.param(7, 34, (6, 4), id="visits"),
        pytest.param(6, 6, (6, 4), id="heading"),
        pytest.param(7, 9, (3, 8), id="declared variable"),
        pytest.param(9, 13, (3, 8), id="variable in an expression"),
        pytest.param(12, 41, (9, 6), id="variable that is only set"),
        pytest.param(18, 26, (18, 25), id="variable that is asked for"),
        pytest.param(7, 2, (4, 8), id="declared speaker"),
        pytest.param(16, 15, (8, 1), id="speaker nobody declares"),
        pytest.param(12, 30, (10, 9), id="option"),
    ],
)
def test_everything_leads_to_where_it_is_made(
    mention_index: MentionIndex, line: int, column: int, made: tuple[int, int]
) -> None:
    """The definition of a name is found from any of its spellings."""
    assert [made] == _list_definitions(mention_index, line, column)


@pytest.mark.parametrize(
    ("line", "column"),
    [
        pytest.param(17, 10, id="label that is not there"),
        pytest.param(8, 6, id="plain words"),
        pytest.param(999, 1, id="no such line"),
        pytest.param(14, 20, id="picture"),
    ],
)
def test_an_undefined_label_leads_nowhere(
    mention_index: MentionIndex, line: int, column: int
) -> None:
    """A label without a definition has none."""
    assert [] == _list_definitions(mention_index, line, column)


def test_a_cursor_right_behind_a_name_still_touches_it(mention_index: MentionIndex) -> None:
    """A cursor directly after a name is still on it."""
    assert [(15, 4)] == _list_definitions(mention_index, 12, 15)
    assert [] == _list_definitions(mention_index, 12, 16)


def test_references_are_all_places_in_all_spellings(mention_index: MentionIndex) -> None:
    """References are all uses of a name in all spellings, optionally with its heading."""
    found = find_references(mention_index, "story.md", 6, 5)
    used = find_references(mention_index, "story.md", 6, 5, made=False)

    assert [(6, "The bridge"), (7, "the-bridge"), (13, "the-bridge")] == [
        (each.line, each.written) for each in found
    ]
    assert found[1:] == used


def test_references_stand_exactly_where_the_text_has_them(mention_index: MentionIndex) -> None:
    """A reference has the exact text and place of the file."""
    lines = STORY.split("\n")

    shown = [m for m in mention_index.all if m.column]
    assert len(shown) == len(mention_index.all)
    for each in shown:
        assert lines[each.line - 1].startswith(each.written, each.column - 1)


def test_a_file_leads_to_its_beginning(mention_index: MentionIndex) -> None:
    """A link to the story's own file leads to its first line."""
    mention_index = MentionIndex(parse_story("Hello.\n[again](story.md)\n", "story.md"))

    (made,) = find_definition(mention_index, "story.md", 2, 10)
    assert ("story.md", 1, 1) == (made.file, made.line, made.column)


def test_old_conditions_name_their_variable_in_place() -> None:
    """The variable of an old condition has its place in the command."""
    text = "[SET n = 1]\n[JUMP_IF cmp=ge value=3 var=n label=a]\n## a\nHi.\n"
    names = MentionIndex(parse_story(text, "a.md"))

    assert [(1, 6), (2, 29)] == [
        (each.line, each.column) for each in find_references(names, "a.md", 1, 6)
    ]


_PIECES = st.sampled_from(
    [
        *("## a", "## b c", "# scene: d", "[LABEL name=e]", ":::route f", ":::"),
        *("[x](#a)", "- [y](#b-c)", "[JUMP label=b c]", "- z @f", "[BRANCH choice=a]"),
        *("Ben: ", "ルナ：", "😀", "{n}", "{visits('a')}", "{once}", "{#id}", "{if n"),
        *("[SET n = 1]", "[SET n += n]", "[JUMP_IF n>1 label=a]", "[SAY speaker=Ben] "),
        *("<!-- c -->", "<!--", "-->", "---", "vars: {n: 1}", ":::when n", "[", "{", '"'),
        *("\n", "\n", "\n", "\r\n", "  ", "\u2028", "\ud800", "\\"),
    ]
)


_STORIES = st.lists(st.lists(_PIECES, min_size=1, max_size=3).map(" ".join), max_size=12).map(
    "\n".join
)


@given(_STORIES, st.integers(0, 15), st.integers(0, 30))
def test_no_story_is_too_broken_to_be_asked_about(text: str, line: int, column: int) -> None:
    """Every query about any place of any story has an answer."""
    story = parse_story(text, "a.md")
    names = MentionIndex(story)
    place = ("a.md", line, column)

    build_hover(names, *place)
    list_completions(names, "a.md", names.get_line("a.md", line), column)
    assert len(build_outline(story.scenes[0])) <= 1 + text.count("\n")
    assert set(find_definition(names, *place)) <= set(find_references(names, *place))


@given(_STORIES, st.sampled_from(["New 名", "b", "a]", "n #", "<x", "x-->", "q,r", '"']))
def test_renaming_keeps_every_jump(text: str, new: str) -> None:
    """After renaming, every jump leads to the same line, or nothing is renamed."""
    names = MentionIndex(parse_story(text, "a.md"))
    for each in [m for m in names.all if m.name and m.column]:
        edits = rename_mention(names, "a.md", each.line, each.column, new)
        if isinstance(edits, RenameRefusal):
            continue
        after = _list_link_lines(MentionIndex(parse_story(apply_text_edits(text, edits), "a.md")))

        # A jump without a target may match the new name.
        assert [tie for tie in _list_link_lines(names) if tie[1]] == [
            now for now, was in zip(after, _list_link_lines(names), strict=True) if was[1]
        ]


def _list_link_lines(names: MentionIndex) -> list[tuple[int, int | None]]:
    """The line of each jump, and the line it leads to."""
    ops = names.story.program.ops
    return [
        (link.target.line, None if link.to is None else ops[link.to].line)
        for link in names.story.program.links
    ]
