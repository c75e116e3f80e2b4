"""One run over everything: how much is measured, whom it met, and whom it could not."""

import sys
from collections.abc import Mapping
from typing import Any, TypeVar

from benchmarks import peers
from benchmarks.peers import Peer, PeerError

Amount = TypeVar("Amount")


class BenchmarkRun:
    """What all parts of one run share."""

    def __init__(self, facts: dict[str, str], *, quick: bool = False) -> None:
        self.facts = facts
        """The machine and the versions, each under a short name."""
        self.absent = dict[str, str]()
        """Peers that could not be had, and why."""
        self.quick = quick
        """Whether a look is enough."""
        self._told = dict[tuple[object, ...], dict[str, Any] | None]()

    def choose_amount(self, full: Amount, quick: Amount) -> Amount:
        """How much of something is measured in this run."""
        return quick if self.quick else full

    def ask(
        self, peer: Peer, *words: object, variables: Mapping[str, str] | None = None
    ) -> dict[str, Any] | None:
        """What the peer measured; None, with the reason put down, where it cannot be had.

        Asked the same again, it is not measured again.
        """
        key = (peer, *map(str, words), str(variables))
        if key not in self._told:
            self._told[key] = peers.ask_peer(
                peer, self.facts, self.absent, *words, variables=variables
            )
        return self._told[key]

    def note_peer(self, name: str, version: str) -> None:
        """Put down a peer that was measured."""
        self.facts[name] = version

    def note_missing_peer(self, name: str, problem: PeerError) -> None:
        """Put down a peer that could not be had."""
        self.absent[name] = str(problem)

    def say(self, what: str) -> None:
        """Show the progress."""
        say(what)


def say(what: str) -> None:
    """Show the progress."""
    print(f"{what} ...", file=sys.stderr, flush=True)
