from pathlib import Path

import pytest

from saniwa.story.story import parse_story, read_story
from saniwa.story.tools.mention_index import MentionIndex
from saniwa.story.tools.refactoring import (
    RenameRefusal,
    apply_text_edits,
    find_renamable,
    rename_mention,
)


def _rename_in_text(text: str, line: int, column: int, new: str) -> str:
    edits = rename_mention(MentionIndex(parse_story(text, "a.md")), "a.md", line, column, new)
    assert not isinstance(edits, RenameRefusal), edits.message
    return apply_text_edits(text, edits)


def _read_refusal(text: str, line: int, column: int, new: str) -> str:
    made = rename_mention(MentionIndex(parse_story(text, "a.md")), "a.md", line, column, new)
    assert isinstance(made, RenameRefusal)
    return made.message


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("[x](#old-name)", "[x](#new-鍵)", id="link"),
        pytest.param("[x](<#Old Name>)", "[x](<#new-鍵>)", id="link in brackets"),
        pytest.param("[x](#%6fld-name)", "[x](#new-鍵)", id="coded link"),
        pytest.param('[x](#old-name "call")', '[x](#new-鍵 "call")', id="call"),
        pytest.param("- [x](#old-name) {once}", "- [x](#new-鍵) {once}", id="option"),
        pytest.param("[JUMP label=Old Name]", "[JUMP label=New 鍵]", id="JUMP"),
        pytest.param('[CALL label="old-name"]', '[CALL label="new-鍵"]', id="CALL"),
        pytest.param(
            "[BRANCH choice=a label=old-name]", "[BRANCH choice=a label=new-鍵]", id="BRANCH"
        ),
        pytest.param(
            "[BRANCH choice=Old Name, choice=b label=old-name]",
            "[BRANCH choice=Old Name label=new-鍵, choice=b label=new-鍵]",
            id="BRANCH whose text is the label",
        ),
        pytest.param("[JUMP_IF n>1 label=old-name]", "[JUMP_IF n>1 label=new-鍵]", id="JUMP_IF"),
        pytest.param(
            "😀 {visits('Old Name')} {visits(\"old-name\")}",
            "😀 {visits('New 鍵')} {visits(\"new-鍵\")}",
            id="visits",
        ),
        pytest.param(":::choices\n- x @old-name\n:::", ":::choices\n- x @new-鍵\n:::", id="route"),
        pytest.param(
            "<!-- old-name --> [x](#old-name)",
            "<!-- old-name --> [x](#new-鍵)",
            id="behind a comment",
        ),
        pytest.param(
            "<!-- a\nold-name --> <!-- b --> [x](#old-name)",
            "<!-- a\nold-name --> <!-- b --> [x](#new-鍵)",
            id="behind the end of a comment",
        ),
        pytest.param("- [a --> b](#old-name)", "- [a --> b](#new-鍵)", id="behind an arrow"),
        pytest.param("[old-name](#other)\nold-name", "[old-name](#other)\nold-name", id="text"),
    ],
)
def test_a_label_is_renamed_in_every_spelling(before: str, after: str) -> None:
    """In links the new label is a slug, elsewhere it is as typed, and texts stay unchanged."""
    text = f"## Old Name\nHello.\n{before}\n## other\n"

    assert f"## New 鍵\nHello.\n{after}\n## other\n" == _rename_in_text(text, 1, 4, "New 鍵")


@pytest.mark.parametrize("made", ["[LABEL name=a]", "# scene: a", ":::route a\n:::"])
def test_every_kind_of_label_is_renamed(made: str) -> None:
    """Labels in old notation are renamed too."""
    text = f"{made}\nHello.\n[x](#a)\n"
    line = text.split("\n").index("[x](#a)") + 1

    assert text.replace(" a", " b").replace("=a", "=b").replace("#a", "#b") == _rename_in_text(
        text, line, 6, "b"
    )


@pytest.mark.parametrize(
    ("new", "why"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param("  ", "empty", id="blank"),
        pytest.param("other", "another label", id="taken"),
        pytest.param("Other!", "another label", id="taken under its slug"),
        pytest.param("!?", "no letter", id="nothing to link to"),
        pytest.param("a\nb", "cannot be", id="two lines"),
        pytest.param("x" * 300, "cannot be", id="too long"),
        pytest.param("b ##", "something else", id="read otherwise"),
    ],
)
def test_a_label_cannot_be_called_everything(new: str, why: str) -> None:
    """A label that is empty, taken or misread is refused."""
    assert why in _read_refusal("## a\nHi.\n[x](#a)\n## other\n", 1, 4, new)


def test_a_name_that_a_command_would_cut_is_refused() -> None:
    """A label that a command would cut off is refused, and nothing is renamed."""
    text = "## Old Name\nHi.\n[JUMP label=Old Name]\n"

    assert "something else" in _read_refusal(text, 1, 4, "b] c")


def test_a_label_keeps_its_own_name() -> None:
    """Renaming a label to another case of itself is allowed."""
    assert "## A\n[x](#a)\n" == _rename_in_text("## a\n[x](#a)\n", 1, 4, "A")


def test_labels_are_renamed_in_all_files(tmp_path: Path) -> None:
    """A label is renamed in its own file, and in the links of other files."""
    first, second = tmp_path / "a.md", tmp_path / "b.md"
    first.write_text("Hi {visits('b.md#cave')}.\n[x](b.md#cave)\n", encoding="utf-8")
    second.write_text("Hello.\n## cave\nDark.\n[x](#cave)\n", encoding="utf-8")
    names = MentionIndex(read_story(first))

    edits = rename_mention(names, str(first), 2, 12, "Deep cave")

    assert not isinstance(edits, RenameRefusal)
    changed = {
        scene.file: apply_text_edits(scene.text, [e for e in edits if e.file == scene.file])
        for scene in names.story.scenes
    }
    assert {
        str(first): "Hi {visits('b.md#deep-cave')}.\n[x](b.md#deep-cave)\n",
        str(second): "Hello.\n## Deep cave\nDark.\n[x](#deep-cave)\n",
    } == changed


def test_a_variable_is_renamed_where_it_is_made_set_and_read() -> None:
    """A variable is renamed in its declaration, assignments, conditions and texts."""
    text = "---\nid: a\nvars: {n: 0}\n---\n[SET n += n]\n{n} n\n- x {if n > 1}\n  Hi.\n"

    assert text.replace("{n", "{数").replace("[SET n", "[SET 数").replace("+= n", "+= 数").replace(
        "if n", "if 数"
    ) == _rename_in_text(text, 5, 6, "数")


@pytest.mark.parametrize(
    ("new", "why"), [("m", "another"), ("1a", "cannot"), ("true", "cannot"), ("a b", "")]
)
def test_a_variable_cannot_be_called_everything(new: str, why: str) -> None:
    """A variable name that is taken or invalid is refused."""
    assert why in _read_refusal("[SET n = 1]\n[SET m = n]\n{n} {m}\n", 1, 6, new)


def test_other_names_are_left_alone() -> None:
    """Only labels and variables can be renamed."""
    names = MentionIndex(parse_story("Ben: Hi.\n", "a.md"))

    assert find_renamable(names, "a.md", 1, 2) is None
    assert isinstance(rename_mention(names, "a.md", 1, 2, "Bo"), RenameRefusal)
