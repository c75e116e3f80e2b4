"""Experiments that are killed, with or without their workers, and resumed."""

import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed

import psutil

from tests.journeys.experiment_commands import read_files
from tests.torture.child_process import TortureChild, run_command, spin
from tests.torture.ordeal import Ordeal, TrialTally

_PLAN = (
    *("--scenario", "coffee_trap", "--conditions", "A", "D", "--max-turns", "3"),
    *("--experiment-id", "trial", "--seeds", "30"),
)
_CELLS = 60
_MOST = 5
"""Kills in a trial before it may end."""

Harm = Callable[[TortureChild, Path, Random], int]
"""Harms a running experiment in a folder, and returns how often."""


@cache
def _make_undisturbed() -> dict[str, bytes]:
    """Every file of an undisturbed experiment except those with times."""
    with tempfile.TemporaryDirectory(prefix="saniwa-") as folder:
        done = run_command(Path(folder), "experiment", "run", *_PLAN, "--no-report")
        assert 0 == done.code, done
        return read_files(_find_experiment(Path(folder)))


def _find_experiment(folder: Path) -> Path:
    """The folder of the one experiment that has started."""
    begun = [*folder.glob("results/*/prepared.json")]
    assert 1 == len(begun), begun
    return begun[0].parent


def _read_finished_cells(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Finished cells: the inode of each file, and its content."""
    found = folder.glob("results/*/cells/*.json")
    return {path.name: (path.stat().st_ino, path.read_bytes()) for path in found}


def _resume_after_harm(folder: Path, chance: Random, *more: str, harm: Harm) -> TrialTally:
    """Begin the experiment, harm it, and resume it until it ends by itself."""
    harmed, told = 0, dict[str, tuple[int, bytes]]()
    while True:
        begun = [*folder.glob("results/*/prepared.json")]
        words = ("resume", "last") if begun else ("run", *_PLAN)
        with TortureChild(folder, "experiment", *words, "--no-report", *more) as child:
            if harmed < _MOST:
                harmed += harm(child, folder, chance)
            child.read_rest()
            code, said = child.code, child.errors
        kept = _read_finished_cells(folder)
        assert told.items() <= kept.items(), "a finished cell was repeated, or is missing"
        told = kept
        if code == 0:
            break
        assert code == -9, (code, said)
    _assert_same(_make_undisturbed(), read_files(_find_experiment(folder)))
    return TrialTally(harmed=harmed, acknowledged=_CELLS)


def _assert_same(expected: dict[str, bytes], found: dict[str, bytes]) -> None:
    """Both have the same files; temporary files of a killed writer do not count."""
    whole = {name: found[name] for name in found if "/.saniwa-" not in f"/{name}"}
    differing = [
        name for name in sorted({*expected, *whole}) if expected.get(name) != whole.get(name)
    ]
    assert [] == differing


def _kill_child(child: TortureChild, folder: Path, chance: Random) -> int:
    """Kill it after some cells or some time; it may have ended before."""
    if chance.random() < 0.3:
        child.let_work(chance.uniform(0.0, 1.5))
    else:
        _wait_for_cells(
            child, folder, len(_read_finished_cells(folder)) + chance.randint(0, _CELLS)
        )
    spin(chance, 0.02)
    alive = child.code is None
    child.kill()
    return int(alive)


def _wait_for_cells(child: TortureChild, folder: Path, cells: int) -> None:
    """Wait until enough cells are finished, or it has ended."""
    while child.code is None and len(_list_finished(folder)) < min(cells, _CELLS):
        child.let_work(0.002)


def _list_finished(folder: Path) -> list[str]:
    """The finished cells; none if the folder does not exist yet."""
    found = [*folder.glob("results/*/cells")]
    names = [path.name for path in found[0].iterdir()] if found else []
    return [name for name in names if name.endswith(".json")]


def _kill_experiment(folder: Path, chance: Random) -> TrialTally:
    return _resume_after_harm(folder, chance, harm=_kill_child)


def _try_killed_workers(folder: Path, chance: Random) -> TrialTally:
    left = [chance.randint(1, 3)]

    def kill_some_workers(child: TortureChild, folder: Path, chance: Random) -> int:
        """Kill one or all of its workers, or sometimes itself, as long as kills are left."""
        done = 0
        while left[0] and child.code is None:
            left[0] -= 1
            _wait_for_cells(
                child, folder, len(_list_finished(folder)) + chance.randint(1, _CELLS // 2)
            )
            if chance.random() < 0.3:
                return done + _kill_child(child, folder, chance)
            done += _kill_workers(child, chance)
        return done

    return _resume_after_harm(folder, chance, "--workers", "2", harm=kill_some_workers)


def _kill_workers(child: TortureChild, chance: Random) -> int:
    workers = _list_workers(child)
    doomed = workers if chance.random() < 0.3 else workers[:1]
    for worker in doomed:
        with suppress(psutil.NoSuchProcess):
            worker.kill()
    return len(doomed)


def _list_workers(child: TortureChild) -> list[psutil.Process]:
    try:
        found = psutil.Process(child.id).children(recursive=True)
        return [each for each in found if "spawn_main" in " ".join(each.cmdline())]
    except psutil.Error:
        # It has ended in the meantime.
        return []


ORDEALS = (
    Ordeal(
        name="experiment-killed",
        tried="An experiment is killed with -9 at random moments and resumed until "
        "it ends by itself.",
        promised="No finished cell is lost or done again, and every file is the same, byte "
        "for byte, as without a kill.",
        trial=_kill_experiment,
    ),
    Ordeal(
        name="workers-killed",
        tried="Workers of an experiment are killed with -9, one or all, and at times the "
        "experiment itself, which is then resumed.",
        promised="No finished cell is lost or done again, and every file is the same, byte "
        "for byte, as without a kill.",
        trial=_try_killed_workers,
    ),
)
