"""What is kept of a hosted run beside its trace: whose it is, and where its story stands.

A story without a world has no trace, and a story on a world stands somewhere in its text as
well as in its run; both are kept here whole, after everything a host was told.
"""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Final, TypeVar

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.core.warm_decoders import warm_decoders
from saniwa.runs.playing import PlayState, SaveSlot
from saniwa.store.lookup import check_save_name
from saniwa.store.play_records import PlayRecords
from saniwa.story.stepresult import StepResult
from saniwa.turn.record import IdempotencyKey

MOST_TRIES: Final = 5
"""How often others may come first before we give up."""
_RETRY_CODES: Final = frozenset({"REVISION_CONFLICT", "RUN_EXISTS", "RUN_NOT_FOUND"})

ContentUpdate = Callable[[bytes | None], bytes | None]
"""Makes the new content from the old, which is None where there is none.

None for the new one leaves everything as it is.
"""


def replace_content(plays: PlayRecords, id: str, renew: ContentUpdate) -> None:
    """Put what is made of a record in its place; nothing that others keep is lost.

    Raises:
        StoreError: It could not be kept; others came first too often.
    """
    for left in reversed(range(MOST_TRIES)):
        try:
            _try_replace(plays, id, renew)
        except StoreError as problem:
            if problem.code not in _RETRY_CODES or not left:
                raise
        else:
            return


def _try_replace(plays: PlayRecords, id: str, renew: ContentUpdate) -> None:
    kept = plays.get(id)
    content = renew(kept.content if kept else None)
    if content is None:
        return
    if kept is None:
        plays.create(id, content)
    else:
        plays.put(id, content, after=kept.revision)


D = TypeVar("D")


def decode_content(id: str, content: bytes, kind: type[D]) -> D:
    """What the bytes kept under an id hold.

    Raises:
        StoreError: `STORE_UNREADABLE` for bytes that are none of ours.
    """
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise make_unreadable_content_error(id, str(problem)) from problem


def make_unreadable_content_error(id: str, why: str) -> StoreError:
    """The error for what is kept and cannot be used."""
    return StoreError(
        "STORE_UNREADABLE",
        f"what is kept for hosts of {quote_value(id)} cannot be read: {why}",
        hint="bring it back from a copy, or begin anew",
    )


VERSION: Final = 1
"""The version of this form."""
MOST_ANSWERS: Final = 16
"""Answers that are remembered for those who ask again."""
MOST_STEPS: Final = 40
"""Steps that can be gone back to after a restart."""
LARGEST_HISTORY: Final = 200_000
"""Bytes those steps may take, and those answers as many."""


K = TypeVar("K")


class _StoredRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Kept records leave out what was not said."""


class StoredStep(_StoredRecord, frozen=True, kw_only=True):
    """A step that was shown, and the story's state at that moment."""

    step: StepResult
    """What was shown."""
    state: msgspec.Raw
    """Where story and world stood."""


class StoredAnswer(_StoredRecord, frozen=True, kw_only=True):
    """A request that was answered."""

    asked: IdempotencyKey
    """Which."""
    moment: PlayState
    """How."""


class PlayOrigin(_StoredRecord, frozen=True, kw_only=True):
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


class PlayingRecord(_StoredRecord, frozen=True, kw_only=True):
    """A hosted run, as it is kept."""

    version: int = VERSION
    """The version of this form."""
    origin: PlayOrigin
    """What it plays."""
    revision: int = 1
    """What hosts have seen; rises with everything that happens."""
    passed: tuple[StoredStep, ...] = ()
    """The last steps, oldest first; the last is what is shown now."""
    answered: tuple[StoredAnswer, ...] = ()
    """The last answers, oldest first."""

    def to_bytes(self) -> bytes:
        """The record as bytes."""
        return msgspec.json.encode(self)


def decode_playing_record(id: str, content: bytes) -> PlayingRecord:
    """A record from its bytes.

    Raises:
        StoreError: `STORE_UNREADABLE` for what is none, or is from a newer Saniwa.
    """
    record = decode_content(id, content, PlayingRecord)
    if record.version != VERSION:
        raise make_unreadable_content_error(
            id, f"it has version {record.version}, and not {VERSION}"
        )
    return record


def drop_steps(record: PlayingRecord, count: int) -> PlayingRecord:
    """The record without so many of its last steps."""
    return msgspec.structs.replace(
        record, passed=record.passed[: len(record.passed) - count]
    )


def add_step(record: PlayingRecord, passed: StoredStep) -> PlayingRecord:
    """The record one step and one revision further."""
    further = add_steps(record, [passed])
    return msgspec.structs.replace(further, revision=record.revision + 1)


def add_steps(record: PlayingRecord, steps: Sequence[StoredStep]) -> PlayingRecord:
    """The record with steps that can be gone back to, as many as there is room for."""
    kept = _take_last((*record.passed, *steps), MOST_STEPS)
    return msgspec.structs.replace(record, passed=kept)


def add_answer(
    record: PlayingRecord, asked: IdempotencyKey | None, moment: PlayState
) -> PlayingRecord:
    """The record with an answer remembered, where the request had a name."""
    if asked is None:
        return record
    answered = (*record.answered, StoredAnswer(asked=asked, moment=moment))
    return msgspec.structs.replace(record, answered=_take_last(answered, MOST_ANSWERS))


def _take_last(all: Sequence[K], most: int) -> tuple[K, ...]:
    """The last of them that fit into the room there is; the very last in any case."""
    kept, room = list[K](), LARGEST_HISTORY
    for each in reversed(all[-most:]):
        room -= len(msgspec.json.encode(each))
        if kept and room < 0:
            break
        kept.append(each)
    return tuple(reversed(kept))


warm_decoders(PlayingRecord)


class SeenLines:
    """The lines one person has seen of one story."""

    def __init__(self, origin: PlayOrigin, plays: PlayRecords) -> None:
        """Those of whoever began it; a draft is remembered by nobody."""
        named = f"{origin.story}\n{origin.owner}".encode("utf-8", "replace")
        played = origin.story and not origin.draft
        self._id = f"seen-{sha256(named).hexdigest()[:24]}" if played else ""
        self._plays = plays

    def list_ids(self) -> frozenset[str]:
        """The ids of those lines.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        kept = self._plays.get(self._id) if self._id else None
        return self._decode_ids(kept.content) if kept else frozenset()

    def add_ids(self, ids: frozenset[str]) -> None:
        """Remember these as well.

        Two playings at once lose nothing of each other.

        Raises:
            StoreError: It could not be kept, or what is kept cannot be read.
        """

        def joined(content: bytes | None) -> bytes | None:
            known = self._decode_ids(content) if content else frozenset[str]()
            return None if ids <= known else msgspec.json.encode(sorted(known | ids))

        if self._id:
            replace_content(self._plays, self._id, joined)

    def _decode_ids(self, content: bytes) -> frozenset[str]:
        return frozenset(decode_content(self._id, content, list[str]))


MOST_SLOTS: Final = 200
"""Places one story may have."""


class _StoredSlot(msgspec.Struct, frozen=True, kw_only=True):
    slot: SaveSlot
    state: msgspec.Raw


class SaveSlots:
    """The saved places of one story."""

    def __init__(self, run: str, plays: PlayRecords) -> None:
        """Those of a run, as they are kept."""
        self._prefix = f"save-{run}/"
        self._plays = plays

    def put(self, name: str, created: int, state: bytes, line: str) -> SaveSlot:
        """Keep a place; the same name moves.

        Raises:
            StoreError: `SAVE_UNNAMED`; `SAVES_TOO_MANY`; it could not be kept.
        """
        check_save_name(name, "the story")
        slot = SaveSlot(name=name, created=created, line=line)
        content = msgspec.json.encode(_StoredSlot(slot=slot, state=msgspec.Raw(state)))

        def moved(before: bytes | None) -> bytes:
            if before is None and sum(1 for _ in self._list_ids()) >= MOST_SLOTS:
                raise _make_too_many_error()
            return content

        replace_content(self._plays, self._make_id(name), moved)
        return slot

    def read_state(self, name: str) -> bytes:
        """Where story and world stood there.

        Raises:
            StoreError: `SAVE_NOT_FOUND`, `STORE_UNREADABLE`.
        """
        id = self._make_id(name)
        kept = self._plays.get(id)
        if kept is None:
            raise self._make_missing_save_error(name)
        return bytes(decode_content(id, kept.content, _StoredSlot).state)

    def list_slots(self) -> tuple[SaveSlot, ...]:
        """All of them, in order of name.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        found = ((id, self._plays.get(id)) for id in self._list_ids())
        places = (
            decode_content(id, each.content, _StoredSlot) for id, each in found if each
        )
        return tuple(sorted((each.slot for each in places), key=lambda slot: slot.name))

    def drop(self, name: str) -> None:
        """Forget one.

        Raises:
            StoreError: `SAVE_NOT_FOUND`.
        """
        if self._plays.get(self._make_id(name)) is None:
            raise self._make_missing_save_error(name)
        self._plays.drop(self._make_id(name))

    def _list_ids(self) -> Iterator[str]:
        for id in self._plays.list_ids(after=self._prefix, limit=MOST_SLOTS):
            if not id.startswith(self._prefix):
                return
            yield id

    def _make_id(self, name: str) -> str:
        return self._prefix + sha256(name.encode("utf-8", "replace")).hexdigest()[:16]

    def _make_missing_save_error(self, name: str) -> StoreError:
        names = [slot.name for slot in self.list_slots()]
        there = f"there is: {', '.join(names)}" if names else "nothing was saved"
        return StoreError(
            "SAVE_NOT_FOUND",
            f"there is no save {quote_value(name)} of this story",
            hint=suggest_nearest(name, names) or there,
            details={"save": name, "saves": names},
        )


def _make_too_many_error() -> StoreError:
    return StoreError(
        "SAVES_TOO_MANY",
        f"this story has {MOST_SLOTS} saves already",
        hint="remove one, or save under a name it has",
    )


warm_decoders(_StoredSlot)
