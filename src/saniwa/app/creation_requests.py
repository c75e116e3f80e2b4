"""Which request created what: a repeated request gets what it got before.

A run's id is chosen before the run exists. A request that is repeated, at once or after
a crash, gets the same id, under which only one run can be created.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.file_locks import lock_folder
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.playing_record import decode_content, replace_content
from saniwa.store.play_records import PlayRecords


class _StoredRequest(msgspec.Struct, frozen=True):
    run: str
    digest: str


class CreationIndex:
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
        name = _make_request_id(owner, asked.key) if asked else ""
        stored = self._plays.get(name) if name else None
        if stored is None or asked is None:
            return None
        request = decode_content(name, stored.content, _StoredRequest)
        asked.check_same_request(request.digest)
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
        name, claimed = _make_request_id(owner, asked.key), fresh

        def claim(content: bytes | None) -> bytes | None:
            nonlocal claimed
            before = decode_content(name, content, _StoredRequest) if content is not None else None
            if before and asked.is_same_request(before.digest) and before.run != spent:
                claimed = before.run
                return None
            if before and exists(before.run):
                asked.check_same_request(before.digest)
            claimed = fresh
            return msgspec.json.encode(_StoredRequest(fresh, asked.digest))

        replace_content(self._plays, name, claim)
        return claimed


def _make_request_id(owner: str, key: str) -> str:
    text = f"{owner}\n{key}".encode("utf-8", "replace")
    return f"begun-{sha256(text).hexdigest()[:32]}"


warm_decoders(_StoredRequest)


CREATION_LOCK: Final = ".saniwa-new.lock"
"""The lock file that a process holds while it creates something in the folder."""


def create_once(
    index: CreationIndex,
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
        # If the same request was sent twice at once, what the first one made counts.
        return index.claim_run_id(owner, asked, id, lambda _: True)
