"""The two READMEs say the same, each in its language."""

import re

from tests.house.pages import ROOT, FencedBlock, list_blocks

_ENGLISH = ROOT / "README.md"
_JAPANESE = ROOT / "README.ja.md"
_TOLD = "text transcript"
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def _read_prose(japanese: bool) -> str:
    page = _JAPANESE if japanese else _ENGLISH
    return _FENCED.sub("", page.read_text(encoding="utf-8"))


def _read_shape(japanese: bool) -> list[str]:
    """The kind of every line that carries the page: headings, bold beginnings, rows."""
    found = re.findall(r"^(#+ |\*\*|\||\[|$)", _read_prose(japanese), re.MULTILINE)
    return [each for each in found if each]


def _list_links(japanese: bool) -> list[str]:
    found = re.findall(r"\]\(([^)]+)\)", _read_prose(japanese))
    return [each for each in found if not each.startswith("README")]


def test_both_have_the_same_sections() -> None:
    """Heading for heading, feature for feature, row for row, in the same order."""
    assert _read_shape(japanese=False) == _read_shape(japanese=True)


def test_both_show_the_same_examples() -> None:
    """What is typed and printed is the same to the letter, but for the garden's words."""
    english, japanese = (
        [each for each in list_blocks(page) if each.info != _TOLD] for page in (_ENGLISH, _JAPANESE)
    )

    assert english == japanese
    assert 10 < len(english)


def test_both_play_the_same_turns() -> None:
    """The garden is told in each language, in as many turns."""
    english, japanese = (
        [_count_typed(each) for each in list_blocks(page) if each.info == _TOLD]
        for page in (_ENGLISH, _JAPANESE)
    )

    assert english == japanese == [6]


def _count_typed(block: FencedBlock) -> int:
    return block.text.count("\n> ")


def test_both_lead_to_the_same_pages() -> None:
    """A link that one has, the other has in the same place."""
    assert _list_links(japanese=False) == _list_links(japanese=True)


def test_each_leads_to_the_other() -> None:
    """The first thing after the name is the other language."""
    assert _read_prose(japanese=False).startswith("# Saniwa\n\n[日本語](README.ja.md)\n")
    assert _read_prose(japanese=True).startswith("# Saniwa\n\n[English](README.md)\n")


def test_what_is_code_in_one_is_code_in_the_other() -> None:
    """Commands, options and names that are given in the text are given in both."""
    english, japanese = (set(re.findall(r"`([^`]+)`", _read_prose(j))) for j in (False, True))
    words = {"undo", "hint", "inventory", "actions", "preview take the key", "save"}
    words |= {"load", "history", "why", "help", "make play"}

    assert english - words <= japanese
