"""Several processes that write in one folder at the same time."""

import json
import multiprocessing
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from saniwa.app.scenario_files import (
    create_book,
    create_scenario,
    read_book_source,
    read_source,
    write_book_source,
    write_source,
)
from saniwa.app.story_files import create_story, read_text, write_text
from saniwa.app.story_library import StoryLibrary
from saniwa.core.errors import SaniwaError
from saniwa.scenario.registry import Registry

ROUNDS = 12


def _run_two_processes(folder: Path, work: Callable[..., None]) -> list[list[str]]:
    """The results of two processes that begin each round together."""
    spawn = multiprocessing.get_context("spawn")
    meet = spawn.Barrier(2)
    both = [spawn.Process(target=work, args=(folder, number, meet)) for number in (0, 1)]
    for each in both:
        each.start()
    for each in both:
        each.join(60)
    assert [0, 0] == [each.exitcode for each in both]
    return [json.loads((folder / f"{n}.told").read_text()) for n in (0, 1)]


def _write_told(folder: Path, number: int, told: list[str]) -> None:
    (folder / f"{number}.told").write_text(json.dumps(told))


def _try_work(work: Callable[[], Any]) -> str:
    try:
        work()
    except SaniwaError as problem:
        return str(problem.code)
    return "kept"


def _keep_texts(folder: Path, number: int, meet: Any) -> None:
    place, told = StoryLibrary.from_folder(folder / "stories").find("st"), list[str]()
    for turn in range(ROUNDS):
        seen = read_text(place, "story.md").version
        meet.wait(30)
        words = f"# {number} {turn}\n\nHi.\n"
        told.append(
            _try_work(lambda w=words, s=seen: write_text(place, "story.md", w, s))  # type: ignore[misc]
        )
        meet.wait(30)
    _write_told(folder, number, told)


def _keep_sources(folder: Path, number: int, meet: Any) -> None:
    registry, told = folder / "registry.yaml", list[str]()
    for turn in range(ROUNDS):
        seen = read_source("hut", registry).version
        meet.wait(30)
        words = f"name: hut\n# {number} {turn}\n"
        told.append(
            _try_work(lambda w=words, s=seen: write_source("hut", w, s, registry))  # type: ignore[misc]
        )
        meet.wait(30)
    _write_told(folder, number, told)


def _keep_books(folder: Path, number: int, meet: Any) -> None:
    registry, told = folder / "registry.yaml", list[str]()
    for turn in range(ROUNDS):
        seen = read_book_source("rules", registry).version
        meet.wait(30)
        words = f"extends: strict\n# {number} {turn}\n"
        told.append(_try_work(partial(write_book_source, "rules", words, seen, registry)))
        meet.wait(30)
    _write_told(folder, number, told)


def _make_scenarios(folder: Path, number: int, meet: Any) -> None:
    told = list[str]()
    for turn in range(ROUNDS):
        meet.wait(30)
        id = f"hut-{number}-{turn}"
        registry = folder / "registry.yaml"
        told.append(_try_work(partial(create_scenario, id, "en", registry)))
    _write_told(folder, number, told)


@pytest.mark.slow
@pytest.mark.parametrize("work", [_keep_texts, _keep_sources, _keep_books])
def test_of_two_writers_of_one_version_one_is_refused(
    tmp_path: Path, work: Callable[..., None]
) -> None:
    """Of two writers who have seen the same version, one is refused."""
    create_story(StoryLibrary.from_folder(tmp_path / "stories"), "st", "St", "en")
    create_scenario("hut", "en", tmp_path / "registry.yaml")
    create_book("rules", "extends: strict\n", registry=tmp_path / "registry.yaml")

    rounds = zip(*_run_two_processes(tmp_path, work), strict=True)
    assert [["REVISION_CONFLICT", "kept"]] * ROUNDS == [sorted(each) for each in rounds]


@pytest.mark.slow
def test_every_scenario_that_was_made_is_in_the_registry(tmp_path: Path) -> None:
    """Two processes that add to one registry lose no entry."""
    create_scenario("hut", "en", tmp_path / "registry.yaml")

    assert [["kept"] * ROUNDS] * 2 == _run_two_processes(tmp_path, _make_scenarios)
    assert 2 * ROUNDS + 1 == len(Registry.open(tmp_path / "registry.yaml").entries)
