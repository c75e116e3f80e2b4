"""One run, conducted: it hears, plays, words it, keeps, and only then tells.

A turn counts when the store has it; until then the run's world stands where it stood.
Two coroutines on one run wait for each other; of two processes, the slower is told so.
"""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, NoReturn

import msgspec

from saniwa.agent.translate.calls import CALLS_PER_TURN, Calls
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import StoreError
from saniwa.core.ids import Ids, TimeOrderedIds
from saniwa.rulebook.admissible import admissible
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.load import book_from_layers
from saniwa.run import present
from saniwa.run.course import BEGINNING, Course
from saniwa.run.hearing import PhraseListener, Understood, hear, legible, plain
from saniwa.run.hint import Hint, hint
from saniwa.run.opening import player_of
from saniwa.run.ports import Listener, Narrator, Store
from saniwa.run.trouble import (
    no_such_save,
    no_such_turn,
    not_awaited,
    out_of_range,
)
from saniwa.scenario.load import load
from saniwa.script.directive import StepResult
from saniwa.store.layout import RunRecord, Save
from saniwa.store.row import conflict
from saniwa.turn.answer import answer
from saniwa.turn.play import play_turn
from saniwa.turn.preview import Preview, preview
from saniwa.turn.trace import Aside, Edit, Return, Seating, Turn, Words
from saniwa.turn.witnessed import outward, witnessed
from saniwa.world.action import Action
from saniwa.world.canonical import fingerprint
from saniwa.world.model import Id, World
from saniwa.world.view import goal_reached


class Told(NamedTuple):
    """What came of something said or done to a run."""

    turn: Turn
    """The turn as it was kept."""
    step: StepResult
    """What the host shows."""


class Untold(NamedTuple):
    """Nothing was to be done, so nothing was kept."""

    turn: None
    """No turn."""
    step: StepResult
    """What the host shows."""


def _viewer(name: str | None) -> Id | None:
    return None if name is None else Id(name)


class Run:
    """One playing of one scenario."""

    def __init__(
        self,
        record: RunRecord,
        store: Store,
        *,
        listener: Listener | None = None,
        narrator: Narrator | None = None,
        ids: Ids | None = None,
        clock: Clock | None = None,
        calls_per_turn: int = CALLS_PER_TURN,
    ) -> None:
        """Stand where the kept turns leave the run; `run.begin` calls this.

        Raises:
            RunError: `RUN_DIVERGED` if a kept turn no longer leads where it led.
            StoreError: `TRACE_CORRUPT`, or the store cannot be read.
        """
        self.record = record
        self._store = store
        self._listener = listener or PhraseListener()
        self._narrator = narrator
        self._calls_per_turn = calls_per_turn
        self._ids = ids or TimeOrderedIds()
        self._clock = clock or SystemClock()
        self._lock = asyncio.Lock()
        self._course = self._followed()

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
        return self._course.point.world

    @property
    def book(self) -> Rulebook:
        """The rulebook the next turn is judged by."""
        return self._course.book

    @property
    def count(self) -> int:
        """How many turns the run has; the number of the next."""
        return self._course.count

    @property
    def seating(self) -> Seating | None:
        """Who plays whom; None where nobody has said."""
        return self._course.seating

    @property
    def undoable(self) -> bool:
        """Whether anything has happened that could be taken back."""
        return self._course.point.back is not None

    @property
    def finished(self) -> bool:
        """Whether the story has ended well."""
        return goal_reached(self.world)

    def turns(self, start: int = 0) -> Iterator[Turn]:
        """The turns as they are kept, from `start` on, as a stream."""
        return self._store.turns(self.id, start)

    def saves(self) -> Iterator[Save]:
        """The saves of this run, in order of name."""
        return self._store.saves(self.id)

    def admissible(self, actor: str | None = None) -> tuple[Action, ...]:
        """Everything the actor may do now, sorted."""
        return admissible(self.world, self._speaker(actor), self.book)

    def hint(self, actor: str | None = None) -> Hint:
        """What the actor might try next."""
        return hint(self.world, self._speaker(actor), self.book)

    def opening(self) -> StepResult:
        """The first thing the host shows: the scene, and at first the author's words."""
        words = "" if self._course.begun else load(self.record.scenario).opening
        return present.opening(words, self.world, self.actor)

    async def say(
        self,
        text: str,
        actor: str | None = None,
        *,
        viewer: str | None = None,
        calls: int = 0,
        aloud: bool = False,
    ) -> Told:
        """Play the words as a turn; when this returns, the turn is kept.

        The actor is told of it, or the viewer. `calls` are the model calls these words
        have cost already; listener and narrator share what is left. With `aloud`, what
        is no phrase is said, as by a character whose every word is heard.

        Raises:
            AgentError: The listener's model could not be asked; nothing has happened.
            RunError: `TEXT_UNREADABLE` for words that are no text.
            StoreError: The turn could not be kept; then nothing has happened. After
                `REVISION_CONFLICT` the run stands where the other process left it.
        """
        async with self._lock:
            words = self._words(legible(text), self._speaker(actor))
            left = Calls(self._calls_per_turn - calls)
            heard = await self._hear(words, left, aloud=aloud)
            return await self._settle(words, heard, viewer, left)

    async def act(self, action: Mapping[str, Any]) -> Told:
        """Play one action, given in its wire form, as a turn.

        Raises:
            RunError: `TEXT_UNREADABLE` for what JSON cannot say.
            StoreError: As for `say`.
        """
        async with self._lock:
            named = action.get("actorId")
            speaker = self._speaker(named if isinstance(named, str) else None)
            heard = Understood(plain([dict(action)]))
            return await self._settle(self._words("", speaker), heard)

    async def choose(self, index: int) -> Told:
        """Answer the question the last turn asked by one of its options; from 0.

        Raises:
            RunError: `CHOICE_NOT_AWAITED`, `CHOICE_OUT_OF_RANGE`; nothing has changed.
            StoreError: As for `say`.
        """
        async with self._lock:
            asked = self._course.last
            options = (
                asked.clarification.options if asked and asked.clarification else ()
            )
            if asked is None or not options:
                raise not_awaited(self.id)
            if not 0 <= index < len(options):
                raise out_of_range(index, options)
            words = self._words(options[index].label, asked.actor_id)
            claims = answer(asked, str(index + 1), self.world)
            assert claims is not None, "a question's own option answers it"
            return await self._settle(words, Understood(plain(claims)))

    async def preview(self, text: str, actor: str | None = None) -> Preview:
        """How the words would be understood and judged now. Nothing happens or is kept.

        Raises:
            AgentError: The listener's model could not be asked.
            RunError: `TEXT_UNREADABLE` for words that are no text.
        """
        world, book, speaker = self.world, self.book, self._speaker(actor)
        words = Words(
            actor_id=speaker,
            text=legible(text),
            number=self.count,
            mentioned=self._course.point.mentioned,
            came_from=self._course.point.came_from.get(speaker),
        )
        heard = await self._hear(words, Calls(self._calls_per_turn))
        return preview(words, heard.claims, world, book)

    async def undo(self) -> Told | Untold:
        """Take back the last thing that happened; the step back is kept as a turn.

        At the beginning there is nothing to take back: the host is told so, and
        nothing is kept.

        Raises:
            StoreError: As for `say`.
        """
        async with self._lock:
            back = self._course.point.back
            if back is None:
                return Untold(None, present.nothing_to_undo(self.world))
            undone = self._course.point.undoes
            return self._go_back(Return(to=back.number, why="undo"), undone)

    async def back_to(
        self,
        number: int,
        why: Literal["undo", "load"] = "undo",
        *,
        viewer: str | None = None,
    ) -> Told:
        """Go back to how the run stood after one of its turns; -1 for the beginning.

        That is kept as a turn. Undo goes further back from an `undo`, and comes back
        from a `load`. Who plays is told where they are again, or the viewer.

        Raises:
            StoreError: As for `say`; `TRACE_CORRUPT` for no turn of this run.
        """
        async with self._lock:
            if not BEGINNING <= number < self.count:
                raise self._beyond("the story", number)
            undone, since = self._undone(number) if why == "undo" else ("", False)
            return self._go_back(
                Return(to=number, why=why), undone, viewer=viewer, since=since
            )

    def told(self, number: int, viewer: str | None = None) -> Told:
        """A turn of this run as it was told when it was played; no model is asked.

        Raises:
            IndexError: There is no such turn.
            StoreError: `TRACE_CORRUPT`, or the store cannot be read.
        """
        before, after = self.world_after(number - 1), self.world_after(number)
        turn = next(self.turns(number))
        return Told(turn, present.present(turn, before, after, _viewer(viewer)))

    def world_after(self, number: int) -> World:
        """What was true after one of the run's turns; -1 for the beginning.

        Raises:
            IndexError: There is no such turn.
        """
        return self._course.after(number).world

    async def save(self, name: str) -> Save:
        """Name the point where the run stands; the same name moves.

        Raises:
            StoreError: `SAVE_UNNAMED` for a name that cannot be kept; as for `say`.
        """
        async with self._lock:
            save = Save(
                run_id=self.id,
                name=name,
                turn=self.count - 1,
                created=self._clock.now(),
            )
            self._store.save(save)
            return save

    async def load(self, name: str) -> Told:
        """Go back to a named point; that is kept as a turn, and undo comes back from it.

        Raises:
            RunError: `SAVE_NOT_FOUND`.
            StoreError: As for `say`; `TRACE_CORRUPT` for a save of no turn of this run.
        """
        async with self._lock:
            saved = self._saved(name)
            if not BEGINNING <= saved.turn < self.count:
                self._catch_up(saved)
            return self._go_back(Return(to=saved.turn, why="load"))

    async def edit(self, layer: Mapping[str, Any]) -> Turn:
        """Lay a layer over the rulebook; the next turn is judged by it.

        The edit is kept as a turn, survives a restart, and is not undone by `undo`.

        Raises:
            RulebookError: The layer cannot be read; nothing is kept.
            StoreError: As for `say`.
        """
        async with self._lock:
            (document,) = plain([dict(layer)])
            book = book_from_layers((*self._course.layers, document))
            turn = self._aside(Edit(book=document), self.world, book)
            self._keep(turn, self.world)
            return turn

    async def seat(self, seating: Seating) -> Turn:
        """Say who plays whom from now on; kept as a turn, and not undone by `undo`.

        Raises:
            RunError: `ACTOR_UNKNOWN` for a seat of nobody there is.
            StoreError: As for `say`.
        """
        async with self._lock:
            for who in sorted(seating.seats):
                player_of(self.world, who)
            turn = self._aside(seating, self.world, self.book)
            self._keep(turn, self.world)
            return turn

    def _followed(self) -> Course:
        course = Course(self.record)
        for turn in self._store.turns(self.id):
            course.retrace(turn)
        return course

    def _speaker(self, actor: str | None) -> Id:
        return self.actor if actor is None else Id(actor)

    def _words(self, text: str, speaker: Id) -> Words:
        return Words(
            actor_id=speaker,
            text=text,
            number=self.count,
            id=self._ids.fresh("turn"),
            timestamp=self._clock.now(),
            mentioned=self._course.point.mentioned,
            came_from=self._course.point.came_from.get(speaker),
        )

    async def _hear(
        self, words: Words, calls: Calls, *, aloud: bool = False
    ) -> Understood:
        last, listener = self._course.last, self._listener
        return await hear(words, self.world, last, listener, calls, aloud=aloud)

    async def _settle(
        self,
        words: Words,
        heard: Understood,
        viewer: str | None = None,
        calls: Calls | None = None,
    ) -> Told:
        before, watcher = self.world, _viewer(viewer)
        played = play_turn(words, heard.claims, before, self.book)
        turn = msgspec.structs.replace(played.turn, reply=heard.reply)
        left = calls or Calls(self._calls_per_turn)
        turn = await self._worded(turn, before, played.world, watcher, left)
        self._keep(turn, played.world)
        return Told(turn, present.present(turn, before, played.world, watcher))

    async def _worded(
        self, turn: Turn, before: World, after: World, viewer: Id | None, calls: Calls
    ) -> Turn:
        """The turn with its narrator's words; a question is always asked plainly."""
        if self._narrator is None or turn.clarification is not None:
            return turn
        watcher = viewer or turn.actor_id
        seen = witnessed(turn, watcher)
        narration = await self._narrator.narrate(seen, before, after, watcher, calls)
        return msgspec.structs.replace(turn, narration=narration)

    def _go_back(
        self,
        aside: Return,
        undone: str = "",
        *,
        viewer: str | None = None,
        since: bool = False,
    ) -> Told:
        there = self._course.after(aside.to).world
        turn = self._aside(aside, there, self.book)
        self._keep(turn, there)
        watcher = self._speaker(viewer)
        return Told(turn, present.returned(aside, there, watcher, undone, since=since))

    def _undone(self, number: int) -> tuple[str, bool]:
        """The words of the turn after this one, and whether others acted since."""
        turns = self.turns(number + 1)
        first = next(turns, None)
        if first is None or first.aside is not None:
            return "", False
        others = (t.aside is None and t.actor_id != first.actor_id for t in turns)
        return outward(first), any(others)

    def _aside(self, aside: Aside, after: World, book: Rulebook) -> Turn:
        return Turn(
            id=self._ids.fresh("turn"),
            number=self.count,
            actor_id=self.actor,
            raw_text="",
            parsed_actions=(),
            normalized_actions=(),
            validation_results=(),
            applied_actions=(),
            timestamp=self._clock.now(),
            world_before=fingerprint(self.world),
            world_after=fingerprint(after),
            book=book.fingerprint,
            aside=aside,
        )

    def _keep(self, turn: Turn, world: World) -> None:
        # Straight through, with no pause in between: a cancelled task cannot leave a
        # kept turn behind that the run does not know of.
        try:
            self._store.append(self.id, turn)
        except StoreError as problem:
            if problem.code == "REVISION_CONFLICT":
                self._course = self._followed()
            raise
        self._course.follow(turn, world)

    def _catch_up(self, save: Save) -> NoReturn:
        """Somebody else has saved beyond where we stand: go there, and say so."""
        number, self._course = self.count, self._followed()
        if BEGINNING <= save.turn < self.count:
            raise conflict(self.id, number, self.count)
        raise self._beyond(f"the save {save.name!r}", save.turn, save=save.name)

    def _beyond(self, what: str, turn: int, **details: str) -> StoreError:
        return no_such_turn(self.id, self.count, what, turn, **details)

    def _saved(self, name: str) -> Save:
        saves = {save.name: save for save in self._store.saves(self.id)}
        if name not in saves:
            raise no_such_save(name, saves)
        return saves[name]
