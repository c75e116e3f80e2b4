"""One run, conducted: it hears, plays, words it, keeps, and only then tells.

A turn counts when the store has it; until then the run's world stands where it stood.
Two coroutines on one run wait for each other; of two processes, the slower is told so.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from saniwa.agent.translate.calls import CALLS_PER_TURN, Calls
from saniwa.core.clock import Clock
from saniwa.core.errors import RunError
from saniwa.core.ids import Ids
from saniwa.rulebook.book import Rulebook, taught
from saniwa.run import present
from saniwa.run.beside import Keeping
from saniwa.run.course import Point, Start
from saniwa.run.hearing import PhraseListener, Understood, hear, legible, plain
from saniwa.run.offload import offload
from saniwa.run.ports import Listener, Narrator, Store
from saniwa.run.standing import Told, viewer_of
from saniwa.run.trouble import incomplete, not_awaited, out_of_range
from saniwa.run.weighed import Weighed
from saniwa.store.layout import RunRecord
from saniwa.store.row import conflict
from saniwa.turn.answer import answer
from saniwa.turn.normalise import find_missing_field
from saniwa.turn.play import play_turn
from saniwa.turn.preview import Preview, preview
from saniwa.turn.trace import Asked, Turn, Words
from saniwa.turn.witnessed import witnessed
from saniwa.world.model import Id, World


class Run(Keeping):
    """One playing of one scenario."""

    def __init__(
        self,
        record: RunRecord,
        store: Store,
        *,
        start: Start | None = None,
        listener: Listener | None = None,
        narrator: Narrator | None = None,
        ids: Ids | None = None,
        clock: Clock | None = None,
        calls_per_turn: int = CALLS_PER_TURN,
    ) -> None:
        """Stand where the kept turns leave the run; `run.begin` calls this.

        `start` spares reading what the record opens with, where that is known.

        Raises:
            RunError: `RUN_DIVERGED` if a kept turn no longer leads where it led.
            StoreError: `TRACE_CORRUPT`, or the store cannot be read.
        """
        super().__init__(record, store, start=start, ids=ids, clock=clock)
        self._listener = listener or PhraseListener()
        self._narrator = narrator
        self._calls_per_turn = calls_per_turn

    async def say(
        self,
        text: str,
        actor: str | None = None,
        *,
        viewer: str | None = None,
        calls: int = 0,
        aloud: bool = False,
        asked: Asked | None = None,
    ) -> Told:
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
            words = self._words(legible(text), self._speaker(actor), asked)
            left = Calls(self._calls_per_turn - calls)
            heard = await self._hear(words, self.world, left, aloud=aloud)
            return await self._settle(words, heard, viewer, left)

    async def act(
        self, action: Mapping[str, Any], *, asked: Asked | None = None
    ) -> Told:
        """Play one action, given in its wire form, as a turn; `asked` as for `say`.

        Raises:
            RunError: `TEXT_UNREADABLE` for what JSON cannot say; `ACTION_INCOMPLETE` where
                a field is missing: nothing is guessed, and nothing is kept.
            StoreError: As for `say`.
        """
        missing = find_missing_field(action)
        if missing:
            raise incomplete(RunError, action, missing)
        async with self._lock:
            named = action.get("actorId")
            speaker = self._speaker(named if isinstance(named, str) else None)
            heard = Understood(plain([dict(action)]))
            return await self._settle(self._words("", speaker, asked), heard)

    async def choose(self, index: int, *, asked: Asked | None = None) -> Told:
        """Answer the question the last turn asked by one of its options; from 0.

        `asked` as for `say`.

        Raises:
            RunError: `CHOICE_NOT_AWAITED`, `CHOICE_OUT_OF_RANGE`; nothing has changed.
            StoreError: As for `say`.
        """
        async with self._lock:
            last = self._course.last
            options = last.clarification.options if last and last.clarification else ()
            if last is None or not options:
                raise not_awaited(self.id)
            if not 0 <= index < len(options):
                raise out_of_range(index, options)
            words = self._words(options[index].label, last.actor_id, asked)
            claims = answer(last, str(index + 1), self.world)
            assert claims is not None, "a question's own option answers it"
            return await self._settle(words, Understood(plain(claims)))

    async def preview(
        self,
        text: str,
        actor: str | None = None,
        *,
        aloud: bool = False,
        book: Rulebook | None = None,
    ) -> Preview:
        """How the words would be understood and judged now. Nothing happens or is kept.

        `aloud` as for `say`; by another book, where one is given.

        Raises:
            AgentError: The listener's model could not be asked.
            RunError: `TEXT_UNREADABLE` for words that are no text.
        """
        book = book or self.book
        world = taught(self.world, book)
        words = self._unsaid(legible(text), self._speaker(actor))
        calls = Calls(self._calls_per_turn)
        heard = await self._hear(words, world, calls, aloud=aloud)
        return await offload(
            lambda: preview(words, heard.claims, world, book), world, text
        )

    async def weigh(
        self, text: str, actor: str | None = None, *, aloud: bool = False
    ) -> Weighed:
        """The turn that the words would make now. Nothing happens until it is played.

        `aloud` as for `say`.

        Raises:
            AgentError: The listener's model could not be asked.
            RunError: `TEXT_UNREADABLE` for words that are no text.
        """
        here = self._course.point
        words = self._unsaid(legible(text), self._speaker(actor))
        calls = Calls(self._calls_per_turn)
        heard = await self._hear(words, here.world, calls, aloud=aloud)
        return await offload(
            lambda: self._weighed(words, heard, here), here.world, text
        )

    async def play(self, weighed: Weighed) -> Turn:
        """Play a turn as it was weighed, as `say` would play its words now.

        It is neither heard nor judged again. When this returns, the turn is kept.

        Raises:
            StoreError: As for `say`; `REVISION_CONFLICT` also where anything was kept
                since it was weighed.
        """
        async with self._lock:
            number = weighed.turn.number
            if number != self.count or weighed.here is not self._course.point:
                raise conflict(self.id, number, self.count)
            dated = msgspec.structs.replace(
                weighed.turn, id=self._ids.fresh("turn"), timestamp=self._clock.now()
            )
            return await self._stand(weighed._replace(turn=dated))

    def _words(self, text: str, speaker: Id, asked: Asked | None = None) -> Words:
        return msgspec.structs.replace(
            self._unsaid(text, speaker),
            id=self._ids.fresh("turn"),
            timestamp=self._clock.now(),
            asked=asked,
        )

    def _unsaid(self, text: str, speaker: Id) -> Words:
        """The words as they would open a turn now; it has no id yet, and no time."""
        return Words(
            actor_id=speaker,
            text=text,
            number=self.count,
            mentioned=self._course.point.mentioned,
            came_from=self._course.point.came_from.get(speaker),
        )

    async def _hear(
        self, words: Words, world: World, calls: Calls, *, aloud: bool = False
    ) -> Understood:
        last, listener = self._course.last, self._listener
        return await hear(words, world, last, listener, calls, aloud=aloud)

    async def _settle(
        self,
        words: Words,
        heard: Understood,
        viewer: str | None = None,
        calls: Calls | None = None,
    ) -> Told:
        watcher = viewer_of(viewer)
        here = self._course.point
        weighed = await offload(
            lambda: self._weighed(words, heard, here), here.world, words.text
        )
        before, after = weighed.here.world, weighed.after
        turn = await self._stand(weighed, watcher, calls)
        shown = await offload(
            lambda: present.present(turn, before, after, watcher), before, words.text
        )
        return Told(turn, shown)

    def _weighed(self, words: Words, heard: Understood, here: Point) -> Weighed:
        played = play_turn(words, heard.claims, here.world, self.book)
        turn = msgspec.structs.replace(played.turn, reply=heard.reply)
        return Weighed(turn, here, played.world)

    async def _stand(
        self, weighed: Weighed, viewer: Id | None = None, calls: Calls | None = None
    ) -> Turn:
        """The turn, worded and kept."""
        left = calls or Calls(self._calls_per_turn)
        turn, here, after = weighed
        turn = await self._worded(turn, here.world, after, viewer, left)
        self._keep(turn, after)
        return turn

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
