"""What is stored for a hosted run besides its log: origin, steps, answers and saves.

A story without a world has no log, and a story with a world has a position in its text
as well as in its run. Both are stored here as one record, replaced after every step a
host is shown.
"""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Final, TypeVar

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.json_values import warm_decoders
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.runs.playing import PlayState, SaveSlot
from saniwa.store.lookup import check_save_name
from saniwa.store.play_records import PlayRecords
from saniwa.story.step_result import StepResult
from saniwa.turn.record import IdempotencyKey

MOST_TRIES: Final = 5
"""How often other writers may come first before a replacement fails."""
_RETRY_CODES: Final = frozenset({"REVISION_CONFLICT", "RUN_EXISTS", "RUN_NOT_FOUND"})

ContentUpdate = Callable[[bytes | None], bytes | None]
"""Makes the new content from the old, which is None if there is none.

Returning None leaves everything as it is.
"""
VERSION: Final = 1
"""The version of the record format."""
MOST_ANSWERS: Final = 16
"""The most answers that are stored for repeated requests."""
MOST_STEPS: Final = 40
"""The most steps that can be gone back to after a restart."""
LARGEST_HISTORY: Final = 200_000
"""The most bytes of stored steps; the same limit holds for answers."""
MOST_SLOTS: Final = 200
"""The most saves of one story."""
D = TypeVar("D")
K = TypeVar("K")


def replace_content(plays: PlayRecords, id: str, renew: ContentUpdate) -> None:
    """Replace a record's content atomically; changes of other writers are not lost.

    Raises:
        StoreError: It could not be stored, or other writers came first too often.
    """
    for left in reversed(range(MOST_TRIES)):
        stored = plays.get(id)
        content = renew(stored.content if stored else None)
        try:
            if content is not None and stored is None:
                plays.create(id, content)
            elif content is not None and stored is not None:
                plays.put(id, content, after=stored.revision)
            return
        except StoreError as problem:
            if problem.code not in _RETRY_CODES or not left:
                raise


def decode_content(id: str, content: bytes, kind: type[D]) -> D:
    """Decode the bytes stored under an id.

    Raises:
        StoreError: `STORE_UNREADABLE` for bytes that are not such a record.
    """
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise make_unreadable_content_error(id, str(problem)) from problem


def make_unreadable_content_error(id: str, why: str) -> StoreError:
    """The error for stored content that cannot be decoded."""
    return StoreError(
        "STORE_UNREADABLE",
        f"what is kept for hosts of {quote_value(id)} cannot be read: {why}",
        hint="bring it back from a copy, or begin anew",
    )


class _StoredRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A stored record; fields with default values are left out."""


class StoredStep(_StoredRecord, frozen=True, kw_only=True):
    """A step that was shown, and the story's state at that moment."""

    step: StepResult
    """What was shown."""
    state: msgspec.Raw
    """The state of story and world."""


class StoredAnswer(_StoredRecord, frozen=True, kw_only=True):
    """A request and its answer."""

    asked: IdempotencyKey
    """The request."""
    moment: PlayState
    """The answer."""


class PlayOrigin(_StoredRecord, frozen=True, kw_only=True):
    """What a hosted run plays, and for which user."""

    scenario: str = ""
    """A scenario's id; empty for a story."""
    story: str = ""
    """A story's id in the library; empty for a scenario, and for a draft of a new
    story."""
    draft: str = ""
    """A story's text, played before it was saved."""
    file: str = ""
    """The file that the draft replaces; empty for the story's first file."""
    at: str = ""
    """The place in the story where it begins; empty for the beginning."""
    language: str = ""
    """The language; empty for the author's own."""
    actor: str = ""
    """The player's character; empty for the scenario's protagonist."""
    seed: int = 0
    """The random seed."""
    owner: str = ""
    """The user who began it; empty for the local user."""
    created: int = 0
    """When; milliseconds since 1970."""


class PlayingRecord(_StoredRecord, frozen=True, kw_only=True):
    """A hosted run, as it is stored."""

    version: int = VERSION
    """The version of the record format."""
    origin: PlayOrigin
    """What it plays."""
    revision: int = 1
    """The revision hosts have seen; increases with every change."""
    passed: tuple[StoredStep, ...] = ()
    """The last steps, oldest first; the last is what is shown now."""
    answered: tuple[StoredAnswer, ...] = ()
    """The last answers, oldest first."""

    def to_bytes(self) -> bytes:
        """The record as bytes."""
        return msgspec.json.encode(self)


def decode_playing_record(id: str, content: bytes) -> PlayingRecord:
    """Decode a record.

    Raises:
        StoreError: `STORE_UNREADABLE` for invalid content, or a record from a newer
            version.
    """
    record = decode_content(id, content, PlayingRecord)
    if record.version != VERSION:
        raise make_unreadable_content_error(
            id, f"it has version {record.version}, and not {VERSION}"
        )
    return record


def drop_steps(record: PlayingRecord, count: int) -> PlayingRecord:
    """The record without its last `count` steps."""
    return msgspec.structs.replace(record, passed=record.passed[: len(record.passed) - count])


def add_step(record: PlayingRecord, passed: StoredStep) -> PlayingRecord:
    """The record with one more step, and the next revision."""
    further = add_steps(record, [passed])
    return msgspec.structs.replace(further, revision=record.revision + 1)


def add_steps(record: PlayingRecord, steps: Sequence[StoredStep]) -> PlayingRecord:
    """The record with more steps to go back to, as many as fit."""
    last = _take_last((*record.passed, *steps), MOST_STEPS)
    return msgspec.structs.replace(record, passed=last)


def add_answer(
    record: PlayingRecord, asked: IdempotencyKey | None, moment: PlayState
) -> PlayingRecord:
    """The record with an answer added, if the request has a key."""
    if asked is None:
        return record
    answered = (*record.answered, StoredAnswer(asked=asked, moment=moment))
    return msgspec.structs.replace(record, answered=_take_last(answered, MOST_ANSWERS))


def _take_last(all: Sequence[K], most: int) -> tuple[K, ...]:
    """The last items that fit the size limit; the very last one in any case."""
    taken, room = list[K](), LARGEST_HISTORY
    for each in reversed(all[-most:]):
        room -= len(msgspec.json.encode(each))
        if taken and room < 0:
            break
        taken.append(each)
    return tuple(reversed(taken))


warm_decoders(PlayingRecord)


class SeenLines:
    """The lines that one user has seen of one story."""

    def __init__(self, origin: PlayOrigin, plays: PlayRecords) -> None:
        """The lines seen by the user who began the playing; a draft stores none."""
        named = f"{origin.story}\n{origin.owner}".encode("utf-8", "replace")
        played = origin.story and not origin.draft
        self._id = f"seen-{sha256(named).hexdigest()[:24]}" if played else ""
        self._plays = plays

    def list_ids(self) -> frozenset[str]:
        """The ids of the lines seen.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        stored = self._plays.get(self._id) if self._id else None
        return self._decode_ids(stored.content) if stored else frozenset()

    def add_ids(self, ids: frozenset[str]) -> None:
        """Add these lines.

        Of two playings at the same time, neither loses lines of the other.

        Raises:
            StoreError: It could not be stored, or what is stored cannot be read.
        """

        def add_ids(content: bytes | None) -> bytes | None:
            known = self._decode_ids(content) if content else frozenset[str]()
            return None if ids <= known else msgspec.json.encode(sorted(known | ids))

        if self._id:
            replace_content(self._plays, self._id, add_ids)

    def _decode_ids(self, content: bytes) -> frozenset[str]:
        return frozenset(decode_content(self._id, content, list[str]))


class _StoredSlot(msgspec.Struct, frozen=True, kw_only=True):
    slot: SaveSlot
    state: msgspec.Raw


class SaveSlots:
    """The saves of one story."""

    def __init__(self, run: str, plays: PlayRecords) -> None:
        """The stored saves of a run."""
        self._prefix = f"save-{run}/"
        self._plays = plays

    def put(self, name: str, created: int, state: bytes, line: str) -> SaveSlot:
        """Store a save; an existing save of that name is moved.

        Raises:
            StoreError: `SAVE_UNNAMED`; `SAVES_TOO_MANY`; it could not be stored.
        """
        check_save_name(name, "the story")
        slot = SaveSlot(name=name, created=created, line=line)
        content = msgspec.json.encode(_StoredSlot(slot=slot, state=msgspec.Raw(state)))

        def replace_slot(before: bytes | None) -> bytes:
            if before is None and sum(1 for _ in self._list_ids()) >= MOST_SLOTS:
                raise StoreError(
                    "SAVES_TOO_MANY",
                    f"this story has {MOST_SLOTS} saves already",
                    hint="remove one, or save under a name it has",
                )
            return content

        replace_content(self._plays, self._make_id(name), replace_slot)
        return slot

    def read_state(self, name: str) -> bytes:
        """The state of story and world in a save.

        Raises:
            StoreError: `SAVE_NOT_FOUND`, `STORE_UNREADABLE`.
        """
        id = self._make_id(name)
        stored = self._plays.get(id)
        if stored is None:
            raise self._make_missing_save_error(name)
        return bytes(decode_content(id, stored.content, _StoredSlot).state)

    def list_slots(self) -> tuple[SaveSlot, ...]:
        """All saves, sorted by name.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        found = ((id, self._plays.get(id)) for id in self._list_ids())
        places = (decode_content(id, each.content, _StoredSlot) for id, each in found if each)
        return tuple(sorted((each.slot for each in places), key=lambda slot: slot.name))

    def drop(self, name: str) -> None:
        """Delete a save.

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
        listed = f"there is: {', '.join(names)}" if names else "nothing was saved"
        return StoreError(
            "SAVE_NOT_FOUND",
            f"there is no save {quote_value(name)} of this story",
            hint=suggest_nearest(name, names) or listed,
            details={"save": name, "saves": names},
        )


warm_decoders(_StoredSlot)
