"""What has to be installed: packages and megabytes, compared with the peers' environments."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks import peers
from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.experiment import INSPECT
from benchmarks.peer_questions import PeerRow
from benchmarks.peers import CONCORDIA, EVENNIA, TEXTWORLD, Peer, PeerError, saniwa_environment
from benchmarks.peers.gates import LANGGRAPH
from benchmarks.row import Measurements, ResultRow

FEW = 15
"""Packages of the core."""
BESIDE: dict[str, Peer] = {
    "TextWorld": TEXTWORLD,
    "inspect-ai": INSPECT,
    "Evennia": EVENNIA,
    "Concordia": CONCORDIA,
    "LangGraph, with its SQLite checkpointer": LANGGRAPH,
}


class InstalledPackages(NamedTuple):
    """What an environment holds."""

    packages: int
    """With the one that was wanted."""
    megabytes: float
    """Without what Python has compiled of it since."""


def measure(bench: BenchmarkRun) -> Measurements:
    """Packages and megabytes, compared with each peer."""
    try:
        mine = measure_packages(saniwa_environment.prepare_environment())
    except PeerError as problem:
        bench.note_missing_peer(saniwa_environment.NAME, problem)
        return Measurements(rows=[], growth=[])
    own = measure_megabytes(peers.ROOT / "src" / "saniwa")
    theirs = {name: _measure_peer(bench, peer) for name, peer in BESIDE.items()}
    size = mine.megabytes + own
    row: Callable[..., ResultRow] = partial(ResultRow, asks=PeerRow.PACKAGES)
    counts = [
        row(
            work="packages installed",
            ours=mine.packages,
            peer=name,
            theirs=held.packages if held else None,
            mark=f"core under {FEW}",
            met=mine.packages < FEW,
            unit="packages",
            note="in a fresh environment, Saniwa without extras, itself included; the server, "
            "plots and model providers are extras.",
        )
        for name, held in theirs.items()
    ]
    sizes = [
        row(
            work="megabytes installed",
            ours=size,
            peer=name,
            theirs=held.megabytes if held else None,
            unit="MB",
            note=f"{own:.1f} MB of ours are Saniwa itself with its page; compiled bytecode "
            "is not counted on either side.",
        )
        for name, held in theirs.items()
    ]
    return Measurements(rows=[*counts, *sizes], growth=[])


def _measure_peer(bench: BenchmarkRun, peer: Peer) -> InstalledPackages | None:
    try:
        python = peers.prepare_environment(peer)
    except PeerError as problem:
        bench.note_missing_peer(peer.name, problem)
        return None
    bench.note_peer(peer.name, peer.version)
    return measure_packages(python)


def measure_packages(python: Path) -> InstalledPackages:
    """What the environment of this Python holds."""
    home = next((python.parents[1] / "lib").glob("python*")) / "site-packages"
    return InstalledPackages(len(list(home.glob("*.dist-info"))), measure_megabytes(home))


def measure_megabytes(folder: Path) -> float:
    """The size of all files of a folder, bytecode left out."""
    files = (each for each in folder.rglob("*") if each.is_file() and not each.is_symlink())
    return sum(each.stat().st_size for each in files if each.suffix != ".pyc") / 1e6
