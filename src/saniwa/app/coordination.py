"""Which request began which run, so that the same request again begins no second one.

A run's name is settled before there is a run: whoever sends the request again, at once or
after a crash, means the same name, under which there can be only one.
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
    """Remembers beginnings by the name their senders gave them."""

    def __init__(self, plays: PlayRecords) -> None:
        """Kept beside the runs."""
        self._plays = plays

    def find_earlier(self, owner: str, asked: IdempotencyKey | None) -> str | None:
        """The run that this request began before; None if it is new, or has no name.

        Raises:
            StoreError: `IDEMPOTENCY_CONFLICT` if the name stands for another request;
                `STORE_UNREADABLE`.
        """
        kept = self._plays.get(_make_request_id(owner, asked.key)) if asked else None
        if kept is None or asked is None:
            return None
        begun = decode_content(
            _make_request_id(owner, asked.key), kept.content, _StoredRequest
        )
        if begun.digest != asked.digest:
            raise make_key_reuse_error(asked.key)
        return begun.run

    def claim_run_id(
        self,
        owner: str,
        asked: IdempotencyKey | None,
        fresh: str,
        there: Callable[[str], bool],
        *,
        spent: str = "",
    ) -> str:
        """The name of the run that a request begins: its earlier one, else the fresh one.

        Args:
            owner: Who asks.
            asked: The request; one without a key is never the same.
            fresh: A name that nobody has had.
            there: Whether a run of some name was begun. Where none was, another request
                may have the key.
            spent: A name under which no run can be begun any more.

        Raises:
            StoreError: `IDEMPOTENCY_CONFLICT` if the key stands for another request; it
                could not be kept.
        """
        if asked is None:
            return fresh
        name = _make_request_id(owner, asked.key)
        content = msgspec.json.encode(_StoredRequest(fresh, asked.digest))
        while True:
            kept = self._plays.get(name)
            try:
                if kept is None:
                    self._plays.create(name, content)
                    return fresh
                begun = decode_content(name, kept.content, _StoredRequest)
                if begun.digest == asked.digest and begun.run != spent:
                    return begun.run
                if begun.digest != asked.digest and there(begun.run):
                    raise make_key_reuse_error(asked.key)
                self._plays.put(name, content, after=kept.revision)
            except StoreError as problem:
                # Another was faster: what they claimed is looked at.
                if problem.code not in ("RUN_EXISTS", "REVISION_CONFLICT"):
                    raise
                continue
            return fresh

    def remember(self, owner: str, asked: IdempotencyKey | None, run: str) -> str:
        """Remember what a request began; the run that counts, if it was sent twice at once.

        Raises:
            StoreError: It could not be kept.
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
    told = f"{owner}\n{key}".encode("utf-8", "replace")
    return f"begun-{sha256(told).hexdigest()[:32]}"


warm_decoders(_StoredRequest)


class ChangeNotifier:
    """One rope for each run that somebody watches."""

    def __init__(self) -> None:
        self._waiting = defaultdict[str, set[asyncio.Event]](set)
        self.silent = False
        """Whether it will never ring again: whoever listens may go."""

    def close(self) -> None:
        """Wake everybody for the last time."""
        self.silent = True
        for waiting in list(self._waiting.values()):
            for event in waiting:
                event.set()

    def notify(self, name: str) -> None:
        """Wake everybody who waits for this."""
        for event in self._waiting.get(name, ()):
            event.set()

    def has_waiters(self, name: str) -> bool:
        """Whether anybody waits for this now."""
        return name in self._waiting

    async def wait(self, name: str, seconds: float) -> None:
        """Wait until somebody rings, or for so long."""
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
"""The file whose holder makes new things in its folder."""


def create_once(
    begun: IdempotencyIndex,
    folder: Path,
    owner: str,
    asked: IdempotencyKey | None,
    id: str,
    make: Callable[[], None],
) -> str:
    """Make it, unless the same request did so before; the id of what was made.

    Args:
        begun: What is remembered.
        folder: Where it will lie.
        owner: Who asks.
        asked: The request; one without a key is never the same.
        id: What it is to go by.
        make: Makes it.

    Raises:
        StoreError: `IDEMPOTENCY_CONFLICT`, `LOCK_TIMEOUT`, `FILE_UNWRITABLE`.
        SaniwaError: What `make` raises; then nothing is remembered.
    """
    if asked is None:
        make()
        return id
    with lock_folder(folder, CREATION_LOCK):
        before = begun.find_earlier(owner, asked)
        if before is not None:
            return before
        make()
        return begun.remember(owner, asked, id)


class GroupSync:
    """Syncs what was written, once for everybody who waits for it."""

    def __init__(self, written: Callable[[], Iterable[GroupCommit]]) -> None:
        """`written` tells what there is to be synced, now."""
        self._written = written
        self._running: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    async def wait_until_durable(self) -> None:
        """Come back when everything that was written before is durable.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; then nobody may be told of it.
        """
        if all(each.is_durable for each in self._written()):
            return
        # A sync that has begun may have missed us: we wait for the one after it.
        if self._next is None:
            self._next = asyncio.create_task(self._sync_after(self._running))
        # Somebody who hangs up must not stop it for the others.
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
"""Threads of a workshop."""
MOST_PER_CALLER: Final = 8
"""Pieces of work that one visitor may have there at once."""
_RETRY_SECONDS: Final = 2

V = TypeVar("V")


class _QueuedWork(NamedTuple):
    work: Callable[[], Any]
    future: Future[Any]


class WorkQueue:
    """A few threads, and the work they have."""

    def __init__(self, threads: int = THREADS, each: int = MOST_PER_CALLER) -> None:
        """A workshop without work; its threads begin with the first."""
        self._pool = ThreadPoolExecutor(threads, "workshop")
        self._each = each
        self._queues = dict[Hashable, deque[_QueuedWork]]()
        self._alone = RLock()

    def submit(self, work: Callable[[], V], whose: str | None = None) -> Future[V]:
        """Have some work done; it is done even if nobody waits for it.

        `whose` is whom it counts for; None for work that nobody can make up.

        Raises:
            ProtocolError: `TOO_MANY_REQUESTS` where they have too much of it here.
        """
        name: Hashable = object() if whose is None else whose
        context, future = copy_context(), Future[V]()
        with self._alone:
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
        """What comes of some work.

        Raises:
            ProtocolError: As `submit`.
            Exception: Whatever the work raises.
        """
        return await wait_for_result(self.submit(work, whose))

    def close(self) -> None:
        """Take no more work; what waits is not begun."""
        with self._alone:
            for queue in self._queues.values():
                while len(queue) > 1:
                    queue.pop().future.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _start_next(self, name: Hashable, queue: deque[_QueuedWork]) -> None:
        """Have somebody's first piece done, after what others have brought before."""
        doing = self._pool.submit(queue[0].work)
        doing.add_done_callback(partial(self._finish, name, queue))

    def _finish(
        self, name: Hashable, queue: deque[_QueuedWork], done: Future[object]
    ) -> None:
        with self._alone:
            piece = queue.popleft()
            if queue:
                self._start_next(name, queue)
            else:
                del self._queues[name]
        # Last: whoever is told may bring the next at once.
        _copy_result(done, piece.future)


def _copy_result(done: Future[object], future: Future[object]) -> None:
    if done.cancelled():
        future.cancel()
    elif (problem := done.exception()) is not None:
        future.set_exception(problem)
    else:
        future.set_result(done.result())


async def wait_for_result(future: Future[V]) -> V:
    """What comes of work that was begun; whoever stops waiting stops nobody else."""
    return await asyncio.shield(asyncio.wrap_future(future))
