"""A server that answers many after one sync, in every order of players and syncs."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from saniwa.app.group_sync import GroupSync
from saniwa.store.group_commit import GroupCommit
from tests.checked.explorer import BrokenError
from tests.checked.promised import least
from tests.checked.server_world import Evenings
from tests.fakes.nightly import NIGHTLY


@pytest.mark.slow
def test_nobody_is_told_before_their_turn_lasts(tmp_path: Path) -> None:
    """Whoever comes while a sync is under way waits for the next; none is told too early."""
    evenings = Evenings(tmp_path, 2)
    figures = evenings.explore_faults() if NIGHTLY else evenings.explore()

    assert least("a server that syncs once") <= figures.schedules
    figures.tell("one sync for many")


async def _joins_what_is_under_way(self: GroupSync) -> None:
    """Wait for the sync that has begun, if one has."""
    if all(each.is_durable for each in self._written()):
        return
    if self._running is not None and not self._running.done():
        await asyncio.shield(self._running)
        return
    if self._next is None:
        self._next = asyncio.create_task(self._sync_after(self._running))
    await asyncio.shield(self._next)


async def _at_once(_: GroupSync) -> None:
    """Wait for nothing."""


def _counts_afterwards(self: GroupCommit) -> None:
    """Take for durable whatever has been written when the sync is over."""
    self._sync_log()
    self._durable = self._count


SEEDS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "who comes during a sync waits for that one": (
        GroupSync,
        "wait_until_durable",
        _joins_what_is_under_way,
    ),
    "nobody waits": (GroupSync, "wait_until_durable", _at_once),
    "what was written during a sync counts as synced": (GroupCommit, "sync", _counts_afterwards),
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_a_mistake_is_found(tmp_path: Path, seed: str) -> None:
    """Somebody is told of a turn that a power cut would take back."""
    where, name, wrong = SEEDS[seed]
    evenings = Evenings(tmp_path, 2)
    with (
        patch.object(where, name, wrong),
        pytest.raises(BrokenError, match="was told of a turn that does not last"),
    ):
        evenings.explore()
