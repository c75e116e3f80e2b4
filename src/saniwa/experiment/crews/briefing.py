"""A worker's side of a cluster: what it is given once, and what it does with a batch.

Imports Dask; nobody but a cluster imports it.
"""

import asyncio
import threading
from importlib.metadata import version
from typing import NamedTuple

import msgspec
from distributed import Worker, WorkerPlugin, get_worker

from saniwa.core.errors import SaniwaError
from saniwa.experiment.cell import Cell
from saniwa.experiment.crews import trouble
from saniwa.experiment.crews.bench import Benches
from saniwa.experiment.crews.seat import Account, Seat
from saniwa.experiment.plan import Prepared


class Order(NamedTuple):
    """Which plan a batch is of, and what may play it."""

    briefing: str
    """What the worker was given, by name."""
    version: str
    """The Saniwa of whoever sends the batch."""
    fingerprint: str
    """The prepared plan."""


class Briefing(WorkerPlugin):
    """The prepared plan at a worker: sent once, also to those who come later."""

    idempotent = True

    def __init__(self, prepared: Prepared, benches: Benches, name: str) -> None:
        self.name = name
        """What it is found by."""
        self._content = prepared.encoded()
        self._benches = benches

    def setup(self, worker: Worker) -> None:
        """Nothing is opened before the first batch: then errors can be told."""
        self._who = str(worker.name)
        self._own = threading.local()
        self._seats = list[Seat]()

    async def teardown(self, worker: Worker) -> None:
        """Drop what is under way, and let everything go."""
        del worker
        while self._seats:
            await asyncio.to_thread(self._seats.pop().close)

    def play(self, order: Order, cells: tuple[Cell, ...]) -> Account:
        """Do the cells, one after the other."""
        try:
            return self._seat(order).play(cells)
        except SaniwaError as problem:
            return Account((), problem.as_document())

    def _seat(self, order: Order) -> Seat:
        """This thread's own: a worker may play as many cells at once as it has threads."""
        seat: Seat | None = getattr(self._own, "seat", None)
        if seat is None:
            prepared = msgspec.json.decode(self._content, type=Prepared)
            if prepared.fingerprint != order.fingerprint:
                raise trouble.unfit("it reads the prepared plan differently")
            seat = self._own.seat = Seat(prepared, self._benches(prepared), self._who)
            self._seats.append(seat)
        return seat


def do_batch(order: Order, cells: tuple[Cell, ...]) -> Account:
    """What a worker is asked to run: the cells, unless it is another Saniwa."""
    ours = version("saniwa")
    if ours != order.version:
        why = f"it has Saniwa {ours}, and the plan is run by {order.version}"
        return Account((), trouble.unfit(why).as_document())
    given = get_worker().plugins.get(order.briefing)
    if not isinstance(given, Briefing):
        return Account((), trouble.unfit("it was not given the plan").as_document())
    return given.play(order, cells)
