"""From `tw-make` to a won game, with the real command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.commands import run_command
from tests.fakes.textworld import make_quest, make_tiny_game

_BIN = Path(sys.executable).parent


@pytest.fixture(autouse=True)
def _enter_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test starts in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SANIWA_STORE", raising=False)


def _run_command(*words: str) -> subprocess.CompletedProcess[str]:
    return run_command(Path.cwd(), *words)


def _make_game(*words: str) -> None:
    """A game by `tw-make`, which writes the file and then fails because a compiler is missing."""
    command = [str(_BIN / "tw-make"), *words, "--output", "game.json", "--silent"]
    subprocess.run(command, capture_output=True, check=False)
    assert Path("game.json").exists()


def _write_game(document: object) -> None:
    Path("game.json").write_text(json.dumps(document), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("custom", "--world-size", "6", "--nb-objects", "20", "--quest-length", "7", "--seed", "11"),
        ("tw-treasure_hunter", "--level", "12", "--seed", "3"),
    ],
)  # fmt: skip
def test_a_game_made_by_tw_make_is_imported_and_won(words: tuple[str, ...]) -> None:
    """An imported game has no errors, and its walkthrough reaches the goal."""
    _make_game(*words)

    imported = _run_command("scenario", "import", "game.json", "--name", "tw")
    checked = _run_command("scenario", "check", "tw.yaml")
    played = _run_command("play", "tw.yaml", "--input", "walkthroughs/tw.txt")

    assert 0 == imported.returncode, imported.stdout
    assert "its walkthrough reaches the goal in" in imported.stdout
    assert 0 == checked.returncode, checked.stdout
    assert "You have reached the end of this story." in played.stdout


def test_a_game_is_imported_and_won_without_textworld() -> None:
    """An import needs only the file, and writes the scenario to the given path."""
    game = make_tiny_game(
        *("at(c_0, r_1)", "closed(c_0)", "in(o_0, c_0)"),
        names={"c_0": "old chest", "o_0": "coin"},
        metadata={"walkthrough": ["go north", "open old chest", "take coin from old chest"]},
    )  # fmt: skip
    _write_game(game)

    imported = _run_command("scenario", "import", "game.json", "-o", "my stories/coin.json")
    played = _run_command(
        "play", "my stories/coin.json", "--input", "my stories/walkthroughs/game.txt"
    )

    said = imported.stdout.split("\n")[-4:]
    assert [
        "wrote my stories/coin.json and my stories/walkthroughs/game.txt",
        "its walkthrough reaches the goal in 3 lines",
        "play it: saniwa play 'my stories/coin.json' --input 'my stories/walkthroughs/game.txt'",
        "",
    ] == said
    assert "You have reached the end of this story." in played.stdout


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["go south"], "line 1, 'go south', has no effect (INVALID_TARGET)"),
        (["look"], "it ends too early"),
    ],
)
def test_a_walkthrough_that_does_not_win_is_said_not_to(lines: list[str], why: str) -> None:
    """The import reports a walkthrough that does not win, and writes the scenario."""
    _write_game(make_tiny_game("at(o_0, r_1)", metadata={"walkthrough": lines}))

    imported = _run_command("scenario", "import", "game.json")

    assert 0 == imported.returncode
    assert f"its walkthrough does not reach the goal: {why}" in imported.stdout


def test_a_game_without_a_walkthrough_is_imported_without_one() -> None:
    """For a game without a walkthrough, no walkthrough is written."""
    _write_game(make_tiny_game("at(o_0, r_1)", metadata={}))

    imported = _run_command("scenario", "import", "game.json")

    assert imported.stdout.endswith("wrote game.yaml\nplay it: saniwa play game.yaml\n")
    assert not Path("walkthroughs").exists()


def test_a_game_that_can_be_lost_cannot_be_won_afterwards() -> None:
    """If an object of the quest is destroyed, the goal cannot be reached and the play continues."""
    game = make_tiny_game(
        *("at(f_0, r_0)", "at(o_0, r_0)"),
        names={"f_0": "apple", "o_0": "coin"},
        quests=[make_quest("in(o_0, I)", fails=("eaten(f_0)",))],
    )
    _write_game(game)
    Path("lines.txt").write_text("take apple\neat apple\ntake coin\n")

    imported = _run_command("scenario", "import", "game.json")
    played = _run_command("play", "game.yaml", "--input", "lines.txt")

    assert "the game can be lost" in imported.stdout
    assert "You take the coin." in played.stdout
    assert "the end of this story" not in played.stdout


def test_a_game_that_cannot_be_reported_leaves_nothing_behind() -> None:
    """An unsupported game gets findings with their places and status 1, and writes no file."""
    _write_game(make_tiny_game("melted(o_0)"))

    imported = _run_command("scenario", "import", "game.json")
    told = _run_command("scenario", "import", "game.json", "--json")

    assert 1 == imported.returncode
    assert "error[GAME_UNSUPPORTED]: the game mentions 'melted(o)'" in imported.stdout
    assert imported.stdout.endswith("nothing written: 1 error\n")
    answer = json.loads(told.stdout)
    assert (1, None) == (told.returncode, answer["written"])
    assert "world[4]" in [found["path"] for found in answer["findings"]]
    assert ["game.json"] == [file.name for file in Path().iterdir()]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("nowhere.json",), "DOCUMENT_UNREADABLE"),
        (("broken.json",), "DOCUMENT_SYNTAX"),
        (("game.json", "--name", "../up"), "NAME_UNUSABLE"),
        (("game.json", "-o", "game.json"), "SCENARIO_EXISTS"),
        (("game.json", "-o", "game.txt"), "SCENARIO_UNWRITABLE"),
    ],
)
def test_what_stops_an_import_is_one_error(words: tuple[str, ...], code: str) -> None:
    """A missing, invalid or existing file, or an unusable id, is one error."""
    _write_game(make_tiny_game("at(o_0, r_0)"))
    Path("broken.json").write_text("{")

    imported = _run_command("scenario", "import", *words)

    assert 3 == imported.returncode
    assert f"[{code}]" in imported.stderr
    assert {"game.json", "broken.json"} == {file.name for file in Path().iterdir()}
