"""What is kept of a hosted run beside its trace: whose it is, and where its story stands.

A story without a world has no trace, and a story on a world stands somewhere in its text as
well as in its run; both are kept here whole, after everything a host was told.
"""

from collections.abc import Sequence
from typing import Final, TypeVar

import msgspec

from saniwa.core.ready import ready
from saniwa.run.hosted.moment import Moment
from saniwa.run.hosted.unpacked import unpacked, unreadable
from saniwa.script.directive import StepResult
from saniwa.turn.trace import Asked

VERSION: Final = 1
"""The version of this form."""
ANSWERS: Final = 16
"""Answers that are remembered for those who ask again."""
STEPS: Final = 40
"""Steps that can be gone back to after a restart."""
ROOM: Final = 200_000
"""Bytes those steps may take, and those answers as many."""


K = TypeVar("K")


class _Kept(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Kept records leave out what was not said."""


class Passed(_Kept, frozen=True, kw_only=True):
    """A step that was shown, and the story's state at that moment."""

    step: StepResult
    """What was shown."""
    state: msgspec.Raw
    """Where story and world stood."""


class Answered(_Kept, frozen=True, kw_only=True):
    """A request that was answered."""

    asked: Asked
    """Which."""
    moment: Moment
    """How."""


class Origin(_Kept, frozen=True, kw_only=True):
    """What a hosted run plays, and for whom."""

    scenario: str = ""
    """A scenario's id; empty for a story."""
    story: str = ""
    """A story's id in the library; empty for a scenario, and for a draft of none."""
    draft: str = ""
    """A story's text, played before it was saved."""
    file: str = ""
    """The file of the story that the draft is of; empty for the one it begins in."""
    at: str = ""
    """The place in the story it was begun from; empty for the beginning."""
    language: str = ""
    """The language it is told in; empty for the author's own."""
    actor: str = ""
    """Whom the player plays; empty for the one the scenario names."""
    seed: int = 0
    """Where chance started."""
    owner: str = ""
    """Who began it; empty for whoever sits at this machine."""
    created: int = 0
    """When; milliseconds since 1970."""


class HostRecord(_Kept, frozen=True, kw_only=True):
    """A hosted run, as it is kept."""

    version: int = VERSION
    """The version of this form."""
    origin: Origin
    """What it plays."""
    revision: int = 1
    """What hosts have seen; rises with everything that happens."""
    passed: tuple[Passed, ...] = ()
    """The last steps, oldest first; the last is what is shown now."""
    answered: tuple[Answered, ...] = ()
    """The last answers, oldest first."""

    def packed(self) -> bytes:
        """The record as bytes."""
        return msgspec.json.encode(self)


def read_record(id: str, content: bytes) -> HostRecord:
    """A record from its bytes.

    Raises:
        StoreError: `STORE_UNREADABLE` for what is none, or is from a newer Saniwa.
    """
    record = unpacked(id, content, HostRecord)
    if record.version != VERSION:
        raise unreadable(id, f"it has version {record.version}, and not {VERSION}")
    return record


def without_steps(record: HostRecord, count: int) -> HostRecord:
    """The record without so many of its last steps."""
    return msgspec.structs.replace(
        record, passed=record.passed[: len(record.passed) - count]
    )


def with_step(record: HostRecord, passed: Passed) -> HostRecord:
    """The record one step and one revision further."""
    further = with_steps(record, [passed])
    return msgspec.structs.replace(further, revision=record.revision + 1)


def with_steps(record: HostRecord, steps: Sequence[Passed]) -> HostRecord:
    """The record with steps that can be gone back to, as many as there is room for."""
    kept = _last((*record.passed, *steps), STEPS)
    return msgspec.structs.replace(record, passed=kept)


def with_answer(record: HostRecord, asked: Asked | None, moment: Moment) -> HostRecord:
    """The record with an answer remembered, where the request had a name."""
    if asked is None:
        return record
    answered = (*record.answered, Answered(asked=asked, moment=moment))
    return msgspec.structs.replace(record, answered=_last(answered, ANSWERS))


def _last(all: Sequence[K], most: int) -> tuple[K, ...]:
    """The last of them that fit into the room there is; the very last in any case."""
    kept, room = list[K](), ROOM
    for each in reversed(all[-most:]):
        room -= len(msgspec.json.encode(each))
        if kept and room < 0:
            break
        kept.append(each)
    return tuple(reversed(kept))


ready(HostRecord)
