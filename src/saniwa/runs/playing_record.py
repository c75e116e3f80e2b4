"""What is stored for a hosted run besides its turns: origin, steps, answers and saves.

A story without a world has no turns, and a story with a world has a position in its
text as well as in its run. A record is stored when the story begins; each later move is
appended as a record of its own, under the run's id and its revision.
"""

import unicodedata
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.core.suggestions import suggest_nearest
from saniwa.runs import describe
from saniwa.runs.playing import PlayState, SaveSlot
from saniwa.store.play_records import PlayRecords, make_record_conflict_error
from saniwa.store.run_records import check_save_name
from saniwa.story.step_result import Branch, Say, StepResult

MOST_TRIES: Final = 5
"""How often other writers may come first before a replacement fails."""
_RETRY_CODES: Final = frozenset({"REVISION_CONFLICT", "RUN_EXISTS", "RUN_NOT_FOUND"})

ContentUpdate = Callable[[bytes | None], bytes | None]
"""Makes the new content from the old, which is None if there is none.

Returning None leaves everything as it is.
"""
VERSION: Final = 2
"""The version of the records of stories, whose later moves are appended.

In version 1 the whole record was replaced at every move.
"""
MOST_ANSWERS: Final = 16
"""The most answers that are stored for repeated requests."""
MOST_STEPS: Final = 40
"""The most steps that are held in memory; earlier ones are read when they are gone back to."""
MOST_MOVES: Final = 1_000
"""The most moves that are read for the sake of earlier answers: a request that was not
answered is sent again soon, or never."""
LARGEST_HISTORY: Final = 200_000
"""The most bytes of stored steps; the same limit holds for answers."""
MOST_SLOTS: Final = 200
"""The most saves of one story."""
D = TypeVar("D")


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
    return describe("STORE_UNREADABLE", id=id, why=why).to_error(StoreError)


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


H = TypeVar("H", StoredStep, StoredAnswer)


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
    path: str = ""
    """The story's file, as seen from the folder of the store, if no library has it; only
    a program on this machine names one."""
    at: str = ""
    """The place in the story where it begins; empty for the beginning."""
    language: str = ""
    """The language; empty for the original."""
    actor: str = ""
    """The player's character; empty for the scenario's protagonist."""
    book: str = ""
    """The rulebook that was chosen for it; empty for the scenario's own."""
    seed: int = 0
    """The random seed."""
    owner: str = ""
    """The user who began it; empty for the local user."""
    created: int = 0
    """The time, in milliseconds since 1970."""


class PlayingRecord(_StoredRecord, frozen=True, kw_only=True):
    """A hosted run, as it is stored."""

    version: int = 1
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
    if not 1 <= record.version <= VERSION:
        raise make_unreadable_content_error(
            id, f"it has version {record.version}; versions 1 to {VERSION} can be read"
        )
    return record


class StoredMove(_StoredRecord, frozen=True, kw_only=True):
    """What one request changed in a story."""

    dropped: int = 0
    """How many of the last steps it took away."""
    passed: tuple[StoredStep, ...]
    """The steps that it added after that; the last is what is shown now."""
    answered: StoredAnswer | None = None
    """The request and its answer, if it had a key."""


class MoveLog:
    """The moves of one story after its first record, by the revision each led to."""

    def __init__(self, run: str, plays: PlayRecords) -> None:
        """The stored moves of a run."""
        self._run, self._plays = run, plays
        self._prefix = f"step-{run}/"

    def append(self, revision: int, move: StoredMove) -> None:
        """Store the move that led to a revision.

        Raises:
            StoreError: `REVISION_CONFLICT` if another move did; it could not be stored.
        """
        try:
            self._plays.create(self._make_id(revision), msgspec.json.encode(move))
        except StoreError as problem:
            if problem.code != "RUN_EXISTS":
                raise
            place = self._plays.place
            after, current = revision - 1, self.find_last(revision)
            raise make_record_conflict_error(self._run, after, current, place) from problem

    def has(self, revision: int) -> bool:
        """Whether a move led to this revision.

        Raises:
            StoreError: It cannot be read.
        """
        return self._plays.get_revision(self._make_id(revision)) is not None

    def find_last(self, known: int) -> int:
        """The revision of the last move, at least `known`; found in few look-ups.

        Raises:
            StoreError: `STORE_UNREADABLE` if a move is missing; it cannot be read.
        """
        step = 1
        while self.has(known + step):
            known, step = known + step, step * 2
        while step := step // 2:
            known += step if self.has(known + step) else 0
        for later in self._plays.list_ids(after=self._make_id(known), limit=1):
            if later.startswith(self._prefix):
                raise make_unreadable_content_error(self._run, f"move {known + 1} is missing")
        return known

    def read(self, revision: int) -> StoredMove:
        """The move that led to a revision.

        Raises:
            StoreError: `STORE_UNREADABLE` if it is missing or invalid.
        """
        id = self._make_id(revision)
        stored = self._plays.get(id)
        if stored is None:
            raise make_unreadable_content_error(self._run, f"move {revision} is missing")
        return decode_content(id, stored.content, StoredMove)

    def _make_id(self, revision: int) -> str:
        return f"{self._prefix}{revision:012d}"


def load_playing_record(
    id: str, plays: PlayRecords, steps: int = MOST_STEPS
) -> PlayingRecord | None:
    """Read a record with the last `steps` of its moves; None if there is none.

    Raises:
        StoreError: It cannot be read.
    """
    stored = plays.get(id)
    if stored is None:
        return None
    head, log = decode_playing_record(id, stored.content), MoveLog(id, plays)
    last = log.find_last(head.revision)
    passed, answered, dropped = deque[StoredStep](), deque[StoredAnswer](), 0
    # Backwards: a move took away steps of the moves before it.
    for revision in range(last, head.revision, -1):
        move = log.read(revision)
        kept = move.passed[: max(len(move.passed) - dropped, 0)]
        dropped = max(dropped - len(move.passed), 0) + move.dropped
        passed.extendleft(reversed(kept))
        answered.extendleft([move.answered] if move.answered else [])
        enough = len(answered) >= MOST_ANSWERS or last - revision >= MOST_MOVES
        if enough and len(passed) >= steps:
            break
    else:
        passed.extendleft(reversed(head.passed[: max(len(head.passed) - dropped, 0)]))
        answered.extendleft(reversed(head.answered))
    return msgspec.structs.replace(
        head,
        revision=last,
        passed=_take_last(passed, steps),
        answered=_take_last(answered, MOST_ANSWERS),
    )


def convert_record(id: str, plays: PlayRecords) -> None:
    """Mark a record of an earlier version as one to which moves are appended.

    Earlier versions of Saniwa refuse it then, instead of reading only its beginning.

    Raises:
        StoreError: It could not be stored.
    """

    def set_version(content: bytes | None) -> bytes | None:
        record = None if content is None else decode_playing_record(id, content)
        if record is None or record.version == VERSION:
            return None
        return msgspec.structs.replace(record, version=VERSION).to_bytes()

    replace_content(plays, id, set_version)


def add_state(plays: PlayRecords, id: str, origin: PlayOrigin, step: StoredStep) -> None:
    """Append a step to a run's moves, after whatever others append; begin its record.

    Raises:
        StoreError: It could not be stored, or other writers came first too often.
    """
    for left in reversed(range(MOST_TRIES)):
        stored = plays.get(id)
        try:
            if stored is None:
                new = PlayingRecord(version=VERSION, origin=origin, passed=(step,))
                plays.create(id, new.to_bytes())
            else:
                convert_record(id, plays)
                log = MoveLog(id, plays)
                known = decode_playing_record(id, stored.content).revision
                log.append(log.find_last(known) + 1, StoredMove(passed=(step,)))
            return
        except StoreError as problem:
            if problem.code not in _RETRY_CODES or not left:
                raise


def drop_steps(record: PlayingRecord, count: int) -> PlayingRecord:
    """The record without its last `count` steps."""
    return msgspec.structs.replace(record, passed=record.passed[: len(record.passed) - count])


def add_steps(record: PlayingRecord, steps: Sequence[StoredStep]) -> PlayingRecord:
    """The record with more steps to go back to, as many as fit."""
    last = (*record.passed, *steps)[-MOST_STEPS:]
    # Small steps always fit, so that a step costs the same however many were before it.
    if any(_measure(each) > LARGEST_HISTORY // MOST_STEPS for each in steps):
        last = _take_last(last, MOST_STEPS)
    return msgspec.structs.replace(record, passed=last)


def add_answer(
    record: PlayingRecord, asked: IdempotencyKey | None, moment: PlayState
) -> PlayingRecord:
    """The record with an answer added, if the request has a key."""
    if asked is None:
        return record
    answered = (*record.answered, StoredAnswer(asked=asked, moment=moment))
    return msgspec.structs.replace(record, answered=_take_last(answered, MOST_ANSWERS))


def _take_last(all: Sequence[H], most: int) -> tuple[H, ...]:
    """The last items that fit the size limit; the very last one in any case."""
    taken, room = list[H](), LARGEST_HISTORY
    for each in islice(reversed(all), most):
        room -= _measure(each)
        if taken and room < 0:
            break
        taken.append(each)
    return tuple(reversed(taken))


def _measure(item: StoredStep | StoredAnswer) -> int:
    """About how many bytes an item has; counting them exactly would mean to write them."""
    if isinstance(item, StoredAnswer):
        return _measure_step(item.moment.step)
    return memoryview(item.state).nbytes + _measure_step(item.step)


def _measure_step(step: StepResult) -> int:
    return sum(
        len(each.args.text)
        if isinstance(each, Say)
        else sum(map(len, each.args.choices))
        if isinstance(each, Branch)
        else 0
        for each in step.directives
    )


warm_decoders(PlayingRecord)
warm_decoders(StoredMove)


def _make_story_key(kind: str, origin: PlayOrigin, *more: str) -> str:
    """An id for what one user has of one story; empty for a draft."""
    story = origin.story or (f"/{origin.path}" if origin.path else "")
    if not story or origin.draft:
        return ""
    named = "\n".join((story, origin.owner, *more)).encode("utf-8", "replace")
    return f"{kind}-{sha256(named).hexdigest()[:24]}"


class LastPlay:
    """Which run of a story its user played last, as long as that run has not ended.

    Editions in files of their own are told apart.
    """

    def __init__(self, origin: PlayOrigin, file: str, plays: PlayRecords) -> None:
        """The last run of a story that begins in a file; a draft has none."""
        self._id = _make_story_key("last", origin, Path(file).name)
        self._plays = plays

    def find_run_id(self) -> str:
        """The run's id; empty if there is none.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        stored = self._plays.get(self._id) if self._id else None
        return decode_content(self._id, stored.content, str) if stored else ""

    def move_to(self, run_id: str) -> None:
        """Let this run be the last.

        Raises:
            StoreError: It could not be stored.
        """
        content = msgspec.json.encode(run_id)
        if self._id:
            replace_content(
                self._plays, self._id, lambda before: None if before == content else content
            )

    def clear(self, run_id: str) -> None:
        """Forget this run; another one stays the last.

        Raises:
            StoreError: It could not be stored.
        """
        if self._id and self.find_run_id() == run_id:
            self._plays.drop(self._id)


class SeenLines:
    """The lines that one user has seen of one story."""

    def __init__(self, origin: PlayOrigin, plays: PlayRecords) -> None:
        """The lines seen by the user who began the playing; a draft stores none."""
        self._id = _make_story_key("seen", origin)
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
        name = unicodedata.normalize("NFC", name)
        slot = SaveSlot(name=name, created=created, line=line)
        content = msgspec.json.encode(_StoredSlot(slot=slot, state=msgspec.Raw(state)))

        def replace_slot(before: bytes | None) -> bytes:
            if before is None and sum(1 for _ in self._list_ids()) >= MOST_SLOTS:
                raise describe("SAVES_TOO_MANY", most=MOST_SLOTS).to_error(StoreError)
            return content

        replace_content(self._plays, self._make_id(name), replace_slot)
        return slot

    def read_state(self, name: str) -> bytes:
        """The state of story and world in a save.

        Raises:
            StoreError: `SAVE_NOT_FOUND`, `STORE_UNREADABLE`.
        """
        id = self._find_id(name)
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
        id = self._find_id(name)
        if self._plays.get_revision(id) is None:
            raise self._make_missing_save_error(name)
        self._plays.drop(id)

    def _list_ids(self) -> Iterator[str]:
        for id in self._plays.list_ids(after=self._prefix, limit=MOST_SLOTS):
            if not id.startswith(self._prefix):
                return
            yield id

    def _find_id(self, name: str) -> str:
        """The id of a save; earlier versions told spellings of one name apart."""
        id = self._make_id(unicodedata.normalize("NFC", name))
        return self._make_id(name) if self._plays.get_revision(id) is None else id

    def _make_id(self, name: str) -> str:
        return self._prefix + sha256(name.encode("utf-8", "replace")).hexdigest()[:16]

    def _make_missing_save_error(self, name: str) -> StoreError:
        return make_missing_save_error(name, [slot.name for slot in self.list_slots()])


def make_missing_save_error(name: str, names: Sequence[str]) -> StoreError:
    """The error for a save that a story does not have; `names` are those it has."""
    listed = f"there is: {', '.join(names)}" if names else "nothing was saved"
    near, saves = suggest_nearest(name, names), list(names)
    said = describe("SAVE_NOT_FOUND/story", hint=near, save=name, saves=saves, listed=listed)
    return said.to_error(StoreError)


warm_decoders(_StoredSlot)
