"""Play one run of a scenario: interpret words, judge, narrate, store, then return.

A turn counts once it is durable; until then the run's world does not change.
Coroutines that use one run wait for each other. When two processes write to one run,
the slower one gets `REVISION_CONFLICT`.
"""

import asyncio
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any, Final, Literal, NamedTuple, NoReturn, TypedDict, Unpack

import msgspec

from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import RunError, SaniwaError, StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.core.ids import Ids, TimeOrderedIds
from saniwa.core.tracing import TracedOperation
from saniwa.models.metering import CALLS_PER_TURN, CallBudget
from saniwa.rulebook.book import Rulebook, add_manners
from saniwa.rulebook.judge import find_admissible_actions
from saniwa.rulebook.loader import build_edited_book
from saniwa.runs import errors, presentation
from saniwa.runs.ports import Listener, Narrator, RunStore
from saniwa.runs.seat_order import find_player_character
from saniwa.runs.timeline import (
    BEGINNING,
    PendingTurn,
    SeatTimeline,
    Timeline,
    TimelineEdit,
    TimelineStart,
    load_opening_words,
)
from saniwa.runs.word_interpreter import (
    Interpretation,
    PhraseListener,
    check_encodable,
    interpret_words,
    run_in_thread,
    to_json_claims,
)
from saniwa.store.run_records import RunRecord, RunSave, make_turn_conflict_error
from saniwa.story.step_result import StepResult
from saniwa.turn.answers import answer_questions
from saniwa.turn.claim_form import find_missing_field
from saniwa.turn.clarification import complete_with_answer
from saniwa.turn.dialogue import list_replies
from saniwa.turn.hints import Hint, find_hint
from saniwa.turn.play import play_turn
from saniwa.turn.preview import TurnPreview, preview_turn
from saniwa.turn.record import (
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
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import Id, World
from saniwa.world.queries import is_goal_reached

_MOST_TURNS_BACK: Final = 1_000
"""The most turns that are searched for a line to repeat."""


class TurnResult(NamedTuple):
    """The turn that a request to a run made, and what to show of it."""

    turn: Turn
    """The turn as it was stored."""
    step: StepResult
    """What the host shows."""


class EmptyTurnResult(NamedTuple):
    """The answer to a request that had nothing to do; no turn was stored."""

    turn: None
    """No turn."""
    step: StepResult
    """What the host shows."""


class RunPorts(TypedDict, total=False):
    """What a run is given by its caller; None, or left out, for the usual."""

    listener: Listener | None
    """Turns words into claims; usually the phrase listener, which needs no model."""
    narrator: Narrator | None
    """Narrates turns; usually none, and the plain narrator is used."""
    ids: Ids | None
    """The ids of new turns."""
    clock: Clock | None
    """The times of new turns."""


class Run:
    """One playing of one scenario.

    The run's state is built from its stored turns, so a resumed run is in the same
    state as one that was never closed.
    """

    def __init__(
        self,
        record: RunRecord,
        store: RunStore,
        *,
        start: TimelineStart | None = None,
        calls_per_turn: int = CALLS_PER_TURN,
        played: Collection[Id] = (),
        **ports: Unpack[RunPorts],
    ) -> None:
        """Follow the stored turns to the run's current state; `runs.start` calls this.

        `start` is what the record opens with, already loaded; None loads it. `played`
        are characters that the caller speaks for, besides the run's own and those with
        a seat: they give no written answers.

        Raises:
            RunError: `RUN_DIVERGED` if a stored turn no longer leads to its recorded
                world.
            StoreError: `TRACE_CORRUPT`, or the store cannot be read.
        """
        self.record = record
        self._store = store
        self._start = start
        self._ids = ports.get("ids") or TimeOrderedIds()
        self._clock = ports.get("clock") or SystemClock()
        self._listener = ports.get("listener") or PhraseListener()
        self._narrator = ports.get("narrator")
        self._calls_per_turn = calls_per_turn
        self._played = played
        self._lock = asyncio.Lock()
        self._timeline = self._build_timeline()

    @property
    def id(self) -> str:
        """The run's id."""
        return self.record.run_id

    @property
    def actor(self) -> Id:
        """The character the player plays."""
        return Id(self.record.actor_id)

    @property
    def world(self) -> World:
        """The world after the last turn."""
        return self._timeline.point.world

    @property
    def book(self) -> Rulebook:
        """The rulebook the next turn is judged by."""
        return self._timeline.book

    @property
    def count(self) -> int:
        """The number of turns, which is also the number of the next turn."""
        return self._timeline.count

    @property
    def seating(self) -> Seating | None:
        """Who plays which character; None if no seating was ever set."""
        return self._timeline.places.seating

    @property
    def seat_timeline(self) -> SeatTimeline:
        """The seat position and the seating after every turn of the run."""
        return self._timeline.places

    @property
    def edits(self) -> tuple[TimelineEdit, ...]:
        """Every edit of the run's rulebook, oldest first."""
        return self._timeline.edits

    @property
    def is_undoable(self) -> bool:
        """Whether there is a step that `undo` could take back."""
        return self._timeline.point.back is not None

    @property
    def is_finished(self) -> bool:
        """Whether the goal of the scenario is reached."""
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
        """Play the words as a turn; when this returns, the turn is stored.

        The result is narrated for `viewer`, by default the actor. `calls` is the number
        of model calls these words have cost already; listener and narrator share the
        rest of the budget. With `aloud`, words that match no phrase are spoken by the
        character instead of being reported as not understood. `asked` identifies the
        host's request and is stored with the turn.

        Raises:
            AgentError: The listener's model could not be called; nothing has happened.
            RunError: `TEXT_UNREADABLE` for text that cannot be encoded.
            StoreError: The turn could not be stored; then nothing has happened. After
                `REVISION_CONFLICT` the run is where the other process left it.
        """
        async with self._lock:
            turn = await self._play_text(
                text, actor, viewer=viewer, calls=calls, aloud=aloud, asked=asked
            )
            return await self._present_played(turn, viewer)

    async def speak(
        self,
        text: str,
        actor: str,
        *,
        viewer: str | None = None,
        calls: int = 0,
        asked: IdempotencyKey | None = None,
    ) -> Turn:
        """Play a character's words as `say` does with `aloud`, and present nothing.

        Raises:
            SaniwaError: As for `say`.
        """
        async with self._lock:
            return await self._play_text(
                text, actor, viewer=viewer, calls=calls, aloud=True, asked=asked
            )

    async def act(
        self, action: Mapping[str, Any], *, asked: IdempotencyKey | None = None
    ) -> TurnResult:
        """Play one action, given in its wire form, as a turn; `asked` as for `say`.

        Raises:
            RunError: `TEXT_UNREADABLE` for a value that JSON cannot represent;
                `ACTION_INCOMPLETE` if a field is missing: nothing is guessed, and
                nothing is stored.
            StoreError: As for `say`.
        """
        missing = find_missing_field(action)
        if missing:
            raise errors.make_incomplete_action_error(RunError, action, missing)
        async with self._lock:
            named = action.get("actorId")
            speaker = self._resolve_actor(named if isinstance(named, str) else None)
            heard = to_json_claims([dict(action)]), None
            turn = await self._play_words(self._make_words("", speaker, asked), heard)
            return await self._present_played(turn)

    async def choose(self, index: int, *, asked: IdempotencyKey | None = None) -> TurnResult:
        """Answer the question of the last turn with one of its options, counted from 0.

        `asked` as for `say`.

        Raises:
            RunError: `CHOICE_NOT_AWAITED`, `CHOICE_OUT_OF_RANGE`; nothing has changed.
            StoreError: As for `say`.
        """
        async with self._lock:
            last = self._timeline.last
            options = last.clarification.options if last and last.clarification else ()
            if last is None or not options:
                raise errors.make_choice_not_awaited_error(self.id)
            if not 0 <= index < len(options):
                raise errors.make_choice_range_error(index, options)
            words = self._make_words(options[index].label, last.actor_id, asked)
            claims = complete_with_answer(last, str(index + 1), self.world)
            assert claims is not None, "a question's own option answers it"
            turn = await self._play_words(words, (to_json_claims(claims), None))
            return await self._present_played(turn)

    async def preview(
        self, text: str, actor: str | None = None, *, book: Rulebook | None = None
    ) -> TurnPreview:
        """Show how the words would be understood and judged now; nothing happens.

        `book` replaces the run's own rulebook for this preview.

        Raises:
            AgentError: The listener's model could not be called.
            RunError: `TEXT_UNREADABLE` for text that cannot be encoded.
        """
        book = book or self.book
        world = add_manners(self.world, book)
        words = self._make_undated_words(check_encodable(text), self._resolve_actor(actor))
        claims, _ = await self._interpret(words, world, CallBudget(self._calls_per_turn))
        return await run_in_thread(lambda: preview_turn(words, claims, world, book), world, text)

    async def prepare_turn(
        self, text: str, actor: str | None = None, *, aloud: bool = False
    ) -> PendingTurn:
        """Judge the words now; `play_pending_turn` plays the result.

        Nothing happens until then. `aloud` as for `say`.

        Raises:
            AgentError: The listener's model could not be called.
            RunError: `TEXT_UNREADABLE` for text that cannot be encoded.
        """
        here = self._timeline.point
        words = self._make_undated_words(check_encodable(text), self._resolve_actor(actor))
        calls = CallBudget(self._calls_per_turn)
        heard = await self._interpret(words, here.world, calls, aloud=aloud)
        turn, after = await run_in_thread(
            lambda: self._judge_words(words, heard, here.world), here.world, text
        )
        return PendingTurn(turn, here, after)

    async def play_pending_turn(self, weighed: PendingTurn) -> Turn:
        """Play a prepared turn, as `say` would play its words now.

        It is neither interpreted nor judged again. When this returns, the turn is
        stored.

        Raises:
            StoreError: As for `say`; `REVISION_CONFLICT` also if any turn was stored
                since it was prepared.
        """
        async with self._lock:
            number = weighed.turn.number
            if number != self.count or weighed.here is not self._timeline.point:
                raise make_turn_conflict_error(self.id, number, self.count)
            dated = msgspec.structs.replace(
                weighed.turn, id=self._ids.create_id("turn"), timestamp=self._clock.now()
            )
            return await self._narrate_and_append(dated, weighed.here.world, weighed.after)

    async def undo(
        self, steps: int = 1, *, asked: IdempotencyKey | None = None
    ) -> TurnResult | EmptyTurnResult:
        """Take back the last steps; the return is stored as one turn.

        With more steps than there are, go back as far as possible. If there is nothing
        to take back, the result says so and no turn is stored. `asked` identifies the
        request, here and below, and is stored with the turn.

        Raises:
            StoreError: As for `say`.
        """
        async with self._lock:
            here = self._timeline.point
            if here.back is None:
                return EmptyTurnResult(None, presentation.present_nothing_to_undo(self.world))
            back, undone = here.back, here.undoes
            for _ in range(steps - 1):
                if back.back is not None:
                    back, undone = back.back, ""
            return await self._go_back(RunReturn(to=back.number, why="undo"), undone, asked=asked)

    async def go_back_to(
        self,
        number: int,
        why: Literal["undo", "load"] = "undo",
        *,
        viewer: str | None = None,
        asked: IdempotencyKey | None = None,
    ) -> TurnResult:
        """Go back to the run's state after one of its turns; -1 for the beginning.

        The return is stored as a turn. An undo after an `undo` goes further back; an
        undo after a `load` reverses the load. The scene is described for `viewer`, by
        default the run's actor.

        Raises:
            StoreError: As for `say`; `TRACE_CORRUPT` for a turn the run does not have.
        """
        async with self._lock:
            if not BEGINNING <= number < self.count:
                raise errors.make_missing_turn_error(self.id, self.count, "the story", number)
            undone, since = self._find_undone(number) if why == "undo" else ("", False)
            return await self._go_back(
                RunReturn(to=number, why=why), undone, viewer=viewer, since=since, asked=asked
            )

    async def save(self, name: str) -> RunSave:
        """Name the current point of the run; an existing save of that name is moved.

        Raises:
            StoreError: `SAVE_UNNAMED` for a name that cannot be stored; as for `say`.
        """
        async with self._lock:
            save = RunSave(
                run_id=self.id, name=name, turn=self.count - 1, created=self._clock.now()
            )
            await self._store.commit(lambda: self._store.save(save))
            return save

    async def load(self, name: str, *, asked: IdempotencyKey | None = None) -> TurnResult:
        """Go back to a saved point; stored as a turn, which `undo` reverses.

        Raises:
            RunError: `SAVE_NOT_FOUND`.
            StoreError: As for `say`; `TRACE_CORRUPT` for a save of a turn the run does
                not have.
        """
        async with self._lock:
            saves = {save.name: save for save in self.list_saves()}
            if name not in saves:
                raise errors.make_missing_save_error(name, saves)
            saved = saves[name]
            if not BEGINNING <= saved.turn < self.count:
                self._reject_newer_save(saved)
            return await self._go_back(RunReturn(to=saved.turn, why="load"), asked=asked)

    def list_saves(self) -> Iterator[RunSave]:
        """The saves of this run, sorted by name."""
        return self._store.list_saves(self.id)

    async def edit_rulebook(
        self, layer: Mapping[str, Any], *, asked: IdempotencyKey | None = None
    ) -> Turn:
        """Add a layer on top of the rulebook; the next turn is judged by it.

        The edit is stored as a turn, survives a restart, and is not undone by `undo`.

        Raises:
            RulebookError: The layer cannot be read; nothing is stored.
            StoreError: As for `say`.
        """
        async with self._lock:
            (document,) = to_json_claims([dict(layer)])
            book = build_edited_book(self._timeline.layers, document)
            turn = self._make_aside_turn(RulebookEdit(book=document), self.world, book, asked)
            await self._append_turn(turn, self.world)
            return turn

    async def change_seating(
        self, seating: Seating, *, asked: IdempotencyKey | None = None
    ) -> Turn:
        """Set who plays whom from now on; stored as a turn, and not undone by `undo`.

        Raises:
            RunError: `ACTOR_UNKNOWN` for a seat of a character that does not exist.
            StoreError: As for `say`.
        """
        async with self._lock:
            for who in sorted(seating.seats):
                find_player_character(self.world, who)
            turn = self._make_aside_turn(seating, self.world, self.book, asked)
            await self._append_turn(turn, self.world)
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
        """Stream the stored turns from number `start` on, including unread ones."""
        return self._store.read_turns(self.id, start)

    def read_followed_turns(self, start: int = 0) -> Iterator[Turn]:
        """Stream the turns that led to the run's current state, from number `start` on.

        Turns that other writers appended since are left out. Recent turns come from
        memory, without reading the store.

        Raises:
            StoreError: `TRACE_CORRUPT`, or the store cannot be read.
        """
        first = max(start, 0)
        recent = self._timeline.find_recent_turns(first)
        if recent is not None:
            return iter(recent)
        return islice(self._store.read_turns(self.id, first), self.count - first)

    def find_request(self, key: str) -> tuple[int, IdempotencyKey] | None:
        """The request with this key and its turn's number; None if there is none."""
        return self._timeline.asked.get(key)

    def find_repeated(self, asked: IdempotencyKey | None) -> int | None:
        """The number of the turn that a request has become; None if it is new.

        Raises:
            StoreError: `IDEMPOTENCY_CONFLICT` if the key was used for another request.
        """
        found = self.find_request(asked.key) if asked else None
        if asked is None or found is None:
            return None
        asked.check_same_request(found[1].digest)
        return found[0]

    def find_world_after(self, number: int) -> World:
        """The world after one of the run's turns; -1 for the beginning.

        Raises:
            IndexError: There is no such turn.
        """
        return self._timeline.find_point(number).world

    def is_undoable_after(self, number: int) -> bool:
        """Whether `undo` was possible after a turn of the run; -1 for the beginning.

        Raises:
            IndexError: There is no such turn.
        """
        return self._timeline.find_point(number).back is not None

    def find_undone_words(self, turn: Turn) -> str:
        """The words that a one-step undo took back; empty for any other turn."""
        here = self._timeline.find_point(turn.number - 1)
        returned = turn.aside if isinstance(turn.aside, RunReturn) else None
        if returned is None or returned.why != "undo" or here.back is None:
            return ""
        return here.undoes if returned.to == here.back.number else ""

    def has_skipped_turns(self, turn: Turn) -> bool:
        """Whether a one-step undo also passed over turns that had changed nothing."""
        here = self._timeline.find_point(turn.number - 1)
        returned = turn.aside if isinstance(turn.aside, RunReturn) else None
        if returned is None or returned.why != "undo" or here.back is None:
            return False
        return here.has_idle_turns and returned.to == here.back.number

    def list_admissible(self, actor: str | None = None) -> tuple[Action, ...]:
        """Every action the actor may take now, sorted."""
        return find_admissible_actions(self.world, self._resolve_actor(actor), self.book)

    def find_hint(self, actor: str | None = None) -> Hint:
        """Suggest what the actor might try next."""
        return find_hint(self.world, self._resolve_actor(actor), self.book)

    def present_opening(self) -> StepResult:
        """What the host shows first: the scene, preceded by the author's opening text.

        Once the run has begun, the opening text is left out.
        """
        words = "" if self._timeline.begun else load_opening_words(self.record)
        return presentation.present_opening(words, self.world, self.actor)

    def present_beginning(self) -> StepResult:
        """What the host showed when the run began, whatever has happened since."""
        words = load_opening_words(self.record)
        return presentation.present_opening(words, self.find_world_after(-1), self.actor)

    def present_turn(self, number: int, viewer: str | None = None) -> TurnResult:
        """Show a turn of this run again as it was narrated; calls no model.

        Raises:
            IndexError: There is no such turn.
            StoreError: `TRACE_CORRUPT`, or the store cannot be read.
        """
        if not 0 <= number < self.count:
            raise IndexError(number)
        return self.present_again(next(self.read_followed_turns(number)), viewer)

    def present_again(self, turn: Turn, viewer: str | None = None) -> TurnResult:
        """Show a turn again that the caller has already read; as `present_turn`."""
        before = self.find_world_after(turn.number - 1)
        after = self.find_world_after(turn.number)
        return TurnResult(turn, presentation.present_turn(turn, before, after, to_viewer(viewer)))

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
        """The words as they would open a turn now, without an id or a time."""
        return self._timeline.point.make_words(
            speaker, text, number=self.count, played=self._list_played()
        )

    def _list_played(self) -> tuple[Id, ...]:
        """The characters that a person or an agent plays, and who give no written answer."""
        seats = self.seating.seats if self.seating is not None else ()
        return tuple(sorted({self.actor, *map(Id, seats), *self._played}))

    async def _interpret(
        self, words: SpokenWords, world: World, calls: CallBudget, *, aloud: bool = False
    ) -> Interpretation:
        last, listener = self._timeline.last, self._listener
        return await interpret_words(
            words, world, last, listener, calls, aloud=aloud, find_attempt=self._find_last_attempt
        )

    def _find_last_attempt(self, actor: Id) -> Turn | None:
        """The last turn on the way here in which the actor's own words tried something."""
        number = self.count - 1
        for _ in range(_MOST_TURNS_BACK):
            if number < 0:
                break
            turn = next(self.read_followed_turns(number))
            if turn.validation_results and turn.actor_id == actor and turn.reply is None:
                return turn
            # What was taken back does not count.
            number = turn.aside.to if isinstance(turn.aside, RunReturn) else number - 1
        return None

    async def _play_text(
        self,
        text: str,
        actor: str | None,
        *,
        viewer: str | None,
        calls: int,
        aloud: bool,
        asked: IdempotencyKey | None,
    ) -> Turn:
        words = self._make_words(check_encodable(text), self._resolve_actor(actor), asked)
        left = CallBudget(self._calls_per_turn - calls)
        heard = await self._interpret(words, self.world, left, aloud=aloud)
        return await self._play_words(words, heard, viewer, left)

    async def _play_words(
        self,
        words: SpokenWords,
        heard: Interpretation,
        viewer: str | None = None,
        calls: CallBudget | None = None,
    ) -> Turn:
        before = self.world
        with TracedOperation("turn", {}) as span:
            turn, after = await run_in_thread(
                lambda: self._judge_words(words, heard, before), before, words.text
            )
            turn = await self._narrate_and_append(turn, before, after, to_viewer(viewer), calls)
            span.note(_describe_turn, turn)
        return turn

    async def _present_played(self, turn: Turn, viewer: str | None = None) -> TurnResult:
        """Show a turn that was just stored."""
        before = self.find_world_after(turn.number - 1)
        after, watcher = self.find_world_after(turn.number), to_viewer(viewer)
        shown = await run_in_thread(
            lambda: presentation.present_turn(turn, before, after, watcher), before, turn.raw_text
        )
        return TurnResult(turn, shown)

    def _judge_words(
        self, words: SpokenWords, heard: Interpretation, world: World
    ) -> tuple[Turn, World]:
        """The turn that the words make in a world, and the world after it."""
        claims, reply = heard
        turn, after = play_turn(words, claims, world, self.book)
        if turn.answers:
            turn = answer_questions(turn, words, world, self.book)
        return (msgspec.structs.replace(turn, reply=reply) if reply else turn), after

    async def _narrate_and_append(
        self,
        turn: Turn,
        before: World,
        after: World,
        viewer: Id | None = None,
        calls: CallBudget | None = None,
    ) -> Turn:
        """Add the narration to the turn, store it, and return it.

        A clarification is never reworded, nor is an answer that the author wrote.
        """
        if self._narrator is not None and not (
            turn.clarification or list_replies(*turn.validation_results)
        ):
            watcher, left = viewer or turn.actor_id, calls or CallBudget(self._calls_per_turn)
            seen = redact_turn(turn, watcher)
            narration = await self._narrator.narrate(seen, before, after, watcher, left)
            turn = msgspec.structs.replace(turn, narration=narration)
        await self._append_turn(turn, after)
        return turn

    async def _go_back(
        self,
        aside: RunReturn,
        undone: str = "",
        *,
        viewer: str | None = None,
        since: bool = False,
        asked: IdempotencyKey | None = None,
    ) -> TurnResult:
        world = self._timeline.find_point(aside.to).world
        turn = self._make_aside_turn(aside, world, self.book, asked)
        await self._append_turn(turn, world)
        watcher, idle = self._resolve_actor(viewer), self.has_skipped_turns(turn)
        return TurnResult(
            turn, presentation.present_return(aside, world, watcher, undone, since=since, idle=idle)
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
        self, aside: TurnAside, after: World, book: Rulebook, asked: IdempotencyKey | None = None
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

    async def _append_turn(self, turn: Turn, world: World) -> None:
        try:
            await self._store.append(self.id, turn)
        except StoreError as problem:
            # Read only the turns that another writer appended; read all of them if the
            # store has fewer than this run knows.
            conflict = problem.code == "REVISION_CONFLICT" and self.count == turn.number
            if conflict and not self.catch_up():
                self._timeline = self._build_timeline()
            raise
        except asyncio.CancelledError:
            # The turn may have been stored.
            with suppress(SaniwaError):
                self.catch_up()
            raise
        # A reader may have caught up with it before this task continued.
        if self.count == turn.number:
            self._timeline.follow(turn, world)

    def _build_timeline(self) -> Timeline:
        timeline = Timeline(self.record, self._start)
        for turn in self._store.read_turns(self.id):
            timeline.follow_recorded(turn)
        return timeline

    def _reject_newer_save(self, save: RunSave) -> NoReturn:
        """Raise for a save beyond this run's turns, after reading the run again.

        Another process may have played on and saved there: then it is a conflict, and
        this run has caught up.
        """
        number, self._timeline = self.count, self._build_timeline()
        if BEGINNING <= save.turn < self.count:
            raise make_turn_conflict_error(self.id, number, self.count)
        what = f"the save {save.name!r}"
        raise errors.make_missing_turn_error(self.id, self.count, what, save.turn, save=save.name)


def to_viewer(name: str | None) -> Id | None:
    """The viewer's id, if a viewer is named."""
    return None if name is None else Id(name)


def _describe_turn(turn: Turn) -> dict[str, Any]:
    """Return the attributes of a span about a turn."""
    return {
        "saniwa.turn.number": turn.number,
        "saniwa.turn.actions": len(turn.normalized_actions),
        "saniwa.turn.applied": len(turn.applied_actions),
        "saniwa.turn.rejections": len(turn.rejections),
    }
