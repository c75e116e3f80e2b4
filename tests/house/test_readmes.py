"""README, tour and the list of pages are the same in both languages."""

import re
from pathlib import Path

import pytest
import yaml

from tests.house.pages import ROOT, FencedBlock, list_blocks

_TOLD = "text transcript"
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_REGISTRY = (ROOT / "experiments" / "scenarios" / "registry.yaml").read_text(encoding="utf-8")
_TOUR = ROOT / "docs" / "tour.md"
_NAMES_IN_ENGLISH = {
    "coffee_trap": "hidden_object",
    "door_and_key_ja": "door_and_key",
    "門を開ける": "'open the gate'",
    "なぜ": "why",
    "検査 'open.key_held' が止めました（LOCKED）：鉄の門には鍵がかかっている。": (
        "Refused by the check 'open.key_held' (LOCKED): The iron gate is locked."
    ),
    "西へ行く パンを食べる": "'go west' 'eat the bun'",
    "パンを食べる": "eat the bun",
    "お茶の時間まで待とう。": "Not before tea.",
    "お茶の時間までは食べない。": "Nobody eats before tea.",
}
"""What Japanese readers play instead of the English scenarios, and its words."""
_SCREEN = 90
"""How many lines a README may have, so that readers need not scroll far."""

_INDEX = ROOT / "docs" / "index.md"

pages = pytest.mark.parametrize("english", [ROOT / "README.md", _TOUR], ids=["readme", "tour"])
lists = pytest.mark.parametrize(
    "english", [ROOT / "README.md", _TOUR, _INDEX], ids=["readme", "tour", "index"]
)


def _find_japanese(english: Path) -> Path:
    return english.with_suffix(".ja.md")


def _read_prose(page: Path) -> str:
    return _FENCED.sub("", page.read_text(encoding="utf-8"))


def _read_shape(page: Path) -> list[str]:
    """The kind of every line that structures the page: headings, bold text, rows, links, images."""
    found = re.findall(r"^(#+ |\*\*|\||\[|!|$)", _read_prose(page), re.MULTILINE)
    return [each for each in found if each]


def _list_links(page: Path) -> list[str]:
    """The targets of the page's links, without the language in their names."""
    _, _, body = _read_prose(page).partition("\n\n")
    return [each.replace(".ja.", ".").replace(".en.", ".") for each in re.findall(r"\]\(([^)]+)\)", body)]  # fmt: skip


@lists
def test_both_have_the_same_sections(english: Path) -> None:
    """Both languages have the same headings, features and rows in the same order."""
    assert _read_shape(english) == _read_shape(_find_japanese(english))


@pages
def test_both_show_the_same_examples(english: Path) -> None:
    """Both languages show the same commands and output, except for the words of the scenario."""
    one, other = (
        [(each.info, each.text) for each in list_blocks(page) if each.info != _TOLD]
        for page in (english, _find_japanese(english))
    )

    assert one == [(info, _translate(text)) for info, text in other]
    assert one


def _translate(text: str) -> str:
    for japanese, english in _NAMES_IN_ENGLISH.items():
        text = text.replace(japanese, english)
    return text


def test_a_reader_meets_scenarios_in_their_language() -> None:
    """A README plays and measures only scenarios in its own language."""
    languages = {
        entry["scenario_id"]: entry["tags"] for entry in yaml.safe_load(_REGISTRY)["scenarios"]
    }
    page = ROOT / "README.md"
    for file, language in ((page, "en"), (_find_japanese(page), "ja")):
        typed = " ".join(each.text for each in list_blocks(file) if each.info == "console")
        named = set(re.findall(r"(?:play|--scenario) (\w+)", typed)) & languages.keys()
        assert [] == [each for each in named if language not in languages[each]]
        assert named


def test_both_play_the_same_turns() -> None:
    """The tour plays the same scenario in each language, in equally many turns."""
    one, other = (
        [_count_typed(each) for each in list_blocks(page) if each.info == _TOLD]
        for page in (_TOUR, _find_japanese(_TOUR))
    )

    assert one == other == [6]


def _count_typed(block: FencedBlock) -> int:
    return block.text.count("\n> ")


@lists
def test_both_lead_to_the_same_pages(english: Path) -> None:
    """Both languages have the same links in the same order."""
    assert _list_links(english) == _list_links(_find_japanese(english))


@lists
def test_each_leads_to_the_other(english: Path) -> None:
    """The first line after the title links to the other language."""
    japanese = _find_japanese(english)

    assert f"\n\n[日本語]({japanese.name})\n" in _read_prose(english)[:60]
    assert f"\n\n[English]({english.name})\n" in _read_prose(japanese)[:60]


@pages
def test_what_is_code_in_one_is_code_in_the_other(english: Path) -> None:
    """Commands, options and names in the English text are in the Japanese text too."""
    one, other = (
        set(re.findall(r"`([^`]+)`", _read_prose(page)))
        for page in (english, _find_japanese(english))
    )
    words = {"undo", "hint", "inventory", "actions", "preview take the key", "save"}
    words |= {"load", "history", "why", "help", "make play"}

    assert one - words <= other


def test_a_readme_is_short() -> None:
    """A README has at most 90 lines."""
    for page in (ROOT / "README.md", ROOT / "README.ja.md"):
        assert len(page.read_text("utf-8").split("\n")) <= _SCREEN
