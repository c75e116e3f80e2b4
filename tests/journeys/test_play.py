import re
import subprocess
from pathlib import Path

import pytest

from saniwa.app.scenario_lookup import locate_shipped_registry
from tests.fakes.commands import run_command
from tests.journeys.terminal import Terminal

_WALKED = sorted(p.stem for p in (locate_shipped_registry().parent / "walkthroughs").glob("*.txt"))
_CTRL_D = b"\x04"


def _run_saniwa(
    folder: Path, *command: str, text: str | None = None
) -> subprocess.CompletedProcess[str]:
    return run_command(folder, *command, stdin=(text or "").encode())


@pytest.mark.parametrize("scenario", _WALKED)
def test_a_shipped_scenario_plays_itself_where_there_is_no_terminal(
    scenario: str, tmp_path: Path
) -> None:
    """Without a terminal a scenario's walkthrough is played to its end, and the run replays.

    It says how one's own lines are played instead.
    """
    played = _run_saniwa(tmp_path, "play", scenario)
    replayed = _run_saniwa(tmp_path, "replay", "last")

    assert (0, 0) == (played.returncode, replayed.returncode), played.stderr
    assert "every one the same" in replayed.stdout
    assert "--input -" in played.stdout


def test_a_person_plays_the_shipped_scenario_and_trusts_it(tmp_path: Path) -> None:
    """A scenario is played at a terminal: refusals, undo, why, preview, saves, the end."""
    with Terminal("play", "door_and_key", "--language", "en", folder=tmp_path) as table:
        assert "Front Garden" in table.read_shown()

        assert "locked" in table.type_line("open the gate")
        assert "open.key_held" in table.type_line("why")
        assert "Toolshed" in table.type_line("go east")
        assert "You would" in table.type_line("preview open the chest")
        assert "brass key" in table.type_line("open the chest")
        assert "You take" in table.type_line("take the key")
        assert "Saved as 'with the key'" in table.type_line("save with the key")
        table.type_line("drop it")
        assert "take that back" in table.type_line("undo")
        assert "since you went back" in table.type_line("why")
        assert "brass key" in table.type_line("inventory")
        assert "where you saved" in table.type_line("load with the key")
        assert "You could go to the Front Garden." in table.type_line("hint")
        assert "go east" in table.type_line("history")
        table.type_line("go west")
        table.type_line("unlock the gate with the brass key and open it")
        goal = table.type_line("go north")
        assert "it is yours" in goal
        assert "saniwa play door_and_key\n" in goal
        assert "saniwa story list" in goal
        assert "saniwa scenario list" in table.type_line("help")
        ending = table.type_line("quit")

        assert "saniwa play --resume last" in ending
        assert 0 == table.leave()


def test_the_shipped_scenario_is_played_in_japanese_too(tmp_path: Path) -> None:
    """The scenario is played in Japanese at a terminal."""
    with Terminal("play", "--language", "ja", folder=tmp_path) as table:
        assert "前庭" in table.read_shown()

        assert "鍵がかかっている" in table.type_line("門を開ける")
        table.type_line("東へ行って、箱を開ける")
        assert "真鍮の鍵を取った" in table.type_line("鍵を取る")
        assert "真鍮の鍵" in table.type_line("持ち物")
        table.type_line("西へ行く")
        assert "果樹園" in table.type_line("門の鍵を開けて、門を開けて、北へ行く")
        table.type_line("終了")

        assert 0 == table.leave()


def test_ctrl_c_leaves_nothing_broken(tmp_path: Path) -> None:
    """A run that was interrupted with Ctrl-C can be resumed where it stopped."""
    with Terminal("play", "door_and_key", folder=tmp_path) as table:
        table.read_shown()
        table.type_line("go east")
        assert 130 == table.interrupt()

    with Terminal("play", "--resume", "last", folder=tmp_path) as again:
        assert "Toolshed" in again.read_shown()
        again.press_key(_CTRL_D)
        assert 0 == again.leave()


def test_lines_can_come_from_a_file_or_a_pipe(tmp_path: Path) -> None:
    """`--input -` plays standard input, line by line."""
    played = _run_saniwa(tmp_path, "play", "door_and_key", "--input", "-", text="go east\nlook\n")

    assert 0 == played.returncode
    assert 2 == len(re.findall(r"^Toolshed$", played.stdout, re.MULTILINE))


def test_without_terminal_or_walkthrough_there_is_a_way_out(tmp_path: Path) -> None:
    """Without a terminal and a walkthrough, the error says what to do."""
    scenario = tmp_path / "mine.yaml"
    scenario.write_text("name: mine\nlocations: {a: {}}\ncharacters: {x: {location: a}}\n")

    played = _run_saniwa(tmp_path, "play", "mine.yaml")

    assert 2 == played.returncode
    assert "--input" in played.stderr


@pytest.mark.parametrize(
    ("scenario", "line", "leaves"),
    [
        ("door_and_key", "quit now", True),
        ("door_and_key", "I want to exit the game", True),
        ("door_and_key", "can I quit?", False),
        ("door_and_key", "quit the job", False),
        ("door_and_key_ja", "終わります", True),
        ("door_and_key_ja", "ゲームをやめてください", True),
        ("door_and_key_ja", "仕事をやめる", False),
    ],
)
def test_only_a_line_that_is_about_quitting_quits(
    scenario: str, line: str, leaves: bool, tmp_path: Path
) -> None:
    """After a line that quits, nothing more is read; a line of the story is played on."""
    played = _run_saniwa(tmp_path, "play", scenario, "--input", "-", text=f"{line}\nhelp\n")

    assert leaves == ("> help" not in played.stdout)
    assert "run-" in played.stdout


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (["play", "nope"], 3, "REGISTRY_MISSING"),
        (["play", "nope.yaml"], 3, "SCENARIO_FILE_NOT_FOUND"),
        (["play", "--as", "ghost"], 3, "ACTOR_UNKNOWN"),
        (["play", "--book", "nope"], 3, "RULE_UNKNOWN_BOOK"),
        (["play", "--resume", "last"], 3, "runs are kept in the folder where you played"),
        (["play", "--language", "xx"], 2, "'xx'"),
        (["replay", "last"], 3, "STORE"),
        (["log", "run-x"], 3, "STORE"),
        (["plya"], 2, "play"),
    ],
)
def test_a_wrong_call_learns_what_and_how(
    command: list[str], code: int, said: str, tmp_path: Path
) -> None:
    """Every wrong call exits with its status and error code, and without a traceback."""
    done = _run_saniwa(tmp_path, *command)

    assert code == done.returncode
    assert said in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_the_log_reads_a_run_every_way(tmp_path: Path) -> None:
    """List, overview, timeline, turn, search and export all read the same run."""
    _run_saniwa(tmp_path, "play", "door_and_key")

    shown = {
        name: _run_saniwa(tmp_path, "log", *rest).stdout
        for name, rest in {
            "list": [],
            "overview": ["last"],
            "timeline": ["last", "--timeline"],
            "turn": ["last", "--turn", "3"],
            "search": ["last", "--search", "BRASS"],
            "export": ["last", "--export"],
            "json": ["last", "--json"],
        }.items()
    }

    assert "door_and_key" in shown["list"]
    assert "LOCKED 1" in shown["overview"]
    lines = shown["timeline"].rstrip("\n").split("\n")
    assert len(lines) == len(shown["export"].rstrip("\n").split("\n"))
    assert lines[0].startswith("   1  player: ")
    assert shown["turn"].startswith("   3  player: open the iron gate")
    assert '"number":0,' in shown["export"].partition("\n")[0]
    assert "open.key_held" in shown["turn"]
    assert 0 < len(shown["search"].rstrip("\n").split("\n")) < len(lines)
    assert shown["json"].startswith('{"run":"run-')


@pytest.mark.parametrize("turn", ["0", "3"])
def test_a_turn_that_is_not_there_is_named_as_people_count(tmp_path: Path, turn: str) -> None:
    """Turns count from 1 at the terminal, in arguments and in messages."""
    (tmp_path / "words.txt").write_text("look\ngo east\n", encoding="utf-8")
    _run_saniwa(tmp_path, "play", "door_and_key", "--input", "words.txt")
    asked = _run_saniwa(tmp_path, "log", "last", "--turn", turn)

    assert 2 == asked.returncode
    assert f"there is no turn {turn}; there are: 1 to 2" in asked.stderr
