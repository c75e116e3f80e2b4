"""Commands that explore a story: routes, traces, dumps, walks, graphs."""

import json
import re
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.commands import run_command
from tests.fakes.stepresults import CONTRACT
from tests.golden.script_plays import FOLDER

ISLAND = Path("examples") / "lantern-island" / "story.md"
LAMP = FOLDER / "lamp_keeper.md"
BROKEN = """\
---
vars: {n: 0}
---
# Broken
## hub
Hub.
- Wait
  [SET n += 1]
- Press {if n > 1}
  [SET n = n / (n - 2)]
- [Leave](#out)
[hub](#hub)
## out
Out. <!-- ending: out -->
"""


def _run_saniwa(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return run_command(folder, *words)


def _write_story(folder: Path, text: str) -> str:
    (folder / "story.md").write_text(text, encoding="utf-8")
    return "story.md"


def _read_json(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_an_author_learns_that_an_ending_is_out_of_reach(tmp_path: Path) -> None:
    """`routes` reports an unreachable ending, with status 1."""
    done = _run_saniwa("routes", str(LAMP), folder=tmp_path)

    assert 1 == done.returncode
    assert "\n  1,1  loop: line 11 again\n" in done.stdout
    assert "Endings never reached:\n  street (line 25)" in done.stdout


MANY = (
    "# Many\n## hub\nHub.\n"
    + "".join(f"- Look at the {n}th of many long-named things {{once}}\n" for n in range(7))
    + "- [Leave](#out)\n- [Stay](#bed)\n[hub](#hub)\n"
    + "## out\nOut. <!-- ending: out -->\n"
    + "## bed\n- [Sleep](#deep)\n- [Up](#hub)\n"
    + "## deep\nBed. <!-- ending: bed -->\n## lost\nLost. <!-- ending: lost -->\n"
)


def test_what_routes_come_to_is_reported_before_the_shortest_of_them(tmp_path: Path) -> None:
    """`routes` prints a summary first, then twenty routes in full, the shortest first."""
    file = _write_story(tmp_path, MANY)
    done = _run_saniwa("routes", file, "--limit", "500", folder=tmp_path)
    summary, listed = done.stdout.split("\n\nRoutes, the shortest first:\n")
    shown = [line for line in listed.split("\n") if line[2:3].isdigit()]

    assert summary.startswith("500 routes or more: ")
    assert re.search(r"\n  out +\d+ routes or more +saniwa trace story.md --choices 8\n", summary)
    assert re.search(r"\n  bed +\d+ routes or more +saniwa trace story.md --choices 9,1\n", summary)
    assert "Endings never reached:\n  lost (line 22)\n" in summary
    assert "Sections never reached:\n  lost (line 21)\n" in summary
    assert "Loops run through line 4, 17." in summary
    assert 20 == len(shown)
    assert shown == sorted(shown, key=lambda line: len(line.split()[0]))
    assert any("ending: bed" in line for line in shown)
    assert "\n      Look at the 0th of many long-named things → Leave\n" in listed
    assert "…" not in listed
    assert listed.endswith("  and 480 more; --all shows them\n")


def test_every_way_to_an_ending_is_a_command_below_the_others(tmp_path: Path) -> None:
    """The commands that lead to the endings begin in one column and reach those endings."""
    text = (
        "- a\n  One. <!-- ending: one -->\n- b\n  Two.\n  - c\n    <!-- ending: two -->\n"
        "  - d\n    <!-- ending: two -->\n"
    )
    done = _run_saniwa("routes", _write_story(tmp_path, text), folder=tmp_path)
    shown = done.stdout.split("\n")[2:4]

    assert 1 == len({line.index("saniwa trace") for line in shown})
    for line in shown:
        command = line[line.index("saniwa trace") :].split()[1:]
        traced = _run_saniwa(*command, folder=tmp_path).stdout
        assert f"ending: {line.split()[0]}" in traced


def test_all_routes_are_shown_on_demand(tmp_path: Path) -> None:
    """With `--all` every route within the limits is listed."""
    file = _write_story(tmp_path, MANY)
    done = _run_saniwa("routes", file, "--limit", "60", "--all", folder=tmp_path)
    shown = [line for line in done.stdout.split("\n") if line[2:3].isdigit()]

    assert 60 == len(shown)
    assert "more; --all" not in done.stdout


def test_every_route_can_be_traced_to_its_end(tmp_path: Path) -> None:
    """The choices of a route can be given to `trace`, and lead to the same end."""
    file = str(FOLDER / "gather.md")
    routes = _read_json(_run_saniwa("routes", file, "--json", folder=tmp_path))

    assert (True, 10) == (routes["ok"], len(routes["routes"]))
    for route in routes["routes"][:3]:
        choices = ",".join(map(str, route["choices"]))
        done = _run_saniwa("trace", file, "--choices", choices, "--json", folder=tmp_path)
        end = json.loads(done.stderr)["end"]
        assert (route["end"], route["ending"]) == (end["reason"], end["ending"])


def test_a_trace_is_one_step_result_a_line_and_nothing_else(tmp_path: Path) -> None:
    """A trace prints one StepResult per line, and everything else to stderr."""
    done = _run_saniwa("trace", str(LAMP), "--choices", "1 → 1", "--json", folder=tmp_path)
    lines = done.stdout.rstrip("\n").split("\n")

    for line in lines:
        CONTRACT.validate(json.loads(line))
    assert 0 == done.returncode
    assert "awaiting_choice" == json.loads(done.stderr)["end"]["reason"]


@pytest.mark.parametrize(
    ("choices", "code"), [("1", 0), ("7", 1), ("one", 2), ("-1", 2), ("1;3", 2)]
)
def test_the_exit_code_says_whether_the_choices_could_be_made(
    choices: str, code: int, tmp_path: Path
) -> None:
    """The exit code says whether the choices could be made, and whether they could be read."""
    done = _run_saniwa("trace", str(LAMP), f"--choices={choices}", folder=tmp_path)

    assert code == done.returncode
    assert "Traceback" not in done.stderr


def test_a_failing_walk_comes_back_as_a_command_to_type(tmp_path: Path) -> None:
    """A failing walk is reported with the command of the shortest failing choices."""
    done = _run_saniwa("test", _write_story(tmp_path, BROKEN), folder=tmp_path)
    (command,) = (
        line.removeprefix("  again with: saniwa ")
        for line in done.stdout.split("\n")
        if line.startswith("  again with: ")
    )
    again = _run_saniwa(*command.split(), folder=tmp_path)

    assert 1 == done.returncode
    assert "trace story.md --choices 1,1,2" == command
    assert 3 == again.returncode
    assert "EXPRESSION_FAILED" in again.stderr


def test_walks_are_the_same_for_the_same_seed(tmp_path: Path) -> None:
    """Walks with the same seed print the same, byte for byte."""
    file = _write_story(tmp_path, BROKEN)
    words = ("test", file, "--walks", "50", "--seed", "4", "--json")

    assert _run_saniwa(*words, folder=tmp_path).stdout == (
        _run_saniwa(*words, folder=tmp_path).stdout
    )


def test_a_dump_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    """A dump is the same on standard output and in a file, with the published hash."""
    file = str(FOLDER / "origin_simple.md")
    printed = _run_saniwa("dump", file, folder=tmp_path)
    written = _run_saniwa("dump", file, "-o", "out.json", folder=tmp_path)

    assert (0, "") == (written.returncode, written.stdout)
    assert printed.stdout == (tmp_path / "out.json").read_text(encoding="utf-8")
    assert "4af8a800c01c7941496ceadc191ce2cf" == _read_json(printed)["input_hash"]


def test_a_graph_comes_in_three_forms(tmp_path: Path) -> None:
    """A graph can be Mermaid, SVG or JSON."""
    file = str(FOLDER / "japanese.md")
    drawn = _run_saniwa("graph", file, folder=tmp_path)
    _run_saniwa("graph", file, "--format", "svg", "-o", "out.svg", folder=tmp_path)
    plain = _run_saniwa("graph", file, "--format", "json", folder=tmp_path)

    assert '-->|"右へ"|' in drawn.stdout
    assert "svg" in ET.parse(tmp_path / "out.svg").getroot().tag
    assert {"title", "nodes", "edges"} == set(_read_json(plain))


@pytest.fixture(scope="module")
def island_routes() -> dict[str, Any]:
    """The routes of Lantern Island."""
    done = _run_saniwa("routes", str(ISLAND), "--json", folder=Path.cwd())
    return _read_json(done)


def test_every_ending_of_the_flagship_is_found_on_its_world(island_routes: dict[str, Any]) -> None:
    """`routes` finds all endings of Lantern Island on its world, without guesses."""
    assert {"warm", "the-twelfth", "lamp-lit", "two-hands"} == set(island_routes["endings"])
    assert [] == island_routes["endings_missed"]
    assert ["every question was answered with an empty text"] == island_routes["notes"]
    assert 1_000 < island_routes["moments"]


def test_a_trace_along_a_route_of_the_flagship_comes_to_its_ending(
    island_routes: dict[str, Any],
) -> None:
    """The choices and answers of a route on a world lead `trace` to the same ending."""
    to_endings = [each for each in island_routes["routes"] if each["end"] == "ending"]
    for route in [*island_routes["ended"], *to_endings[::60]]:
        choices = ",".join(map(str, route["choices"]))
        answers = [w for text in route.get("answers", ()) for w in ("--answers", text)]
        words = ["trace", str(ISLAND), "--choices", choices, *answers, "--json"]
        done = _run_saniwa(*words, folder=Path.cwd())
        end = json.loads(done.stderr)["end"]
        assert {"reason": "ending", "ending": route["ending"]} == end


def test_what_routes_shows_people_can_be_typed(tmp_path: Path) -> None:
    """The answers of a route are printed in quotes for a shell."""
    text = "# T\n[ASK prompt=Name name=n]\n- a\n- b\n\nDone. <!-- ending: e -->\n"
    done = _run_saniwa("routes", _write_story(tmp_path, text), folder=tmp_path)

    assert "  e  2 routes  saniwa trace story.md --choices 1 --answers ''\n" in done.stdout


def test_routes_says_after_how_many_moments_it_was_cut_short(tmp_path: Path) -> None:
    """If a limit stops `routes`, it prints how many moments were explored."""
    done = _run_saniwa("routes", _write_story(tmp_path, MANY), "--steps", "50", folder=tmp_path)

    told = r"Stopped at the limit on steps after \d+ moments; there may be more\."
    assert re.search(told, done.stdout)


def test_a_scenario_that_is_not_there_is_guessed_at(tmp_path: Path) -> None:
    """Without its scenario, every action of a story is assumed to succeed and to fail."""
    text = "---\nscenario: nowhere\n---\n# T\n- a {do go north}\n  [ENDING id=e]\n- b\n"
    file = _write_story(tmp_path, text)
    found = _read_json(_run_saniwa("routes", file, "--json", folder=tmp_path))
    tried = _read_json(_run_saniwa("test", file, "--json", folder=tmp_path))

    assert {"e": [1]} == found["endings"]
    assert found["notes"][0].startswith("explored without the story's world")
    assert tried["notes"][0].startswith("played without the story's world")


def test_walks_through_the_flagship_are_based_on_its_world() -> None:
    """Random walks on a world do only what the world allows."""
    tried = _read_json(
        _run_saniwa("test", str(ISLAND), "--walks", "20", "--json", folder=Path.cwd())
    )

    missed = [each["name"] for each in tried["reach"]["lines"]["missed"]]
    assert "It opens, to your surprise." in missed
    assert ["questions were answered with a few fixed texts"] == tried["notes"]


_NO_END = "No walk reached an end: each was stopped after 50 steps."
_NO_ENDING = "No walk reached any of the story's endings."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("## a\nHi.\n- x\n\n[a](#a)\n## b\nEnd. <!-- ending: e -->\n", _NO_END),
        ("## a\nHi.\n- x\n\n[a](#a)\n", _NO_END),
        ("- x {if 0}\n  End. <!-- ending: e -->\n- y\n\nBye.\n", _NO_ENDING),
    ],
    ids=["an ending out of reach", "no ending", "only the end of the file"],
)
def test_a_story_that_no_walk_finishes_fails(text: str, told: str, tmp_path: Path) -> None:
    """`test` exits with status 1 if no walk reaches an end, or none of the endings."""
    command = ("test", _write_story(tmp_path, text), "--walks", "3", "--steps", "50")
    done = _run_saniwa(*command, folder=tmp_path)

    assert 1 == done.returncode
    assert told in done.stdout
    assert not _read_json(_run_saniwa(*command, "--json", folder=tmp_path))["ok"]


@pytest.mark.parametrize("command", ["routes", "trace", "test", "dump"])
def test_a_story_with_errors_is_not_played(command: str, tmp_path: Path) -> None:
    """The first error of a story stops the command, with its place."""
    done = _run_saniwa(command, str(FOLDER / "broken_command.md"), folder=tmp_path)

    assert 3 == done.returncode
    assert "[COMMAND_UNKNOWN]" in done.stderr
    assert "broken_command.md:3" in done.stderr


@pytest.mark.parametrize("command", ["routes", "trace", "test", "dump", "graph"])
@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"a" * 300_000, b"- " * 999])
def test_no_file_is_too_strange_for_an_answer(command: str, content: bytes, tmp_path: Path) -> None:
    """Empty, binary or endless files get an answer and an exit code, without a traceback."""
    (tmp_path / "s.md").write_bytes(content)

    done = _run_saniwa(command, "s.md", folder=tmp_path)

    assert done.returncode in (0, 1, 3)
    assert "Traceback" not in done.stderr
    assert "INTERNAL_ERROR" not in done.stderr


def test_control_characters_of_an_author_move_no_cursor(tmp_path: Path) -> None:
    """Control characters in a story are escaped in the output."""
    file = _write_story(tmp_path, "# T\nOne \x1b[2J.\n- Go \x07\x1b[31m\n  Gone.\n")

    for command in (["routes"], ["trace", "--choices", "1"], ["test"], ["graph"]):
        done = _run_saniwa(command[0], file, *command[1:], folder=tmp_path)
        assert "\x1b" not in done.stdout + done.stderr
        assert "\x07" not in done.stdout + done.stderr


def test_a_dump_of_a_story_on_a_world_does_its_deeds(tmp_path: Path) -> None:
    """A dump of a story on a world does its actions on a new run."""
    text = (
        "---\nscenario: lantern_island\nas: player\n---\n# T\n"
        '- a {do go north}\n  {place("player")}\n- b\n'
    )
    done = _run_saniwa("dump", _write_story(tmp_path, text), folder=tmp_path)

    assert '"path"' in done.stdout
    assert ("Completed", 0) == (_read_json(done)["final_state"], done.returncode)
    assert ["story.md"] == [each.name for each in tmp_path.iterdir()]


def test_a_trace_shows_a_translated_story(tmp_path: Path) -> None:
    """With `--language` a trace shows the translation."""
    file = _write_story(tmp_path, "# T\nHi. {#a}\n- Go {#b}\n- Stay {#c}\n")
    (tmp_path / "story.ja.csv").write_text(
        "id,translation\na,やあ。\nb,行く\nc,残る\n", encoding="utf-8"
    )
    told = _run_saniwa("trace", file, "--language", "ja", "--choices", "1", folder=tmp_path)
    unknown = _run_saniwa("trace", file, "--language", "de", folder=tmp_path)

    assert "やあ。" in told.stdout
    assert "Hi." not in told.stdout
    assert (3, True) == (unknown.returncode, "[LANGUAGE_UNKNOWN]" in unknown.stderr)
