"""Coordination of concurrent callers: idempotency keys, notifications, shared work.

A run's id is chosen before the run exists. A request that is repeated, at once or after
a crash, gets the same id, under which only one run can be created.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from saniwa.core.errors import StoreError, make_rate_limit_error
from saniwa.core.locks import lock_folder
from saniwa.core.warm_decoders import warm_decoders
from saniwa.runs.errors import make_key_reuse_error
from saniwa.runs.playing_record import decode_content
from saniwa.store.group_commit import GroupCommit
from saniwa.store.play_records import PlayRecords
from saniwa.turn.record import IdempotencyKey


class _StoredRequest(msgspec.Struct, frozen=True):
    run: str
    digest: str


class IdempotencyIndex:
    """Remembers which run each request created, by owner and idempotency key."""

    def __init__(self, plays: PlayRecords) -> None:
        """Store the index next to the runs."""
        self._plays = plays

    def find_earlier(self, owner: str, asked: IdempotencyKey | None) -> str | None:
        """Return the run that this request created before.

        None if the request is new, or has no key.

        Raises:
            StoreError: `IDEMPOTENCY_CONFLICT` if the key was used for another request;
                `STORE_UNREADABLE`.
        """
        stored = self._plays.get(_make_request_id(owner, asked.key)) if asked else None
        if stored is None or asked is None:
            return None
        request = decode_content(
            _make_request_id(owner, asked.key), stored.content, _StoredRequest
        )
        if request.digest != asked.digest:
            raise make_key_reuse_error(asked.key)
        return request.run

    def claim_run_id(
        self,
        owner: str,
        asked: IdempotencyKey | None,
        fresh: str,
        exists: Callable[[str], bool],
        *,
        spent: str = "",
    ) -> str:
        """Return the id of the run that a request creates: its earlier one, or `fresh`.

        Args:
            owner: The caller.
            asked: The request; one without a key never counts as repeated.
            fresh: An id that was never used.
            exists: Whether a run of some id was created. If not, another request may
                take the key.
            spent: An id under which a run can no longer be created.

        Raises:
            StoreError: `IDEMPOTENCY_CONFLICT` if the key was used for another request;
                the claim could not be stored.
        """
        if asked is None:
            return fresh
        name = _make_request_id(owner, asked.key)
        content = msgspec.json.encode(_StoredRequest(fresh, asked.digest))
        while True:
            stored = self._plays.get(name)
            try:
                if stored is None:
                    self._plays.create(name, content)
                    return fresh
                request = decode_content(name, stored.content, _StoredRequest)
                if request.digest == asked.digest and request.run != spent:
                    return request.run
                if request.digest != asked.digest and exists(request.run):
                    raise make_key_reuse_error(asked.key)
                self._plays.put(name, content, after=stored.revision)
            except StoreError as problem:
                # Another request was faster: look at its claim.
                if problem.code not in ("RUN_EXISTS", "REVISION_CONFLICT"):
                    raise
                continue
            return fresh

    def remember(self, owner: str, asked: IdempotencyKey | None, run: str) -> str:
        """Store which run a request created, and return the run that counts.

        That is another run if the same request was sent twice at once.

        Raises:
            StoreError: It could not be stored.
        """
        if asked is None:
            return run
        content = msgspec.json.encode(_StoredRequest(run, asked.digest))
        try:
            self._plays.create(_make_request_id(owner, asked.key), content)
        except StoreError as problem:
            if problem.code != "RUN_EXISTS":
                raise
            before = self.find_earlier(owner, asked)
            assert before is not None, "the other one is kept"
            return before
        return run


def _make_request_id(owner: str, key: str) -> str:
    text = f"{owner}\n{key}".encode("utf-8", "replace")
    return f"begun-{sha256(text).hexdigest()[:32]}"


warm_decoders(_StoredRequest)


class ChangeNotifier:
    """Wakes the tasks that wait for a change of a run."""

    def __init__(self) -> None:
        self._waiting = defaultdict[str, set[asyncio.Event]](set)
        self.silent = False
        """Whether it is closed: no more notifications come, and waiters should end."""

    def close(self) -> None:
        """Wake all waiters for the last time."""
        self.silent = True
        for waiting in list(self._waiting.values()):
            for event in waiting:
                event.set()

    def notify(self, name: str) -> None:
        """Wake every task that waits for this name."""
        for event in self._waiting.get(name, ()):
            event.set()

    def has_waiters(self, name: str) -> bool:
        """Whether any task waits for this name now."""
        return name in self._waiting

    async def wait(self, name: str, seconds: float) -> None:
        """Wait until `notify` is called for the name, or until the time has passed."""
        event = asyncio.Event()
        self._waiting[name].add(event)
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            pass
        finally:
            self._waiting[name].discard(event)
            if not self._waiting[name]:
                del self._waiting[name]


CREATION_LOCK: Final = ".saniwa-new.lock"
"""The lock file that a process holds while it creates something in the folder."""


def create_once(
    index: IdempotencyIndex,
    folder: Path,
    owner: str,
    asked: IdempotencyKey | None,
    id: str,
    make: Callable[[], None],
) -> str:
    """Call `make` unless the same request did so before; return the id of the result.

    Args:
        index: The index of earlier requests.
        folder: Where the result is created.
        owner: The caller.
        asked: The request; one without a key never counts as repeated.
        id: The id of the new object.
        make: Creates it.

    Raises:
        StoreError: `IDEMPOTENCY_CONFLICT`, `LOCK_TIMEOUT`, `FILE_UNWRITABLE`.
        SaniwaError: Any error that `make` raises; nothing is remembered then.
    """
    if asked is None:
        make()
        return id
    with lock_folder(folder, CREATION_LOCK):
        before = index.find_earlier(owner, asked)
        if before is not None:
            return before
        make()
        return index.remember(owner, asked, id)


class GroupSync:
    """Syncs written data to disk, once for all callers that wait for it."""

    def __init__(self, written: Callable[[], Iterable[GroupCommit]]) -> None:
        """`written` returns the logs that may need a sync now."""
        self._written = written
        self._running: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    async def wait_until_durable(self) -> None:
        """Return when everything written before the call is durable.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; the write must not be announced then.
        """
        if all(each.is_durable for each in self._written()):
            return
        # A running sync may have missed our write, so wait for the next one.
        if self._next is None:
            self._next = asyncio.create_task(self._sync_after(self._running))
        # A caller that disconnects must not cancel the sync for the others.
        await asyncio.shield(self._next)

    async def _sync_after(self, running: "asyncio.Task[None] | None") -> None:
        if running is not None:
            await asyncio.wait([running])
        self._running, self._next = self._next, None
        await asyncio.to_thread(self._sync)

    def _sync(self) -> None:
        for each in self._written():
            if not each.is_durable:
                each.sync()


THREADS: Final = 2
"""Threads of a work queue."""
MOST_PER_CALLER: Final = 8
"""Pieces of work that one caller may have queued at once."""
_RETRY_SECONDS: Final = 2

V = TypeVar("V")


class _QueuedWork(NamedTuple):
    work: Callable[[], Any]
    future: Future[Any]


class WorkQueue:
    """A small thread pool that serves callers in turn, with a limit for each caller."""

    def __init__(self, threads: int = THREADS, each: int = MOST_PER_CALLER) -> None:
        """Create an empty queue; threads start with the first work."""
        self._pool = ThreadPoolExecutor(threads, "workshop")
        self._each = each
        self._queues = dict[Hashable, deque[_QueuedWork]]()
        self._lock = RLock()

    def submit(self, work: Callable[[], V], whose: str | None = None) -> Future[V]:
        """Queue some work; it runs even if the caller stops waiting.

        `whose` is the caller whose limit it counts against; None for internal work
        without a limit.

        Raises:
            ProtocolError: `TOO_MANY_REQUESTS` if the caller has too much work queued.
        """
        name: Hashable = object() if whose is None else whose
        context, future = copy_context(), Future[V]()
        with self._lock:
            queue = self._queues.setdefault(name, deque())
            if len(queue) >= self._each:
                raise make_rate_limit_error(
                    f"{self._each} texts of yours wait already", _RETRY_SECONDS
                )
            queue.append(_QueuedWork(partial(context.run, work), future))
            if len(queue) == 1:
                self._start_next(name, queue)
        return future

    async def run(self, work: Callable[[], V], whose: str | None = None) -> V:
        """Run some work and return its result.

        Raises:
            ProtocolError: As `submit`.
            Exception: Any exception that the work raises.
        """
        return await wait_for_result(self.submit(work, whose))

    def close(self) -> None:
        """Accept no more work; queued work is cancelled."""
        with self._lock:
            for queue in self._queues.values():
                while len(queue) > 1:
                    queue.pop().future.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _start_next(self, name: Hashable, queue: deque[_QueuedWork]) -> None:
        """Start a caller's next piece, after work that other callers queued before."""
        doing = self._pool.submit(queue[0].work)
        doing.add_done_callback(partial(self._finish, name, queue))

    def _finish(
        self, name: Hashable, queue: deque[_QueuedWork], done: Future[object]
    ) -> None:
        with self._lock:
            piece = queue.popleft()
            if queue:
                self._start_next(name, queue)
            else:
                del self._queues[name]
        # Last, because a caller that gets its result may submit the next piece at once.
        _copy_result(done, piece.future)


def _copy_result(done: Future[object], future: Future[object]) -> None:
    if done.cancelled():
        future.cancel()
    elif (problem := done.exception()) is not None:
        future.set_exception(problem)
    else:
        future.set_result(done.result())


async def wait_for_result(future: Future[V]) -> V:
    """Wait for work that was queued; a caller that stops waiting does not cancel it."""
    return await asyncio.shield(asyncio.wrap_future(future))
