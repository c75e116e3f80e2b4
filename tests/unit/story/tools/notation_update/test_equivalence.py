import pytest

from saniwa.story.story import parse_story
from saniwa.story.tools.equivalence import is_equivalent


def _is_alike(one: str, other: str, *, calls: bool = False) -> bool:
    return is_equivalent(parse_story(one).program, parse_story(other).program, calls=calls)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x\n", "\n\nx\n"),
        ("[JUMP label=a]\n## a\nx\n", "[go](#a)\n## a\nx\n"),
        ("[LABEL name=a]\nx\n", "## a\nx\n"),
        ("x\n", "x {#id}\n"),
        ("[SET n += 1]\n{n}\n", "[MODIFY name=n op=add value=1]\n{n}\n"),
        ("[JUMP label=a]\n[LABEL name=a]\n[JUMP label=a]\n", "## a\n[a](#a)\n"),
    ],
)
def test_what_shows_the_same_is_alike(one: str, other: str) -> None:
    """Stories that show the same are equivalent, however they are written."""
    assert _is_alike(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x\n", "y\n"),
        ("x {#id}\n", "x\n"),
        ("x\n", "Ann: x\n"),
        ("x {.soft}\n", "x\n"),
        ("## a\nx\n", "## b\nx\n"),
        ("- a\n  x\n- b\n  y\n", "- a\n  y\n- b\n  x\n"),
        ("- a {once}\n  x\n", "- a\n  x\n"),
        ("- a {if n}\n  x\n", "- a {show if n}\n  x\n"),
        (":::when n\nx\n:::\ny\n", "x\n\ny\n"),
        ("---\nvars: {n: 1}\n---\nx\n", "x\n"),
        ("x\n[gone](#gone)\n", "x\n"),
        ("x\n[JUMP label=r]\n:::route r\n- q\n  z\n:::\n", "x\n- q\n  z\n"),
        ("<!-- ending: a -->\n", "<!-- ending: b -->\n"),
    ],
)
def test_what_shows_something_else_is_not(one: str, other: str) -> None:
    """Stories are not equivalent if a host could notice a difference."""
    assert not _is_alike(one, other)


def test_the_end_of_a_section_counts_where_it_is_called() -> None:
    """In a called section, a heading ends the call and a label does not."""
    one, other = "x\n[LABEL name=a]\ny\n", "x\n## a\ny\n"

    assert _is_alike(one, other)
    assert not _is_alike(one, other, calls=True)
