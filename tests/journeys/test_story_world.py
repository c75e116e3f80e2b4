"""Lantern Island played to every ending; killed on the way, and resumed.

The tests kill only processes they started.
"""

import asyncio
import json
import random  # noqa: TID251 - seeded times of the kills
import runpy
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from saniwa.app.run_service import RunService
from saniwa.app.story_opening import inspect_story, load_story, open_story
from saniwa.runs.replay import replay_run
from saniwa.runs.story_playing import StoryPlaying
from saniwa.store.sqlite_runs_and_plays import SqlitePlayRecords
from saniwa.story.program import EndOp
from saniwa.story.step_result import Branch, Say, StepResult
from saniwa.turn.record import Turn
from saniwa.world.fingerprint import compute_fingerprint
from tests.fakes.nightly import choose_cases
from tests.fakes.processes import end_with_test
from tests.fakes.runs import summarize_replay
from tests.fakes.stepresults import assert_keeps_contract
from tests.fakes.story_walk import FOLDER, find_ending, list_routes, move
from tests.house.pages import ROOT, run_documented

STORIES = {"en": ROOT / FOLDER / "story.md", "ja": ROOT / FOLDER / "story.ja.md"}
ENDINGS = tuple(list_routes("en"))


def walk_to_ending(language: str, ending: str, *, reloading: bool = False) -> list[StepResult]:
    """Everything shown on the way to an ending, on the real scenario.

    `reloading` saves the story at every wait and continues with a new one that loads it.
    """
    parts = RunService.open("memory:")
    story = load_story(STORIES[language])
    left = list(list_routes(language)[ending])

    async def walk() -> list[StepResult]:
        performance: StoryPlaying = open_story(STORIES[language], parts)
        assert performance.run is not None
        shown = [await performance.step()]
        while performance.waiting != "end":
            if reloading:
                state = performance.encode_state()
                performance = StoryPlaying(story, parts.resume(performance.run.id))
                assert "exactly" == (await performance.load(state)).found
                assert shown[-1] == await performance.step()
            if performance.waiting not in ("step", "end"):
                await move(performance, shown[-1], left.pop(0))
            shown.append(await performance.step())
        assert [] == left
        assert performance.run is not None
        assert (performance.run.count, None) == summarize_replay(
            replay_run(parts.store, performance.run.id)
        )
        return shown

    return asyncio.run(walk())


@pytest.mark.parametrize("language", STORIES)
@pytest.mark.parametrize("ending", ENDINGS)
def test_every_ending_is_reached_in_every_language(language: str, ending: str) -> None:
    """Every ending can be reached on the real scenario, and each step keeps the contract."""
    shown = walk_to_ending(language, ending)

    assert ending == find_ending(shown[-1])
    for result in shown:
        assert_keeps_contract(result)


@pytest.mark.parametrize(("language", "letters"), [("en", 25), ("ja", 5)])
def test_the_world_and_the_story_do_not_say_the_same(language: str, letters: int) -> None:
    """The world and the story do not use the same words about lighting the lamp."""
    shown = [
        d.args.text
        for r in walk_to_ending(language, "lamp-lit")
        for d in r.directives
        if isinstance(d, Say)
    ]
    before, after = "".join(shown[-5:-3]), "".join(shown[-3:])
    runs = {after[at : at + letters] for at in range(len(after) - letters + 1)}

    assert [] == [run for run in runs if run in before]


@pytest.mark.parametrize("language", STORIES)
@pytest.mark.parametrize("ending", ENDINGS)
def test_put_down_at_every_wait_it_is_the_same_story(language: str, ending: str) -> None:
    """A story that is saved and loaded at every wait shows the same steps."""
    assert walk_to_ending(language, ending) == walk_to_ending(language, ending, reloading=True)


def test_the_ways_lead_to_all_the_endings_there_are() -> None:
    """There is a walk for every ending of the story."""
    for language, story in STORIES.items():
        ends = set(_list_endings(story))
        assert set(list_routes(language)) == ends


def _list_endings(story: Path) -> dict[str, str]:
    """The names of the endings by their ids."""
    ops = load_story(story).program.ops
    return {op.ending: op.name for op in ops if isinstance(op, EndOp) and op.ending}


def test_every_ending_has_a_name_in_the_language_of_its_story() -> None:
    """Every ending has a name in the language of its story."""
    english, japanese = (_list_endings(STORIES[language]) for language in ("en", "ja"))

    assert all(name and name.isascii() for name in english.values())
    assert all(name and not name.isascii() for name in japanese.values())


@pytest.mark.parametrize("language", STORIES)
def test_nothing_at_all_is_found_in_it(language: str) -> None:
    """The story has no findings, neither about its text nor about its world."""
    assert () == inspect_story(STORIES[language]).report.findings


def test_every_picture_and_sound_is_found_and_used() -> None:
    """Every picture and sound is used by both stories, and all of them are small."""
    assets = ROOT / FOLDER / "assets"
    files = {path for path in assets.rglob("*") if path.is_file()}

    for story in STORIES.values():
        text = story.read_text(encoding="utf-8")
        unused = [f for f in files if f.stem not in text]
        assert [] == unused
    assert 400_000 > sum(path.stat().st_size for path in files)


def test_the_pictures_and_sounds_come_out_the_same_again() -> None:
    """The script that made the assets makes the same bytes again."""
    made = runpy.run_path(str(ROOT / FOLDER / "make_assets.py"))["make_files"]()
    assets = ROOT / FOLDER / "assets"
    kept = {
        path.relative_to(assets).as_posix(): path.read_bytes()
        for path in assets.rglob("*")
        if path.is_file()
    }

    assert kept == made


def test_a_trace_plays_the_world_and_keeps_nothing(tmp_path: Path) -> None:
    """`saniwa trace` does the actions of the choices on a new run, and stores nothing."""
    shutil.copytree(ROOT / FOLDER, tmp_path / "island")

    printed = run_documented(
        "saniwa trace story.md --answers Ana --choices 3,1,2,2,1 --json", tmp_path / "island"
    )

    assert "A click, a sigh of cold air" in printed
    assert not (tmp_path / "island" / ".saniwa").exists()


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_done_story_and_world_stay_together(seed: int) -> None:
    """After random choices, words, undos, saves and loads, every state can be restored."""
    evening = RestlessReader(seed)

    asyncio.run(evening.spend_moves(150))

    assert evening.run.count
    assert (evening.run.count, None) == summarize_replay(
        replay_run(evening.parts.store, evening.run.id)
    )


class RestlessReader:
    """A reader who makes random moves, and checks that each state is shown the same again."""

    WORDS = ("look around", "go down and go down and go south", "take all", "dance", "")

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.parts = RunService.open("memory:")
        self.run = self.parts.begin("lantern_island")
        self.performance = StoryPlaying(load_story(STORIES["en"]), self.run)
        self.shown: list[tuple[StepResult, str]] = []
        self.saves: list[tuple[bytes, tuple[StepResult, str]]] = []

    async def spend_moves(self, moves: int) -> None:
        """Make that many moves, with a check after each."""
        self.shown.append(await self._take_step())
        for _ in range(moves):
            doing = self.chance.choices(
                (self._go_on, self._back, self._save, self._load), (6, 1, 1, 1)
            )
            await doing[0]()

    async def _take_step(self) -> tuple[StepResult, str]:
        step = await self.performance.step()
        return step, compute_fingerprint(self.performance.world)

    async def _go_on(self) -> None:
        waiting = self.performance.waiting
        if waiting == "end":
            await self._load()
            return
        if ("answer" in waiting and self.chance.random() < 0.5) or waiting == "answer":
            await self.performance.answer(self.chance.choice(self.WORDS))
        elif "choice" in waiting:
            step, _ = self.shown[-1]
            (branch,) = (d.args for d in step.directives if isinstance(d, Branch))
            await self.performance.choose(self.chance.randrange(len(branch.choices)))
        self.shown.append(await self._take_step())

    async def _back(self) -> None:
        steps = self.chance.randrange(1, 5)
        step = await self.performance.back(steps)
        if step is not None:
            del self.shown[-steps:]
            assert self.shown[-1] == (step, compute_fingerprint(self.performance.world))

    async def _save(self) -> None:
        self.saves.append((self.performance.encode_state(), self.shown[-1]))

    async def _load(self) -> None:
        if self.saves:
            state, expected = self.chance.choice(self.saves)
            await self.performance.load(state)
            assert expected == await self._take_step()
            self.shown = [expected]


def _start_walker(store: Path, ending: str, lives: int = 0) -> subprocess.Popen[str]:
    given = (str(store), str(FOLDER / "story.md"), ending, str(lives))
    return end_with_test(
        subprocess.Popen(
            [sys.executable, "-m", "tests.fakes.story_walk", *given],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
    )


def _read_number(line: str) -> int:
    return int(line.split()[1])


def _read_lines(child: subprocess.Popen[str], lines: int | None) -> list[str]:
    """The child's lines; it is killed after that many lines, or read to its end."""
    assert child.stdout is not None
    heard = []
    if lines is not None:
        heard = [child.stdout.readline() for _ in range(lines)]
        child.send_signal(signal.SIGKILL)
    rest, _ = child.communicate(timeout=120)
    heard += rest.splitlines(keepends=True)
    return [line.strip() for line in heard if line.endswith("\n")]


def _list_deeds(parts: RunService) -> list[Turn]:
    """The turns of all runs that have any."""
    played = [each.run_id for each in parts.store.list_runs() if each.turns]
    return [turn for run_id in played for turn in parts.store.read_turns(run_id)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", choose_cases([1, 2], 1))
def test_killed_at_any_moment_no_deed_is_done_twice_and_no_choice_lost(
    tmp_path: Path, seed: int
) -> None:
    """A story that is killed repeatedly has exactly the actions of one walk in the end.

    Half of the kills come from outside, at any moment; half come just before a state is
    stored, which is after the turn and before the story knows about it.
    """
    chance = random.Random(seed)
    store, ending = tmp_path / "runs.sqlite", "two-hands"
    kept = 0
    for number in range(8):
        lines = chance.randrange(1, 9)
        if number % 2:
            said = _read_lines(_start_walker(store, ending, lives=lines), None)
        else:
            said = _read_lines(_start_walker(store, ending), lines)
        # Everything that was acknowledged is there when the next process resumes.
        assert kept <= _read_number(said[0])
        kept = max([kept, *(_read_number(line) for line in said if line[0] != "e")])
    said = _read_lines(_start_walker(store, ending), None)

    assert kept <= _read_number(said[0])
    assert f"end {ending}" == said[-1]
    parts = RunService.open(store, must_exist=True)
    live = RunService.open(tmp_path / "live.sqlite")
    _walk_once(live, ending)
    assert [t.raw_text for t in _list_deeds(live)] == [t.raw_text for t in _list_deeds(parts)]
    assert all(turn.aside is None for turn in _list_deeds(parts))
    for each in (parts, live):
        each.close()


def _walk_once(parts: RunService, ending: str) -> None:
    left = list(list_routes("en")[ending])

    async def walk() -> None:
        performance = open_story(STORIES["en"], parts)
        result = await performance.step()
        while performance.waiting != "end":
            if performance.waiting != "step":
                await move(performance, result, left.pop(0))
            result = await performance.step()

    asyncio.run(walk())


def test_a_place_is_stored_next_to_the_store_without_any_path(tmp_path: Path) -> None:
    """The stored data of a story is JSON, and names no folder of this machine."""
    parts = RunService.open(tmp_path / "runs.sqlite")
    _walk_once(parts, "warm")
    parts.close()

    with closing(SqlitePlayRecords(tmp_path / "plays.sqlite")) as plays:
        kept = {id: plays.get(id) for id in plays.list_ids()}

    assert {"last", "run", "step"} == {each.partition("-")[0] for each in kept}
    for each in kept.values():
        assert each is not None
        assert str(tmp_path).encode() not in each.content
        json.loads(each.content)
    assert not (tmp_path / "stories").exists()
