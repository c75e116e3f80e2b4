"""The pages under `examples/` and the tour's transcript, played as shown."""

import shutil
from pathlib import Path

import pytest

from tests.house.pages import ROOT, list_blocks, list_commands, matches_shown, run_documented

_EXAMPLES = sorted(p.parent for p in (ROOT / "examples").glob("*/README.md"))
_TUTORIAL = ROOT / "docs" / "tutorial.md"


@pytest.mark.parametrize("example", _EXAMPLES, ids=lambda p: p.name)
def test_an_example_does_what_its_page_shows(example: Path, tmp_path: Path) -> None:
    """Every command on an example's page prints what the page says."""
    shutil.copytree(example, tmp_path / "example")
    shown = [b for b in list_blocks(example / "README.md") if b.info == "console"]

    assert shown
    for command, expected in (line for block in shown for line in list_commands(block)):
        actual = run_documented(command, tmp_path / "example")
        assert matches_shown(expected, actual), f"$ {command}\n{actual}"


def test_every_example_has_a_page() -> None:
    """Every example has a page, whose commands are tested."""
    folders = sorted(p for p in (ROOT / "examples").iterdir() if p.is_dir())

    assert folders == _EXAMPLES


@pytest.mark.parametrize("name", ["cottage.yaml", "polite.yaml"])
def test_the_tutorial_ends_with_the_example(name: str) -> None:
    """At the end of the tutorial a reader has the files of the example."""
    written = [b.text for b in list_blocks(_TUTORIAL) if f"file={name}" in b.info.split()]

    # The tutorial has its reader fix this one mistake.
    mended = written[-1].replace("iron_kye", "iron_key")
    kept = (ROOT / "examples" / "door-and-key" / name).read_text(encoding="utf-8")
    assert kept == mended


@pytest.mark.parametrize(
    ("page", "scenario"), [("docs/tour.md", "door_and_key"), ("docs/tour.ja.md", "door_and_key_ja")]
)
def test_the_transcript_in_the_tour_is_real(page: str, scenario: str, tmp_path: Path) -> None:
    """The lines that the tour types into `make play` give the output that it shows."""
    shown = [b.text for b in list_blocks(ROOT / page) if b.info == "text transcript"]
    words = [line[2:] for text in shown for line in text.split("\n") if line.startswith("> ")]
    (tmp_path / "words.txt").write_text("\n".join(words), encoding="utf-8")

    actual = run_documented(f"saniwa play {scenario} --input words.txt", tmp_path)

    assert 1 == len(shown)
    assert matches_shown(shown[0], actual), actual
