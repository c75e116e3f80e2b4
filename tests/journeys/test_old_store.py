"""A project of an earlier version can be opened, continued and verified.

The project is `tests/golden/old_store/workspace`; it is never written again.
Nothing is imported from the package, since the names of its modules may change.
"""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.request import Request, urlopen

import pytest

from tests.fakes.servers import ServeProcess
from tests.journeys.gate_terminal import CommandAnswer, answer_of

_GOLDEN: Final = Path(__file__).parents[1] / "golden" / "old_store"


def _read_expected(name: str) -> str:
    return (_GOLDEN / "expected" / name).read_text(encoding="utf-8")


def _read_rows(name: str) -> dict[str, list[str]]:
    """The rows of an expected list, by the id at their start."""
    rows = [line.split() for line in _read_expected(name).splitlines()]
    return {run: cells for run, *cells in rows}


_LISTED: Final = _read_rows("log.txt")
_ENGLISH, _JAPANESE, _TABLE, _LEFT, _ASKED, _COTTAGE, _ISLAND = _LISTED
_STORIES: Final = _read_rows("stories.txt")
_HOSTED, _TOLD = _STORIES
_GATE: Final = _read_rows("gate.txt")
_FINISHED, _MIDDLE, _AWAITED, _TIMED, _WORKED, _SENT = _GATE


def _copy_project(folder: Path) -> Path:
    """A copy of the project that can be changed; secrets are readable by their owner only."""
    copy = shutil.copytree(_GOLDEN / "workspace", folder / "project")
    for path in copy.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return copy


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The old project, for one test."""
    return _copy_project(tmp_path)


def _run_command(folder: Path, *words: str, lines: str = "") -> CommandAnswer:
    """Run `saniwa …` in a folder; returns its answer."""
    return answer_of(folder, *words, stdin=lines.encode())


def _play_lines(folder: Path, *words: str, lines: str) -> str:
    """The output of playing these lines."""
    played = _run_command(folder, "play", *words, "--input", "-", lines=lines)
    assert 0 == played.code, played.err
    return played.out


def _make_replay_answer(run: str, turns: int) -> CommandAnswer:
    """The answer for a run that replays without a difference."""
    return CommandAnswer(0, f"{run}: {turns} turns, every one the same.\n", "")


def _count_turns(run: str) -> int:
    return int(_LISTED[run][1])


def _read_lines(moment: dict[str, Any]) -> list[str]:
    """The lines that are said in a state."""
    directives = moment["step"]["directives"]
    return [each["args"]["text"] for each in directives if each["type"] == "Say"]


# Runs


def test_the_runs_are_listed_as_before(project: Path) -> None:
    """Every stored run is listed as before."""
    assert CommandAnswer(0, _read_expected("log.txt"), "") == _run_command(project, "log")


@pytest.mark.parametrize("run", _LISTED)
def test_a_run_is_read_as_before(project: Path, run: str) -> None:
    """The overview and the timeline of a run are the same as before."""
    overview = _run_command(project, "log", run)
    timeline = _run_command(project, "log", run, "--timeline")

    assert _read_expected(f"{run}.txt") == overview.out + timeline.out


def test_turns_are_exported_as_before(project: Path) -> None:
    """An exported turn is the same line of JSON, byte for byte."""
    exported = _run_command(project, "log", _LEFT, "--export")

    assert CommandAnswer(0, _read_expected("cottage.jsonl"), "") == exported


@pytest.mark.parametrize("run", _LISTED)
def test_a_run_replays_without_a_difference(project: Path, run: str) -> None:
    """Every turn replays as recorded, including undone, loaded and edited ones."""
    assert _make_replay_answer(run, _count_turns(run)) == _run_command(project, "replay", run)


@pytest.mark.parametrize(
    ("run", "words", "told"),
    [
        (_ENGLISH, "look", "Front Garden"),
        (_JAPANESE, "鉄の門を開ける", "鉄の門を開けた。"),
        (_ASKED, "look", "Toolshed"),
    ],
    ids=["English", "Japanese", "begun over HTTP"],
)
def test_a_run_continues(project: Path, run: str, words: str, told: str) -> None:
    """A run can be continued, and replays with the new turn."""
    played = _play_lines(project, "--resume", run, lines=f"{words}\n")
    replayed = _run_command(project, "replay", run)

    assert f"\n> {words}\n{told}\n" in played
    assert _make_replay_answer(run, _count_turns(run) + 1) == replayed


def test_edited_rules_still_judge(project: Path) -> None:
    """Rules that were edited into a run, from within and from outside, still apply."""
    words = "go east\nopen the oak chest\ntake the watering can\n"
    played = _play_lines(project, "--resume", _ENGLISH, lines=words)

    assert "> open the oak chest\nIt would be rude not to ring first.\n" in played
    assert "> take the watering can\nAsk before you take it.\n" in played


@pytest.mark.parametrize(
    ("run", "save", "place"),
    [
        (_ENGLISH, "court", "You are back where you saved.\nFountain Court"),
        (_JAPANESE, "泉", "保存したところに戻った。\n噴水の広場"),
    ],
    ids=["English", "Japanese"],
)
def test_a_save_of_a_run_loads(project: Path, run: str, save: str, place: str) -> None:
    """A save of a run can be loaded."""
    played = _play_lines(project, "--resume", run, lines=f"load {save}\n")

    assert f"> load {save}\n{place}\n" in played


def test_an_agent_keeps_its_seat(project: Path) -> None:
    """A table is resumed with its agent, which gets the next answer."""
    model = ("--model", "canned:answers.yaml")
    played = _play_lines(project, "--resume", _TABLE, *model, lines="say hello\n")
    replayed = _run_command(project, "replay", _TABLE)

    assert "  Pim (pim): the agent 'character'\n" in played
    assert "Pim: Take your time.\n" in played
    assert 0 == replayed.code


def test_a_recording_answers_at_a_table(project: Path) -> None:
    """A recording answers a prompt that it has."""
    words = ("lantern_island", "--agent", "pim", "--replay", "tape.jsonl")
    played = _play_lines(project, *words, lines="say hello\nlook\n")

    assert "> say hello\nvisitor: hello\nPim: Good evening! Mind the fog.\n" in played
    assert "Pim takes the piece of sea glass.\n" in played


# Stories at a terminal

_COTTAGE_LEFT = """\
The cottage
Continuing where you stopped.

The front door is open.
  1. Try the door
  2. Go in
What do you do?
> 2

There is soup.

— The end — (soup)
"""
_LAMP_LEFT = """\
The lamp
Continuing where you stopped.

Somebody knocks.
  1. Open
  2. Wait
> 2

The knocking stops.

The night is over.

— The end — (morning)
"""


@pytest.mark.parametrize(
    ("story", "told"),
    [("cottage/story.md", _COTTAGE_LEFT), ("lamp.md", _LAMP_LEFT)],
    ids=["on a world", "by itself"],
)
def test_a_story_continues_where_it_was_left(project: Path, story: str, told: str) -> None:
    """A story is resumed at the same place, and its next choice works."""
    played = _play_lines(project, f"stories/{story}", "--resume", lines="2\n")

    assert told == played


def test_a_save_of_a_story_loads(project: Path) -> None:
    """A story continues from its save with the variables it had then."""
    played = _play_lines(project, "stories/lamp.md", "--load", "first", lines="1\n")

    assert played.startswith("The lamp\nBack at 'first'.\n\nSomebody knocks.\n")
    assert "It is the neighbour.\n" in played


def test_a_save_of_a_story_takes_its_world_back(project: Path) -> None:
    """Loading a save of a story restores its world, and the run still replays."""
    words = ("stories/cottage/story.md", "--load", "key")
    played = _play_lines(project, *words, lines="1\n")
    replayed = _run_command(project, "replay", _LEFT)

    assert played.startswith("The cottage\nBack at 'key'.\n\nThe front door is locked.\n")
    assert "> 1\n\nIt opens.\n" in played
    assert _make_replay_answer(_LEFT, _count_turns(_LEFT) + 2) == replayed


def test_the_runs_of_stories_are_listed(project: Path) -> None:
    """The runs of hosts, servers and terminals are listed, each with its story."""
    rows = _run_command(project, "log", "--stories", "--json").document["stories"]
    told = _run_command(project, "log", "--stories").out.splitlines()

    listed = {row["run"]: row["story"] for row in rows}
    (lamp,) = {*listed} - {*_STORIES, _LEFT, _COTTAGE, _ISLAND}
    assert ["lamp"] * 3 == [listed[run] for run in (lamp, *_STORIES)]
    assert ["cottage"] * 2 == [listed[run] for run in (_LEFT, _COTTAGE)]
    assert "lantern-island" == listed[_ISLAND]
    assert [[row["run"], row["created"], row["story"]] for row in rows] == [*map(str.split, told)]


def test_a_story_of_a_host_or_a_server_continues_at_a_terminal(project: Path) -> None:
    """A run is found by its id, or by its story and a save."""
    hosted = _play_lines(project, "--resume", _HOSTED, lines="2\n")
    told = _play_lines(project, "stories/lamp.md", "--load", "lit", lines="quit\n")

    assert hosted.startswith("The lamp\nContinuing where you stopped.\n\nSomebody knocks.\n")
    assert "The knocking stops.\n" in hosted
    assert told.startswith("The lamp\nBack at 'lit'.\n\nIt burns after 1 try.\n")


def test_a_host_continues_with_a_story(project: Path) -> None:
    """A host resumes a host's run by its id, with its saves."""
    asked = [{"op": "resume", "run": _HOSTED}, {"op": "saves"}, {"op": "choose", "index": 1}]
    lines = "".join(f"{json.dumps(each)}\n" for each in asked)
    told = _run_command(project, "host", "--stdio", "--story", "lamp", lines=lines)
    resumed, saves, chosen = map(json.loads, told.out.splitlines())

    assert ["Somebody knocks."] == _read_lines(resumed["moment"])
    assert ["host"] == [save["name"] for save in saves["saves"]]
    assert ["The knocking stops."] == _read_lines(chosen["moment"])


# The gate


def test_runs_of_processes_are_listed_as_before(project: Path) -> None:
    """Every run of the gate is listed with its state and revision."""
    assert CommandAnswer(0, _read_expected("gate.txt"), "") == _run_command(project, "gate", "runs")


@pytest.mark.parametrize("run", _GATE)
def test_a_run_of_a_process_verifies(project: Path, run: str) -> None:
    """The log, records, rules and evidence of every run are verified."""
    verified = _run_command(project, "gate", "verify", run)

    assert (0, f"OK: {run}") == (verified.code, verified.out.splitlines()[-1])
    assert "error[" not in verified.out


@pytest.mark.parametrize("run", _GATE)
def test_the_history_of_a_process_is_reported_as_before(project: Path, run: str) -> None:
    """The history of every run is the same as before."""
    told = _run_command(project, "gate", "history", run)

    assert CommandAnswer(0, _read_expected(f"gate-{run}.txt"), "") == told


@pytest.mark.parametrize("run", _GATE)
def test_a_run_of_a_process_shows_its_state(project: Path, run: str) -> None:
    """The state and revision of each run are the same."""
    process, state, revision, _ = _GATE[run]
    told = _run_command(project, "gate", "state", run, "--json").document

    assert (process, state, int(revision)) == tuple(
        told[name] for name in ("process_id", "current_state", "revision")
    )


def test_the_run_that_was_worked_on_is_still_meant(project: Path) -> None:
    """If no run is named, the one in the project's settings is used."""
    told = _run_command(project, "gate", "state").out

    assert told.startswith(f"done (the end)\n  run       {_FINISHED}\n")


def test_a_person_decides_on_an_old_review(project: Path) -> None:
    """An old credential is accepted, and the decision is verified afterwards."""
    review = _run_command(project, "gate", "review", _AWAITED, "--json").document
    approve = ("approve", _AWAITED, "--digest", review["digest"])
    approved = _run_command(project, "gate", *approve, "--credential-file", "ann.key")
    verified = _run_command(project, "gate", "verify", _AWAITED)

    assert CommandAnswer(0, "decide → done, revision 12\n", "") == approved
    assert (0, f"OK: {_AWAITED}") == (verified.code, verified.out.splitlines()[-1])


def test_an_event_under_its_old_key_is_accepted_once(project: Path) -> None:
    """A repeated old request gets its first answer, and a new one moves the run."""
    sent = ("emit", _MIDDLE, "submit_hypothesis", "--expected-revision", "1")
    again = _run_command(project, "gate", *sent, "--key", "hyp-002", "--artifact", "hypothesis.md")
    more = ("emit", _MIDDLE, "submit_evidence", "--expected-revision", "2")
    moved = _run_command(
        project, "gate", *more, "--key", "ev-002", "--inline", 'evidence="71 degrees"'
    )

    assert again.out.startswith("frame → experiment, revision 2 (accepted before)\n")
    assert moved.out.startswith("experiment → observe, revision 3\n")


def test_a_run_continues_under_the_process_it_was_moved_to(project: Path) -> None:
    """A definition stored by its hash is found, and its run can be continued."""
    sent = ("emit", _TIMED, "please", "--expected-revision", "3", "--key", "p")
    pleased = _run_command(project, "gate", *sent)

    assert CommandAnswer(0, "bored → pleased, revision 4\n", "") == pleased


# Agents


def test_a_worker_continues_from_its_journal(project: Path) -> None:
    """A stopped agent is resumed from its journal, and repeats no step."""
    words = ("agent", "run", "worker", "--resume", "--max-iterations", "4")
    resumed = _run_command(project, *words, "--model", "canned:worker.json")
    state = _run_command(project, "gate", "state", _WORKED, "--json").document

    assert resumed.err.startswith("4 work\n  submit: done: the run is now in 'observe'\n")
    assert ("observe", 3) == (state["current_state"], state["revision"])


def test_the_runs_of_an_agent_are_listed(project: Path) -> None:
    """The journal of the project's agent shows how its run ended."""
    listed = _run_command(project, "agent", "runs", "guide")

    assert 0 == listed.code
    assert ["2", "iterations", "done"] == listed.out.split()[1:]


def test_a_recording_answers_an_agent(project: Path) -> None:
    """The project's agent runs to its end from its recording."""
    run = _run_command(project, "agent", "run", "guide", "--replay", "guide.jsonl")

    assert 0 == run.code, run.err
    assert "done: the flow has ended after 'review'" in run.out


# Experiments


@pytest.mark.parametrize(
    ("experiment", "told"),
    [
        ("telling", "2 cells, 2 turns, every one the same.\n"),
        ("real", "1 cell, 1 turn, every one the same.\n"),
    ],
    ids=["stand-ins", "recorded answers"],
)
def test_an_experiment_replays_without_a_difference(
    project: Path, experiment: str, told: str
) -> None:
    """Every cell replays as stored, including prompts, words and verdicts."""
    replayed = _run_command(project, "experiment", "replay", experiment)

    assert CommandAnswer(0, told, "") == replayed


_FIRST_TURN: Final = re.compile(rb"^- \*\*000 ", re.M)


def _read_results(folder: Path) -> dict[str, bytes]:
    """Every file of every experiment except the times."""
    files = [path for path in (folder / "results").rglob("*") if path.is_file()]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in files
        if path.name != "times.json"
    }


@pytest.mark.parametrize("experiment", ["telling", "real"])
def test_results_are_written_again_the_same(project: Path, experiment: str) -> None:
    """Resuming a finished experiment plays nothing, and writes the same bytes.

    Only the turns of its conversations are numbered from 1, no longer from 000.
    """
    resumed = _run_command(project, "experiment", "resume", experiment, "--no-report")
    expected = _read_results(_GOLDEN / "workspace")
    (report,) = [n for n in expected if f"_{experiment}_" in n and "CONVERSATION_REPORT" in n]
    expected[report] = _FIRST_TURN.sub(b"- **1 ", expected[report])

    assert 0 == resumed.code, resumed.err
    assert expected == _read_results(project)


def test_an_experiment_is_reported(project: Path) -> None:
    """A report can be made from the cells of an earlier version."""
    reported = _run_command(project, "experiment", "report", "telling")
    (report,) = (project / "results").glob("gm_2x2_telling_*/REPORT.md")

    assert 0 == reported.code, reported.err
    assert "Does it help to tell a character what is true?" in report.read_text("utf-8")


# Over HTTP


class _ServerVisitor(NamedTuple):
    """A client of a server."""

    address: str

    def get(self, path: str) -> Any:
        """Send a GET request; returns the answer."""
        return self._ask("GET", path, None, {})

    def post(self, path: str, body: object, seen: int | None, key: str = "") -> Any:
        """Send a change at a revision; returns the answer."""
        headers = {} if seen is None else {"If-Match": f'"{seen}"'}
        headers |= {"Idempotency-Key": key} if key else {}
        return self._ask("POST", path, body, headers)

    def _ask(self, method: str, path: str, body: object, headers: dict[str, str]) -> Any:
        content = None if body is None else json.dumps(body).encode()
        asked = Request(
            f"{self.address}/api/v1{path}",
            content,
            {"Content-Type": "application/json", **headers},
            method=method,
        )
        with urlopen(asked, timeout=120) as told:
            return json.load(told)


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_ServerVisitor]:
    """A client of a server of the old project; each test changes another run."""
    with ServeProcess(_copy_project(tmp_path_factory.mktemp("served"))) as server:
        yield _ServerVisitor(server.address)


@pytest.mark.slow
def test_a_server_lists_what_was_kept(visitor: _ServerVisitor) -> None:
    """Runs and stories of terminals, hosts and servers are listed, and all else too."""
    runs = visitor.get("/runs")["items"]
    told = {run["id"]: run["story"] for run in runs if run["kind"] == "story"}
    (lamp,) = {*told} - {*_STORIES}
    saves = {
        story: [each["name"] for each in visitor.get(f"/runs/{run}/saves")["items"]]
        for story, run in (("cottage", _LEFT), ("lamp", lamp))
    }
    stories = visitor.get("/stories")["items"]
    gate = [each["run_id"] for each in visitor.get("/gate/runs")["items"]]
    experiments = [each["id"] for each in visitor.get("/experiments")["items"]]

    assert {*_LISTED} == {run["id"] for run in runs if run["kind"] != "story"}
    assert {*_STORIES} == {*told} - {lamp}
    assert {"lamp"} == {*told.values()}
    assert {"cottage": ["key"], "lamp": ["again", "first"]} == saves
    assert [[]] * len(stories) == [each["terminal"] for each in stories]
    assert [*_GATE] == gate[::-1]
    assert ["real", "telling"] == experiments


@pytest.mark.slow
@pytest.mark.parametrize("run", [_ENGLISH, _ISLAND], ids=["terminal", "server"])
def test_a_server_replays_a_run(visitor: _ServerVisitor, run: str) -> None:
    """A server replays every turn without a difference."""
    told = visitor.post(f"/runs/{run}/replay", None, None)

    assert (_count_turns(run), None) == (told["turnsChecked"], told["firstDifference"])


@pytest.mark.slow
def test_a_server_continues_with_a_scenario(visitor: _ServerVisitor) -> None:
    """A run that was started at a terminal is continued over HTTP."""
    moment = visitor.get(f"/runs/{_JAPANESE}/moment")
    words = {"text": "鉄の門を開ける"}
    after = visitor.post(f"/runs/{_JAPANESE}/words", words, moment["revision"])

    assert (14, ["鉄の門の鍵を開けた。"]) == (moment["revision"], _read_lines(moment))
    assert (15, ["鉄の門を開けた。"]) == (after["revision"], _read_lines(after))


@pytest.mark.slow
def test_a_server_knows_old_requests(visitor: _ServerVisitor) -> None:
    """A request that is sent again under its old key is not done again."""
    begin = {"scenario": "door_and_key", "seed": 7}
    begun = visitor.post("/runs", begin, None, "begin-1")
    words = {"text": "open the chest"}
    again = visitor.post(f"/runs/{_ASKED}/words", words, 6, "try-3")

    assert (_ASKED, 7) == (begun["run"], begun["revision"])
    assert ["It would be rude not to ring first."] == _read_lines(again)
    assert 7 == visitor.get(f"/runs/{_ASKED}/moment")["revision"]


@pytest.mark.slow
def test_a_server_continues_with_a_story(visitor: _ServerVisitor) -> None:
    """A story waits at its choice, takes it, and loads an old save."""
    run = _TOLD
    moment = visitor.get(f"/runs/{run}/moment")
    chosen = visitor.post(f"/runs/{run}/choices", {"index": 0}, moment["revision"])
    loaded = visitor.post(f"/runs/{run}/saves/lit/load", None, chosen["revision"])

    assert ("choice", ["Somebody knocks."]) == (moment["waiting"], _read_lines(moment))
    assert ["It is the neighbour."] == _read_lines(chosen)
    assert ["It burns after 1 try."] == _read_lines(loaded)


@pytest.mark.slow
def test_a_server_continues_with_a_story_on_a_world(visitor: _ServerVisitor) -> None:
    """The next step of a story uses its world, which goes back with an old save."""
    path = f"/runs/{_COTTAGE}"
    moment = visitor.get(f"{path}/moment")
    after = visitor.post(f"{path}/steps", None, moment["revision"])
    loaded = visitor.post(f"{path}/saves/porch/load", None, after["revision"])
    replayed = visitor.post(f"{path}/replay", None, None)

    assert ["You polish the brass bell."] == _read_lines(moment)
    assert ["The front door is locked."] == _read_lines(after)
    assert ["Number of tries in vain: 1."] == _read_lines(loaded)
    assert (4, None) == (replayed["turnsChecked"], replayed["firstDifference"])


@pytest.mark.slow
def test_a_server_continues_with_stories_that_were_left_at_a_terminal(
    visitor: _ServerVisitor,
) -> None:
    """A story of a terminal is at its place, with its world, choice and save."""
    runs = visitor.get("/runs")["items"]
    (lamp,) = {run["id"] for run in runs if run["story"] == "lamp"} - {*_STORIES}
    moment = visitor.get(f"/runs/{lamp}/moment")
    chosen = visitor.post(f"/runs/{lamp}/choices", {"index": 1}, moment["revision"])
    loaded = visitor.post(f"/runs/{lamp}/saves/first/load", None, chosen["revision"])

    assert ["Somebody knocks."] == _read_lines(moment) == _read_lines(loaded)
    assert ["The knocking stops."] == _read_lines(chosen)

    (line,) = [run for run in runs if run["id"] == _LEFT]
    moment = visitor.get(f"/runs/{_LEFT}/moment")
    loaded = visitor.post(f"/runs/{_LEFT}/saves/key/load", None, moment["revision"])
    chosen = visitor.post(f"/runs/{_LEFT}/choices", {"index": 0}, loaded["revision"])
    replayed = visitor.post(f"/runs/{_LEFT}/replay", None, None)

    assert ("story on a world", "cottage") == (line["kind"], line["story"])
    assert ["The front door is open."] == _read_lines(moment)
    assert ["The front door is locked."] == _read_lines(loaded)
    assert ["It opens."] == _read_lines(chosen)
    assert (_count_turns(_LEFT) + 2, None) == (
        replayed["turnsChecked"],
        replayed["firstDifference"],
    )


@pytest.mark.slow
def test_a_server_continues_with_a_story_that_is_shipped(visitor: _ServerVisitor) -> None:
    """The line at which the story was left is followed by the next one."""
    moment = visitor.get(f"/runs/{_ISLAND}/moment")
    after = visitor.post(f"/runs/{_ISLAND}/steps", None, moment["revision"])

    assert ["jetty-2"] == [each["args"]["id"] for each in moment["step"]["directives"]]
    assert ["jetty-3"] == [each["args"]["id"] for each in after["step"]["directives"]]


@pytest.mark.slow
def test_a_server_continues_with_a_process(visitor: _ServerVisitor) -> None:
    """A run of the gate verifies, recognises its old event, and takes the next."""
    path = f"/gate/runs/{_SENT}"
    handed = {"type": "hypothesis", "content": "Tea is better with a lid."}
    old = {"event_name": "submit_hypothesis", "artifacts": [handed]}
    again = visitor.post(f"{path}/events", old, 1, "event-1")
    handed = {"type": "evidence", "content": "71 degrees"}
    new = {"event_name": "submit_evidence", "artifacts": [handed]}
    moved = visitor.post(f"{path}/events", new, 2, "event-2")
    verified = visitor.post(f"{path}/verify", None, None)

    assert 2 == again["result"]["new_revision"]
    assert 3 == moved["result"]["new_revision"]
    assert verified["passed"]
