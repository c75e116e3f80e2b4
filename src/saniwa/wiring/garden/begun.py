"""Which request began which run, so that the same request again begins no second one.

A run's name is settled before there is a run: whoever sends the request again, at once or
after a crash, means the same name, under which there can be only one.
"""

from collections.abc import Callable
from hashlib import sha256

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.ready import ready
from saniwa.run.hosted.trouble import another_request
from saniwa.run.hosted.unpacked import unpacked
from saniwa.store.plays.port import Plays
from saniwa.turn.trace import Asked


class _Kept(msgspec.Struct, frozen=True):
    run: str
    digest: str


class Begun:
    """Remembers beginnings by the name their senders gave them."""

    def __init__(self, plays: Plays) -> None:
        """Kept beside the runs."""
        self._plays = plays

    def before(self, owner: str, asked: Asked | None) -> str | None:
        """The run that this request began before; None if it is new, or has no name.

        Raises:
            StoreError: `IDEMPOTENCY_CONFLICT` if the name stands for another request;
                `STORE_UNREADABLE`.
        """
        kept = self._plays.get(_name(owner, asked.key)) if asked else None
        if kept is None or asked is None:
            return None
        begun = unpacked(_name(owner, asked.key), kept.content, _Kept)
        if begun.digest != asked.digest:
            raise another_request(asked.key)
        return begun.run

    def claim(
        self,
        owner: str,
        asked: Asked | None,
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
        name = _name(owner, asked.key)
        content = msgspec.json.encode(_Kept(fresh, asked.digest))
        while True:
            kept = self._plays.get(name)
            try:
                if kept is None:
                    self._plays.create(name, content)
                    return fresh
                begun = unpacked(name, kept.content, _Kept)
                if begun.digest == asked.digest and begun.run != spent:
                    return begun.run
                if begun.digest != asked.digest and there(begun.run):
                    raise another_request(asked.key)
                self._plays.put(name, content, after=kept.revision)
            except StoreError as problem:
                # Another was faster: what they claimed is looked at.
                if problem.code not in ("RUN_EXISTS", "REVISION_CONFLICT"):
                    raise
                continue
            return fresh

    def remember(self, owner: str, asked: Asked | None, run: str) -> str:
        """Remember what a request began; the run that counts, if it was sent twice at once.

        Raises:
            StoreError: It could not be kept.
        """
        if asked is None:
            return run
        content = msgspec.json.encode(_Kept(run, asked.digest))
        try:
            self._plays.create(_name(owner, asked.key), content)
        except StoreError as problem:
            if problem.code != "RUN_EXISTS":
                raise
            before = self.before(owner, asked)
            assert before is not None, "the other one is kept"
            return before
        return run


def _name(owner: str, key: str) -> str:
    told = f"{owner}\n{key}".encode("utf-8", "replace")
    return f"begun-{sha256(told).hexdigest()[:32]}"


ready(_Kept)
