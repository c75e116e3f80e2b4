"""One run, conducted: it hears, plays, words it, keeps, and only then tells.

A turn counts when the store has it; until then the run's world stands where it stood.
Two coroutines on one run wait for each other; of two processes, the slower is told so.
"""

import asyncio
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Literal, NamedTuple, NoReturn

import msgspec

from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import RunError, StoreError
from saniwa.core.ids import Ids, TimeOrderedIds
from saniwa.models.metering import CALLS_PER_TURN, CallBudget
from saniwa.rulebook.admissible import find_admissible_actions
from saniwa.rulebook.book import Rulebook, add_manners
from saniwa.rulebook.loader import build_rulebook
from saniwa.runs import presentation
from saniwa.runs.errors import (
    make_choice_not_awaited_error,
    make_choice_range_error,
    make_incomplete_action_error,
    make_missing_save_error,
    make_missing_turn_error,
)
from saniwa.runs.hints import Hint, find_hint
from saniwa.runs.listener import (
    Interpretation,
    PhraseListener,
    check_encodable,
    interpret_words,
    run_in_thread,
    to_json_claims,
)
from saniwa.runs.ports import Listener, Narrator, RunStore
from saniwa.runs.seats import SeatTimeline
from saniwa.runs.timeline import (
    BEGINNING,
    PendingTurn,
    Timeline,
    TimelineEdit,
    TimelinePoint,
    TimelineStart,
    find_player_character,
    load_opening_words,
)
from saniwa.store.run_records import RunRecord, RunSave, make_turn_conflict_error
from saniwa.story.stepresult import StepResult
from saniwa.turn.clarification import complete_with_answer
from saniwa.turn.normalise import find_missing_field
from saniwa.turn.play import play_turn
from saniwa.turn.preview import TurnPreview, preview_turn
from saniwa.turn.record import (
    IdempotencyKey,
    RulebookEdit,
    RunReturn,
    Seating,
    SpokenWords,
    Turn,
    TurnAside,
    redact_turn,
    render_public_words,
)
from saniwa.world.actions import Action
from saniwa.world.canonical import compute_fingerprint
from saniwa.world.model import Id, World
from saniwa.world.view import is_goal_reached


class TurnResult(NamedTuple):
    """What came of something said or done to a run."""

    turn: Turn
    """The turn as it was kept."""
    step: StepResult
    """What the host shows."""


class EmptyTurnResult(NamedTuple):
    """Nothing was to be done, so nothing was kept."""

    turn: None
    """No turn."""
    step: StepResult
    """What the host shows."""


class Run:
    """One playing of one scenario."""

    def __init__(
        self,
        record: RunRecord,
        store: RunStore,
        *,
        start: TimelineStart | None = None,
        listener: Listener | None = None,
        narrator: Narrator | None = None,
        ids: Ids | None = None,
        clock: Clock | None = None,
        calls_per_turn: int = CALLS_PER_TURN,
    ) -> None:
        """Stand where the kept turns leave the run; `runs.start` calls this.

        `start` spares reading what the record opens with, where that is known.

        Raises:
            RunError: `RUN_DIVERGED` if a kept turn no longer leads where it led.
            StoreError: `TRACE_CORRUPT`, or the store cannot be read.
        """
        self.record = record
        self._store = store
        self._start = start
        self._ids = ids or TimeOrderedIds()
        self._clock = clock or SystemClock()
        self._listener = listener or PhraseListener()
        self._narrator = narrator
        self._calls_per_turn = calls_per_turn
        self._lock = asyncio.Lock()
        self._timeline = self._build_timeline()

    @property
    def id(self) -> str:
        """The run's id."""
        return self.record.run_id

    @property
    def actor(self) -> Id:
        """Whom the player plays."""
        return Id(self.record.actor_id)

    @property
    def world(self) -> World:
        """What is true now."""
        return self._timeline.point.world

    @property
    def book(self) -> Rulebook:
        """The rulebook the next turn is judged by."""
        return self._timeline.book

    @property
    def count(self) -> int:
        """How many turns the run has; the number of the next."""
        return self._timeline.count

    @property
    def seating(self) -> Seating | None:
        """Who plays whom; None where nobody has said."""
        return self._timeline.places.seating

    @property
    def seat_timeline(self) -> SeatTimeline:
        """The place and the seating at every point of the run."""
        return self._timeline.places

    @property
    def edits(self) -> tuple[TimelineEdit, ...]:
        """Every edit of the run's book, oldest first."""
        return self._timeline.edits

    @property
    def is_undoable(self) -> bool:
        """Whether anything has happened that could be taken back."""
        return self._timeline.point.back is not None

    @property
    def is_finished(self) -> bool:
        """Whether the story has ended well."""
        return is_goal_reached(self.world)

    async def say(
        self,
        text: str,
        actor: str | None = None,
        *,
        viewer: str | None = None,
        calls: int = 0,
        aloud: bool = False,
        asked: IdempotencyKey | None = None,
    ) -> TurnResult:
        """Play the words as a turn; when this returns, the turn is kept.

        The actor is told of it, or the viewer. `calls` are the model calls these words
        have cost already; listener and narrator share what is left. With `aloud`, what
        is no phrase is said, as by a character whose every word is heard. `asked` names
        the request, and is kept with the turn.

        Raises:
            AgentError: The listener's model could not be asked; nothing has happened.
            RunError: `TEXT_UNREADABLE` for words that are no text.
            StoreError: The turn could not be kept; then nothing has happened. After
                `REVISION_CONFLICT` the run stands where the other process left it.
        """
        async with self._lock:
            words = self._make_words(
                check_encodable(text), self._resolve_actor(actor), asked
            )
            left = CallBudget(self._calls_per_turn - calls)
            heard = await self._interpret(words, self.world, left, aloud=aloud)
            return await self._play_words(words, heard, viewer, left)

    async def act(
        self, action: Mapping[str, Any], *, asked: IdempotencyKey | None = None
    ) -> TurnResult:
        """Play one action, given in its wire form, as a turn; `asked` as for `say`.

        Raises:
            RunError: `TEXT_UNREADABLE` for what JSON cannot say; `ACTION_INCOMPLETE` where
                a field is missing: nothing is guessed, and nothing is kept.
            StoreError: As for `say`.
        """
        missing = find_missing_field(action)
        if missing:
            raise make_incomplete_action_error(RunError, action, missing)
        async with self._lock:
            named = action.get("actorId")
            speaker = self._resolve_actor(named if isinstance(named, str) else None)
            heard = Interpretation(to_json_claims([dict(action)]))
            return await self._play_words(self._make_words("", speaker, asked), heard)

    async def choose(
        self, index: int, *, asked: IdempotencyKey | None = None
    ) -> TurnResult:
        """Answer the question the last turn asked by one of its options; from 0.

        `asked` as for `say`.

        Raises:
            RunError: `CHOICE_NOT_AWAITED`, `CHOICE_OUT_OF_RANGE`; nothing has changed.
            StoreError: As for `say`.
        """
        async with self._lock:
            last = self._timeline.last
            options = last.clarification.options if last and last.clarification else ()
            if last is None or not options:
                raise make_choice_not_awaited_error(self.id)
            if not 0 <= index < len(options):
                raise make_choice_range_error(index, options)
            words = self._make_words(options[index].label, last.actor_id, asked)
            claims = complete_with_answer(last, str(index + 1), self.world)
            assert claims is not None, "a question's own option answers it"
            return await self._play_words(words, Interpretation(to_json_claims(claims)))

    async def preview(
        self,
        text: str,
        actor: str | None = None,
        *,
        aloud: bool = False,
        book: Rulebook | None = None,
    ) -> TurnPreview:
        """How the words would be understood and judged now. Nothing happens or is kept.

        `aloud` as for `say`; by another book, where one is given.

        Raises:
            AgentError: The listener's model could not be asked.
            RunError: `TEXT_UNREADABLE` for words that are no text.
        """
        book = book or self.book
        world = add_manners(self.world, book)
        words = self._make_undated_words(
            check_encodable(text), self._resolve_actor(actor)
        )
        calls = CallBudget(self._calls_per_turn)
        heard = await self._interpret(words, world, calls, aloud=aloud)
        return await run_in_thread(
            lambda: preview_turn(words, heard.claims, world, book), world, text
        )

    async def prepare_turn(
        self, text: str, actor: str | None = None, *, aloud: bool = False
    ) -> PendingTurn:
        """The turn that the words would make now. Nothing happens until it is played.

        `aloud` as for `say`.

        Raises:
            AgentError: The listener's model could not be asked.
            RunError: `TEXT_UNREADABLE` for words that are no text.
        """
        here = self._timeline.point
        words = self._make_undated_words(
            check_encodable(text), self._resolve_actor(actor)
        )
        calls = CallBudget(self._calls_per_turn)
        heard = await self._interpret(words, here.world, calls, aloud=aloud)
        return await run_in_thread(
            lambda: self._judge_words(words, heard, here), here.world, text
        )

    async def play_pending_turn(self, weighed: PendingTurn) -> Turn:
        """Play a turn as it was weighed, as `say` would play its words now.

        It is neither heard nor judged again. When this returns, the turn is kept.

        Raises:
            StoreError: As for `say`; `REVISION_CONFLICT` also where anything was kept
                since it was weighed.
        """
        async with self._lock:
            number = weighed.turn.number
            if number != self.count or weighed.here is not self._timeline.point:
                raise make_turn_conflict_error(self.id, number, self.count)
            dated = msgspec.structs.replace(
                weighed.turn,
                id=self._ids.create_id("turn"),
                timestamp=self._clock.now(),
            )
            return await self._narrate_and_append(weighed._replace(turn=dated))

    async def undo(
        self, steps: int = 1, *, asked: IdempotencyKey | None = None
    ) -> TurnResult | EmptyTurnResult:
        """Take back the last things that happened, as one turn that is kept.

        At the beginning there is nothing to take back: the host is told so, and
        nothing is kept. `asked` names the request, here and below, and is kept with the
        turn.

        Raises:
            StoreError: As for `say`.
        """
        async with self._lock:
            here = self._timeline.point
            if here.back is None:
                return EmptyTurnResult(
                    None, presentation.present_nothing_to_undo(self.world)
                )
            back, undone = here.back, here.undoes
            for _ in range(steps - 1):
                if back.back is not None:
                    back, undone = back.back, ""
            return self._go_back(
                RunReturn(to=back.number, why="undo"), undone, asked=asked
            )

    async def go_back_to(
        self,
        number: int,
        why: Literal["undo", "load"] = "undo",
        *,
        viewer: str | None = None,
        asked: IdempotencyKey | None = None,
    ) -> TurnResult:
        """Go back to how the run stood after one of its turns; -1 for the beginning.

        That is kept as a turn. Undo goes further back from an `undo`, and comes back
        from a `load`. Who plays is told where they are again, or the viewer.

        Raises:
            StoreError: As for `say`; `TRACE_CORRUPT` for no turn of this run.
        """
        async with self._lock:
            if not BEGINNING <= number < self.count:
                raise self._make_missing_turn_error("the story", number)
            undone, since = self._find_undone(number) if why == "undo" else ("", False)
            return self._go_back(
                RunReturn(to=number, why=why),
                undone,
                viewer=viewer,
                since=since,
                asked=asked,
            )

    async def save(self, name: str) -> RunSave:
        """Name the point where the run stands; the same name moves.

        Raises:
            StoreError: `SAVE_UNNAMED` for a name that cannot be kept; as for `say`.
        """
        async with self._lock:
            save = RunSave(
                run_id=self.id,
                name=name,
                turn=self.count - 1,
                created=self._clock.now(),
            )
            self._store.save(save)
            return save

    async def load(
        self, name: str, *, asked: IdempotencyKey | None = None
    ) -> TurnResult:
        """Go back to a named point; that is kept as a turn, and undo comes back from it.

        Raises:
            RunError: `SAVE_NOT_FOUND`.
            StoreError: As for `say`; `TRACE_CORRUPT` for a save of no turn of this run.
        """
        async with self._lock:
            saved = self._find_save(name)
            if not BEGINNING <= saved.turn < self.count:
                self._reject_newer_save(saved)
            return self._go_back(RunReturn(to=saved.turn, why="load"), asked=asked)

    def list_saves(self) -> Iterator[RunSave]:
        """The saves of this run, in order of name."""
        return self._store.list_saves(self.id)

    async def edit_rulebook(
        self, layer: Mapping[str, Any], *, asked: IdempotencyKey | None = None
    ) -> Turn:
        """Lay a layer over the rulebook; the next turn is judged by it.

        The edit is kept as a turn, survives a restart, and is not undone by `undo`.

        Raises:
            RulebookError: The layer cannot be read; nothing is kept.
            StoreError: As for `say`.
        """
        async with self._lock:
            (document,) = to_json_claims([dict(layer)])
            book = build_rulebook((*self._timeline.layers, document))
            turn = self._make_aside_turn(
                RulebookEdit(book=document), self.world, book, asked
            )
            self._append_turn(turn, self.world)
            return turn

    async def change_seating(
        self, seating: Seating, *, asked: IdempotencyKey | None = None
    ) -> Turn:
        """Say who plays whom from now on; kept as a turn, and not undone by `undo`.

        Raises:
            RunError: `ACTOR_UNKNOWN` for a seat of nobody there is.
            StoreError: As for `say`.
        """
        async with self._lock:
            for who in sorted(seating.seats):
                find_player_character(self.world, who)
            turn = self._make_aside_turn(seating, self.world, self.book, asked)
            self._append_turn(turn, self.world)
            return turn

    def catch_up(self, limit: int | None = None) -> int:
        """Follow the turns that other writers appended; return how many were followed.

        With `limit`, follow at most that many: a server calls this in short steps.

        Raises:
            RunError: `RUN_DIVERGED`.
            StoreError: The store cannot be read.
        """
        before = self.count
        for turn in islice(self._store.read_turns(self.id, before), limit):
            self._timeline.follow_recorded(turn)
        return self.count - before

    def read_turns(self, start: int = 0) -> Iterator[Turn]:
        """The turns as they are kept, from `start` on, as a stream."""
        return self._store.read_turns(self.id, start)

    def read_followed_turns(self, start: int = 0) -> Iterator[Turn]:
        """The turns that led to where this run stands, from `start` on, as a stream.

        The store may be ahead of it; and is not asked for turns that are at hand.

        Raises:
            StoreError: `TRACE_CORRUPT`, or the store cannot be read.
        """
        first = max(start, 0)
        recent = self._timeline.find_recent_turns(first)
        if recent is not None:
            return iter(recent)
        return islice(self._store.read_turns(self.id, first), self.count - first)

    def find_request(self, key: str) -> tuple[int, IdempotencyKey] | None:
        """The request of this key with the number of its turn; None if none had it."""
        return self._timeline.asked.get(key)

    def find_world_after(self, number: int) -> World:
        """What was true after one of the run's turns; -1 for the beginning.

        Raises:
            IndexError: There is no such turn.
        """
        return self._timeline.find_point(number).world

    def is_undoable_after(self, number: int) -> bool:
        """The same, as it was after one of the run's turns; -1 for the beginning.

        Raises:
            IndexError: There is no such turn.
        """
        return self._timeline.find_point(number).back is not None

    def find_undone_words(self, turn: Turn) -> str:
        """The words that a single step back took back; empty for any other turn."""
        here = self._timeline.find_point(turn.number - 1)
        returned = turn.aside if isinstance(turn.aside, RunReturn) else None
        if returned is None or returned.why != "undo" or here.back is None:
            return ""
        return here.undoes if returned.to == here.back.number else ""

    def list_admissible(self, actor: str | None = None) -> tuple[Action, ...]:
        """Everything the actor may do now, sorted."""
        return find_admissible_actions(
            self.world, self._resolve_actor(actor), self.book
        )

    def find_hint(self, actor: str | None = None) -> Hint:
        """What the actor might try next."""
        return find_hint(self.world, self._resolve_actor(actor), self.book)

    def present_opening(self) -> StepResult:
        """The first thing the host shows: the scene, and at first the author's words."""
        words = "" if self._timeline.begun else load_opening_words(self.record)
        return presentation.present_opening(words, self.world, self.actor)

    def present_beginning(self) -> StepResult:
        """The first thing the host was shown, however far the run has come."""
        words = load_opening_words(self.record)
        return presentation.present_opening(
            words, self.find_world_after(-1), self.actor
        )

    def present_turn(self, number: int, viewer: str | None = None) -> TurnResult:
        """A turn of this run as it was told when it was played; no model is asked.

        Raises:
            IndexError: There is no such turn.
            StoreError: `TRACE_CORRUPT`, or the store cannot be read.
        """
        if not 0 <= number < self.count:
            raise IndexError(number)
        return self.present_again(next(self.read_followed_turns(number)), viewer)

    def present_again(self, turn: Turn, viewer: str | None = None) -> TurnResult:
        """The same for a turn that is at hand."""
        before = self.find_world_after(turn.number - 1)
        after = self.find_world_after(turn.number)
        return TurnResult(
            turn, presentation.present_turn(turn, before, after, to_viewer(viewer))
        )

    def _resolve_actor(self, actor: str | None) -> Id:
        return self.actor if actor is None else Id(actor)

    def _make_words(
        self, text: str, speaker: Id, asked: IdempotencyKey | None = None
    ) -> SpokenWords:
        return msgspec.structs.replace(
            self._make_undated_words(text, speaker),
            id=self._ids.create_id("turn"),
            timestamp=self._clock.now(),
            asked=asked,
        )

    def _make_undated_words(self, text: str, speaker: Id) -> SpokenWords:
        """The words as they would open a turn now; it has no id yet, and no time."""
        return SpokenWords(
            actor_id=speaker,
            text=text,
            number=self.count,
            mentioned=self._timeline.point.mentioned,
            came_from=self._timeline.point.came_from.get(speaker),
        )

    async def _interpret(
        self,
        words: SpokenWords,
        world: World,
        calls: CallBudget,
        *,
        aloud: bool = False,
    ) -> Interpretation:
        last, listener = self._timeline.last, self._listener
        return await interpret_words(words, world, last, listener, calls, aloud=aloud)

    async def _play_words(
        self,
        words: SpokenWords,
        heard: Interpretation,
        viewer: str | None = None,
        calls: CallBudget | None = None,
    ) -> TurnResult:
        watcher = to_viewer(viewer)
        here = self._timeline.point
        weighed = await run_in_thread(
            lambda: self._judge_words(words, heard, here), here.world, words.text
        )
        before, after = weighed.here.world, weighed.after
        turn = await self._narrate_and_append(weighed, watcher, calls)
        shown = await run_in_thread(
            lambda: presentation.present_turn(turn, before, after, watcher),
            before,
            words.text,
        )
        return TurnResult(turn, shown)

    def _judge_words(
        self, words: SpokenWords, heard: Interpretation, here: TimelinePoint
    ) -> PendingTurn:
        played = play_turn(words, heard.claims, here.world, self.book)
        turn = msgspec.structs.replace(played.turn, reply=heard.reply)
        return PendingTurn(turn, here, played.world)

    async def _narrate_and_append(
        self,
        weighed: PendingTurn,
        viewer: Id | None = None,
        calls: CallBudget | None = None,
    ) -> Turn:
        """The turn, worded and kept."""
        left = calls or CallBudget(self._calls_per_turn)
        turn, here, after = weighed
        turn = await self._add_narration(turn, here.world, after, viewer, left)
        self._append_turn(turn, after)
        return turn

    async def _add_narration(
        self,
        turn: Turn,
        before: World,
        after: World,
        viewer: Id | None,
        calls: CallBudget,
    ) -> Turn:
        """The turn with its narrator's words; a question is always asked plainly."""
        if self._narrator is None or turn.clarification is not None:
            return turn
        watcher = viewer or turn.actor_id
        seen = redact_turn(turn, watcher)
        narration = await self._narrator.narrate(seen, before, after, watcher, calls)
        return msgspec.structs.replace(turn, narration=narration)

    def _go_back(
        self,
        aside: RunReturn,
        undone: str = "",
        *,
        viewer: str | None = None,
        since: bool = False,
        asked: IdempotencyKey | None = None,
    ) -> TurnResult:
        there = self._timeline.find_point(aside.to).world
        turn = self._make_aside_turn(aside, there, self.book, asked)
        self._append_turn(turn, there)
        watcher = self._resolve_actor(viewer)
        return TurnResult(
            turn,
            presentation.present_return(aside, there, watcher, undone, since=since),
        )

    def _find_undone(self, number: int) -> tuple[str, bool]:
        """The words of the turn after this one, and whether others acted since."""
        turns = self.read_followed_turns(number + 1)
        first = next(turns, None)
        if first is None or first.aside is not None:
            return "", False
        others = (t.aside is None and t.actor_id != first.actor_id for t in turns)
        return render_public_words(first), any(others)

    def _make_aside_turn(
        self,
        aside: TurnAside,
        after: World,
        book: Rulebook,
        asked: IdempotencyKey | None = None,
    ) -> Turn:
        return Turn(
            id=self._ids.create_id("turn"),
            number=self.count,
            actor_id=self.actor,
            raw_text="",
            parsed_actions=(),
            normalized_actions=(),
            validation_results=(),
            applied_actions=(),
            timestamp=self._clock.now(),
            world_before=compute_fingerprint(self.world),
            world_after=compute_fingerprint(after),
            book=book.fingerprint,
            aside=aside,
            asked=asked,
        )

    def _append_turn(self, turn: Turn, world: World) -> None:
        # Straight through, with no pause in between: a cancelled task cannot leave a
        # kept turn behind that the run does not know of.
        try:
            self._store.append(self.id, turn)
        except StoreError as problem:
            # Only the turns that another writer appended are read; all of them where
            # the store holds fewer than we know.
            if problem.code == "REVISION_CONFLICT" and not self.catch_up():
                self._timeline = self._build_timeline()
            raise
        self._timeline.follow(turn, world)

    def _build_timeline(self) -> Timeline:
        timeline = Timeline(self.record, self._start)
        for turn in self._store.read_turns(self.id):
            timeline.follow_recorded(turn)
        return timeline

    def _find_save(self, name: str) -> RunSave:
        saves = {save.name: save for save in self._store.list_saves(self.id)}
        if name not in saves:
            raise make_missing_save_error(name, saves)
        return saves[name]

    def _reject_newer_save(self, save: RunSave) -> NoReturn:
        """Somebody else has saved beyond where we stand: go there, and say so."""
        number, self._timeline = self.count, self._build_timeline()
        if BEGINNING <= save.turn < self.count:
            raise make_turn_conflict_error(self.id, number, self.count)
        raise self._make_missing_turn_error(
            f"the save {save.name!r}", save.turn, save=save.name
        )

    def _make_missing_turn_error(
        self, what: str, turn: int, **details: str
    ) -> StoreError:
        return make_missing_turn_error(self.id, self.count, what, turn, **details)


def to_viewer(name: str | None) -> Id | None:
    """Who watches, if anybody is named."""
    return None if name is None else Id(name)
