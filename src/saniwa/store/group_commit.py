"""Group commit: the writes that wait at the same time share one transaction and one sync.

A sync costs the same disk time for one write or a hundred. Each write runs in the event
loop, as a savepoint of the shared transaction, so that one that fails undoes only itself.
The commit runs in a thread. Readers see nothing of a transaction before its commit has
been synced, in this process or in another.
"""

import asyncio
from asyncio import AbstractEventLoop, Future
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class SharedTransaction(Protocol):
    """The one write transaction of a file, which a loop and its threads take turns at."""

    def begin(self) -> None:
        """Begin, after waiting for other writers.

        Raises:
            StoreError: Another writer took too long, or the file cannot be written.
        """

    def run(self, write: Callable[[], T]) -> T:
        """Call `write` in the transaction.

        Raises:
            Exception: Any error of `write`; the caller may go on with other writes.
        """

    def commit(self) -> None:
        """End the transaction: everything is durable, or nothing was written.

        Raises:
            StoreError: Nothing was written.
        """


class GroupCommit:
    """The writes of one event loop to one file."""

    def __init__(self, transaction: SharedTransaction, loop: AbstractEventLoop) -> None:
        """Write in these transactions; only the loop's own thread uses this object."""
        self.loop = loop
        """The event loop."""
        self._transaction = transaction
        self._waiting = list[tuple[Callable[[], Any], Future[Any]]]()
        self._is_busy = False

    async def commit(self, write: Callable[[], T]) -> T:
        """Call `write` in a shared transaction; return its result once it is durable.

        A caller that is cancelled meanwhile gets the cancellation after the outcome is
        known: what the file holds does not change afterwards.

        Raises:
            StoreError: It could not be stored; nothing was written.
            Exception: Any error of `write`; nothing of it was written.
        """
        outcome: Future[T] = self.loop.create_future()
        self._waiting.append((write, outcome))
        if not self._is_busy:
            self._write_waiting()
        try:
            return await asyncio.shield(outcome)
        except asyncio.CancelledError:
            while not outcome.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([outcome])
            raise

    def _write_waiting(self) -> None:
        """Do all writes that wait in one transaction, and commit it in a thread."""
        self._is_busy = True
        waiting, self._waiting = self._waiting, []
        done = list[tuple[Future[Any], Any, Exception | None]]()
        try:
            self._transaction.begin()
        except Exception as problem:  # noqa: BLE001 - raised where it is awaited
            self._end([(outcome, None, problem) for _, outcome in waiting], None)
            return
        for write, outcome in waiting:
            try:
                done.append((outcome, self._transaction.run(write), None))
            except Exception as problem:  # noqa: BLE001 - raised where it is awaited
                done.append((outcome, None, problem))
        # No task waits for the thread: a loop that ends cancels its tasks first.
        committed = self.loop.run_in_executor(None, self._transaction.commit)
        committed.add_done_callback(lambda ended: self._end(done, ended.exception()))

    def _end(
        self, done: list[tuple[Future[Any], Any, Exception | None]], problem: BaseException | None
    ) -> None:
        """Report the outcome of a transaction, and begin the next if writes wait."""
        for outcome, result, own in done:
            # A conflict may name a revision that this commit was to write.
            failed = problem or own
            if failed is None:
                outcome.set_result(result)
            else:
                outcome.set_exception(failed)
        self._is_busy = False
        if self._waiting:
            self._write_waiting()
