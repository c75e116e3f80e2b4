"""Cold start: from the command to its help, compared with Python alone and three other tools."""

import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks import peers
from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.experiment import INSPECT
from benchmarks.peer_questions import PeerRow
from benchmarks.peers import EVENNIA, TEXTWORLD, Peer, PeerError
from benchmarks.row import Measurements, ResultRow
from benchmarks.timing import make_user_environment, time_once

SLOWEST = 250.0
"""Milliseconds until help is there."""
WORK = "saniwa --help, fresh process"
BESIDE: dict[str, tuple[Peer, str]] = {
    "TextWorld, tw-make --help": (TEXTWORLD, "tw-make"),
    "inspect-ai, inspect --help": (INSPECT, "inspect"),
    "Evennia, evennia --help": (EVENNIA, "evennia"),
}


@dataclass(frozen=True, slots=True)
class CommandStarts:
    """Starts of one command."""

    command: list[str]
    """What is started."""
    ms: list[float] = field(default_factory=list)
    """On the wall, each."""
    cpu: list[float] = field(default_factory=list)
    """Of CPU, each."""

    def start_once_more(self) -> None:
        """Start it once more."""
        before = _read_children_ms()
        self.ms.append(time_once(partial(_run, *self.command)))
        self.cpu.append(_read_children_ms() - before)


def measure(bench: BenchmarkRun) -> Measurements:
    """The time to the first help, ours and theirs."""
    ours = CommandStarts([str(Path(sys.executable).with_name("saniwa")), "--help"])
    bare = CommandStarts([sys.executable, "-c", "pass"])
    theirs = {name: CommandStarts(command) for name, command in _find_commands(bench).items()}
    _run(*ours.command)  # from now on Python has its bytecode
    rounds = bench.choose_amount(15, 5)
    # By turns, so that a busy machine slows all alike.
    for number in range(rounds):
        ours.start_once_more()
        bare.start_once_more()
        for each in theirs.values() if number % 3 == 0 else ():
            each.start_once_more()
    return Measurements(rows=_make_rows(ours, bare, theirs), growth=[])


def _make_rows(
    ours: CommandStarts, bare: CommandStarts, theirs: dict[str, CommandStarts]
) -> list[ResultRow]:
    spent = median(ours.ms)
    row: Callable[..., ResultRow] = partial(
        ResultRow, work=WORK, ours=spent, asks=PeerRow.COLD_START
    )
    beside = {name: median(theirs[name].ms) if name in theirs else None for name in BESIDE}
    return [
        row(
            peer="python -c pass",
            theirs=median(bare.ms),
            mark=f"under {SLOWEST / 1000:g} s",
            met=spent < SLOWEST,
            note=f"between {min(ours.ms):.0f} and {max(ours.ms):.0f} ms in {len(ours.ms)} "
            f"starts, Python alone between {min(bare.ms):.0f} and {max(bare.ms):.0f} ms; "
            f"{median(ours.cpu):.0f} ms of it is CPU, the rest is waiting for a core.",
        ),
        *(row(peer=name, theirs=value) for name, value in beside.items()),
    ]


def _find_commands(bench: BenchmarkRun) -> dict[str, list[str]]:
    """The peers' own commands, as far as they can be had and run."""
    found = {}
    for name, (peer, program) in BESIDE.items():
        try:
            command = [str(peers.prepare_environment(peer).with_name(program)), "--help"]
            _run(*command)
        except PeerError as problem:
            bench.note_missing_peer(peer.name, problem)
            continue
        except (OSError, subprocess.SubprocessError):
            bench.note_missing_peer(peer.name, PeerError(f"{program} --help does not run"))
            continue
        bench.note_peer(peer.name, peer.version)
        found[name] = command
    return found


def _run(*command: str) -> None:
    subprocess.run(
        command,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=make_user_environment(),
        timeout=120,
    )


def _read_children_ms() -> float:
    """CPU time of all processes we have started and seen the end of."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (spent.ru_utime + spent.ru_stime) * 1000
