"""What has to be installed: packages and megabytes, ours beside the peers' environments."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks import peers
from benchmarks.asked import Asked
from benchmarks.bench import Bench
from benchmarks.experiment import INSPECT
from benchmarks.peers import CONCORDIA, EVENNIA, TEXTWORLD, Peer, PeerError, ours
from benchmarks.peers.gates import LANGGRAPH
from benchmarks.row import Found, Row

FEW = 15
"""Packages of the core."""
BESIDE: dict[str, Peer] = {
    "TextWorld": TEXTWORLD,
    "inspect-ai": INSPECT,
    "Evennia": EVENNIA,
    "Concordia": CONCORDIA,
    "LangGraph, with its SQLite checkpointer": LANGGRAPH,
}


class Installed(NamedTuple):
    """What an environment holds."""

    packages: int
    """With the one that was wanted."""
    megabytes: float
    """Without what Python has compiled of it since."""


def measured(bench: Bench) -> Found:
    """Packages and megabytes, beside each peer."""
    try:
        mine = installed(ours.alone())
    except PeerError as problem:
        bench.missed(ours.NAME, problem)
        return Found(rows=[], growth=[])
    own = megabytes(peers.ROOT / "src" / "saniwa")
    theirs = {name: _had(bench, peer) for name, peer in BESIDE.items()}
    size = mine.megabytes + own
    row: Callable[..., Row] = partial(Row, asks=Asked.PACKAGES)
    counts = [
        row(
            work="packages that an installation takes",
            ours=mine.packages,
            peer=name,
            theirs=held.packages if held else None,
            mark=f"core under {FEW}",
            met=mine.packages < FEW,
            unit="packages",
            note="in a fresh environment, Saniwa without extras and itself counted; what "
            "serves, draws, or speaks with a provider is an extra.",
        )
        for name, held in theirs.items()
    ]
    sizes = [
        row(
            work="megabytes that an installation takes",
            ours=size,
            peer=name,
            theirs=held.megabytes if held else None,
            unit="MB",
            note=f"{own:.1f} MB of ours are Saniwa itself with its page; compiled bytecode "
            "is not counted on either side.",
        )
        for name, held in theirs.items()
    ]
    return Found(rows=[*counts, *sizes], growth=[])


def _had(bench: Bench, peer: Peer) -> Installed | None:
    try:
        python = peers.environment(peer)
    except PeerError as problem:
        bench.missed(peer.name, problem)
        return None
    bench.met(peer.name, peer.version)
    return installed(python)


def installed(python: Path) -> Installed:
    """What the environment of this Python holds."""
    home = next((python.parents[1] / "lib").glob("python*")) / "site-packages"
    return Installed(len(list(home.glob("*.dist-info"))), megabytes(home))


def megabytes(folder: Path) -> float:
    """The size of all files of a folder, bytecode left out."""
    files = (each for each in folder.rglob("*") if each.is_file() and not each.is_symlink())
    return sum(each.stat().st_size for each in files if each.suffix != ".pyc") / 1e6
