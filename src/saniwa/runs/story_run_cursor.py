"""A run as far as a story has seen it.

The run may be ahead of the story: because the process stopped between a deed and the
story's next line, because an older state was loaded, or because another process plays
the same run. What was done already is not done again, and what another process did is
not taken back without a request. Rulebook edits and seatings do not count as being
ahead: the story continues under them.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from saniwa.core.errors import StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.run import Run, TurnResult
from saniwa.story.player import RequestOutcome
from saniwa.story.step_result import Say
from saniwa.turn.narration import number_options
from saniwa.turn.record import RulebookEdit, Seating, Turn
from saniwa.world.model import World

_CONFLICT: Final = "REVISION_CONFLICT"
_MOST_ASIDES: Final = 1_000
"""The most turns that are checked for being all quiet."""


def to_story_outcome(result: TurnResult) -> RequestOutcome:
    """A turn as the answer to a story's request.

    It is allowed if any action of the turn was applied; the reason is the first
    obstacle, even if another action was applied.
    """
    said = (each.args for each in result.step.directives if isinstance(each, Say))
    asked = result.turn.clarification
    options = () if asked is None else number_options(asked)
    return RequestOutcome(
        allowed=bool(result.turn.applied_actions),
        reason=_find_reason(result.turn),
        lines=(
            *((line.speaker, line.text) for line in said),
            *((line.speaker, line.text.strip()) for line in options),
        ),
    )


def _find_reason(turn: Turn) -> str:
    """The code of the first obstacle; empty if there was none."""
    if turn.clarification is not None:
        return turn.clarification.code
    for verdict in turn.validation_results:
        if not verdict.success:
            return str(verdict.reason_code)
    return turn.rejections[0].code if turn.rejections else ""


def is_quiet(turn: Turn) -> bool:
    """Whether a turn is a rulebook edit or a seating, which no story depends on."""
    return isinstance(turn.aside, RulebookEdit | Seating)


class StoryRunCursor:
    """A run, and how many of its turns a story has seen."""

    def __init__(self, run: Run, known: int | None = None) -> None:
        """Follow a run that the story has seen completely, or up to `known` turns.

        With `known`, the story was loaded there, and the deed after it may be taken
        back.
        """
        self.run: Final = run
        """The run."""
        self.known = run.count if known is None else known
        """How many of its turns the story has seen."""
        self._loaded = known is not None

    @property
    def world(self) -> World:
        """The world as the story has seen it."""
        return self.run.find_world_after(self.known - 1)

    def is_overtaken(self) -> bool:
        """Whether the store has turns of another writer that the story has not seen.

        Raises:
            StoreError: The store cannot be read.
        """
        return self._follow_quiet() or self._is_ahead()

    def check_not_overtaken(self) -> None:
        """Check that no other writer has added turns.

        Raises:
            StoreError: `REVISION_CONFLICT`, or the store cannot be read.
        """
        if self.is_overtaken():
            raise self._make_conflict_error()

    async def play_words(self, words: str, asked: IdempotencyKey | None = None) -> RequestOutcome:
        """Play the words as a turn; if that was already done here, return its outcome.

        `asked` as for `Run.say`.

        Raises:
            RunError: As for `Run.say`.
            StoreError: The deed could not be stored, or another writer has added turns;
                then nothing was done.
        """
        self._follow_quiet()
        done = self._find_played_turn(words)
        if done is not None:
            result = self.run.present_turn(done.number)
        else:
            if self._is_ahead():
                raise self._make_conflict_error()
            if self.run.count > self.known:
                self._note_result(await self.run.go_back_to(self.known - 1, "load"))
            try:
                result = await self.run.say(words, asked=asked)
            except StoreError as problem:
                if problem.code != _CONFLICT or self._find_played_turn(words):
                    raise
                raise self._make_conflict_error() from problem
        self._note_result(result)
        return to_story_outcome(result)

    async def go_back_to(self, known: int) -> None:
        """Take the world back to where the story had seen `known` turns.

        Raises:
            StoreError: That could not be stored, or another writer has added turns.
        """
        self.check_not_overtaken()
        if not any(self._list_story_turns(known, self.known)):
            return
        try:
            self._note_result(await self.run.go_back_to(known - 1, "undo"))
        except StoreError as problem:
            if problem.code != _CONFLICT:
                raise
            raise self._make_conflict_error() from problem

    def _is_ahead(self) -> bool:
        """Whether the run has more unseen turns than the story's own deed."""
        unseen = islice(self._list_story_turns(self.known, self.run.count), 2)
        return sum(1 for _ in unseen) > self._loaded

    def _find_played_turn(self, words: str) -> Turn | None:
        """The only unseen turn, if it is the deed that the story wants done."""
        unseen = [*islice(self._list_story_turns(self.known, self.run.count), 2)]
        if len(unseen) != 1:
            return None
        (turn,) = unseen
        own = turn.aside is None and turn.actor_id == self.run.actor
        return turn if own and turn.raw_text == words else None

    def _list_story_turns(self, start: int, end: int) -> Iterator[Turn]:
        """Yield the turns of this range that are not quiet."""
        if start >= end:
            return
        for turn in self.run.read_followed_turns(start):
            if turn.number >= end:
                return
            if not is_quiet(turn):
                yield turn

    def _follow_quiet(self) -> bool:
        """Follow new quiet turns; return whether the store has others as well."""
        more = [*islice(self.run.read_turns(self.run.count), _MOST_ASIDES)]
        ahead = not all(map(is_quiet, more))
        if more and not ahead:
            self.run.catch_up()
        louder = next(self._list_story_turns(self.known, self.run.count), None)
        self.known = self.run.count if louder is None else louder.number
        return ahead

    def _note_result(self, result: TurnResult) -> None:
        self.known, self._loaded = result.turn.number + 1, False

    def _make_conflict_error(self) -> StoreError:
        run, known = self.run.id, self.known
        current = self.run.count + sum(1 for _ in self.run.read_turns(self.run.count))
        return StoreError(
            _CONFLICT,
            f"the story was continued elsewhere: it has {known} turns of run {run!r}, "
            f"which has {current}",
            hint="load a save, or quit and resume; nothing was done",
            recoverable=True,
            details={"run": run, "number": known, "current": current},
        )


def has_unread_turns(run: Run) -> bool:
    """Whether the store has turns that this run has not followed.

    Raises:
        StoreError: The store cannot be read.
    """
    return next(run.read_turns(run.count), None) is not None


async def follow_run_from(run: Run, turn: int) -> StoryRunCursor:
    """Follow a run from a state that had seen `turn` turns, taking the run back to it.

    A single deed beyond it is not taken back yet: the story may be about to do it.

    Raises:
        StoreError: As for `Run.go_back_to`.
    """
    ahead = [*islice((each for each in run.read_followed_turns(turn) if not is_quiet(each)), 2)]
    if len(ahead) == 1 and ahead[0].aside is None:
        return StoryRunCursor(run, turn)
    if ahead or turn > run.count:
        await run.go_back_to(turn - 1, "load")
    return StoryRunCursor(run)
