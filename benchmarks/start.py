"""Cold start: from the command to its help, beside Python alone and three command lines."""

import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks import peers
from benchmarks.asked import Asked
from benchmarks.bench import Bench
from benchmarks.experiment import INSPECT
from benchmarks.peers import EVENNIA, TEXTWORLD, Peer, PeerError
from benchmarks.row import Found, Row
from benchmarks.timing import as_users_have_it, once_ms

SLOWEST = 250.0
"""Milliseconds until help is there."""
WORK = "saniwa --help, fresh process"
BESIDE: dict[str, tuple[Peer, str]] = {
    "TextWorld, tw-make --help": (TEXTWORLD, "tw-make"),
    "inspect-ai, inspect --help": (INSPECT, "inspect"),
    "Evennia, evennia --help": (EVENNIA, "evennia"),
}


@dataclass(frozen=True, slots=True)
class Starts:
    """Starts of one command."""

    command: list[str]
    """What is started."""
    ms: list[float] = field(default_factory=list)
    """On the wall, each."""
    cpu: list[float] = field(default_factory=list)
    """Of CPU, each."""

    def again(self) -> None:
        """Start it once more."""
        before = _children_ms()
        self.ms.append(once_ms(partial(_run, *self.command)))
        self.cpu.append(_children_ms() - before)


def measured(bench: Bench) -> Found:
    """The time to the first help, ours and theirs."""
    ours = Starts([str(Path(sys.executable).with_name("saniwa")), "--help"])
    bare = Starts([sys.executable, "-c", "pass"])
    theirs = {name: Starts(command) for name, command in _commands(bench).items()}
    _run(*ours.command)  # from now on Python has its bytecode
    rounds = bench.amount(15, 5)
    # By turns, so that a busy machine slows all alike.
    for number in range(rounds):
        ours.again()
        bare.again()
        for each in theirs.values() if number % 3 == 0 else ():
            each.again()
    return Found(rows=_rows(ours, bare, theirs), growth=[])


def _rows(ours: Starts, bare: Starts, theirs: dict[str, Starts]) -> list[Row]:
    spent = median(ours.ms)
    row: Callable[..., Row] = partial(Row, work=WORK, ours=spent, asks=Asked.COLD_START)
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


def _commands(bench: Bench) -> dict[str, list[str]]:
    """The peers' own commands, as far as they can be had and run."""
    found = {}
    for name, (peer, program) in BESIDE.items():
        try:
            command = [str(peers.environment(peer).with_name(program)), "--help"]
            _run(*command)
        except PeerError as problem:
            bench.missed(peer.name, problem)
            continue
        except (OSError, subprocess.SubprocessError):
            bench.missed(peer.name, PeerError(f"{program} --help does not run"))
            continue
        bench.met(peer.name, peer.version)
        found[name] = command
    return found


def _run(*command: str) -> None:
    subprocess.run(
        command,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=as_users_have_it(),
        timeout=120,
    )


def _children_ms() -> float:
    """CPU time of all processes we have started and seen the end of."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (spent.ru_utime + spent.ru_stime) * 1000
