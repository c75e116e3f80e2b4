"""The `Playing` interface, through which hosts play every kind of run.

It also defines the records that hosts send and receive; it implements no playing.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Literal, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.run import Run
from saniwa.story.step_result import Branch, Option, Say, StepResult
from saniwa.turn.preview import TurnPreview
from saniwa.turn.record import Turn

AwaitedInput = Literal["step", "choice", "words", "choice or words", "end"]
"""The input a run waits for."""
MOST_SENTENCES: Final = 100
"""The most sentences that a preview reports; more would not be read."""
LONGEST_LINE: Final = 120
"""The most characters of a line in a list of saves."""


class SkippedJump(msgspec.Struct, frozen=True, kw_only=True):
    """A jump to a label that does not exist; the story continued after it."""

    label: str
    """The label."""
    line: int
    """The line of the jump."""


class PlayState(msgspec.Struct, frozen=True, kw_only=True):
    """The current position of a run, for the host that shows it."""

    run: str
    """The run."""
    revision: int
    """The revision; it increases with every change, and the next request must name it."""
    step: StepResult
    """The step to show."""
    waiting: AwaitedInput
    """The input that it waits for."""
    scenery: StepResult | None = None
    """What to show first, after clearing the stage; null if the stage is already correct."""
    back: bool = False
    """Whether a step can be undone."""
    host: str = ""
    """The host command that this answers, such as `help`; empty for any other answer."""
    skipped: list[SkippedJump] | UnsetType = UNSET
    """Jumps on the way here to labels that do not exist, for the story's author."""


class PlayRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a host sends with every request that changes a run."""

    revision: int
    """The revision the host has seen."""
    asked: IdempotencyKey | None = None
    """The request's idempotency key, if it has one."""


def find_last_line(step: StepResult) -> str:
    """The last words of a step, shortened, for lists of saves.

    Empty if there are none.
    """
    said = [each.args.text for each in step.directives if isinstance(each, Say)]
    offered = [
        choice
        for each in step.directives
        if isinstance(each, Branch)
        for choice in each.args.choices
    ]
    words = " ".join((said or offered or [""])[-1].split())
    return words if len(words) <= LONGEST_LINE else words[: LONGEST_LINE - 1] + "…"


def list_options(step: StepResult) -> tuple[Option, ...]:
    """Return all options of a step, including disabled ones."""
    for directive in step.directives:
        if isinstance(directive, Branch):
            branch = directive.args
            if branch.options is UNSET:
                return tuple(Option.build(text) for text in branch.choices)
            return branch.options
    return ()


RunChange = Callable[[Run], Awaitable[object]]
"""Changes a run outside its story: its rulebook or its seating."""


class SaveSlot(msgspec.Struct, frozen=True, kw_only=True):
    """A saved position."""

    name: str
    """The player's name for it."""
    created: int
    """The time, in milliseconds since 1970."""
    line: str = ""
    """The last line shown at that position."""
    removable: bool = True
    """Whether it can be deleted; saves in a run's own record cannot."""


class Playing(Protocol):
    """A run that a host shows.

    Every method that changes it takes the revision the host has seen. A stale revision
    raises StoreError `REVISION_CONFLICT`, and nothing happens. A repeated request gets
    the same answer; another request under the same key raises StoreError
    `IDEMPOTENCY_CONFLICT`.
    """

    @property
    def id(self) -> str:
        """The run's id."""

    @property
    def revision(self) -> int:
        """Increases with every change."""

    @property
    def world_run(self) -> Run | None:
        """The run of its world; None for a story without one."""

    @property
    def language(self) -> str:
        """The language of the host's own words: `en` or `ja`."""

    @property
    def asks_freely(self) -> bool:
        """Whether any words are an answer now; then words for the host need a slash."""

    async def catch_up(self) -> None:
        """Read what other processes have stored since."""

    def read_state(self) -> PlayState:
        """The current state with its scenery, for a host that starts showing here."""

    async def step(self, request: PlayRequest) -> PlayState:
        """Advance; if other input is awaited, return the current state."""

    async def choose(self, request: PlayRequest, index: int) -> PlayState:
        """Take one of the choices, counted from 0, and advance."""

    async def say(self, request: PlayRequest, text: str, actor: str | None = None) -> PlayState:
        """Say something, or answer a question, and advance."""

    async def back(self, request: PlayRequest, steps: int = 1) -> PlayState:
        """Go back that many steps."""

    async def skip(self, request: PlayRequest) -> tuple[PlayState, Sequence[StepResult]]:
        """Advance through what was seen before.

        Return the end state and the skipped steps.
        """

    async def change_run(self, request: PlayRequest, do: RunChange) -> PlayState:
        """Change the world's run outside the story; done once per request.

        `do` passes the request on to the run. Without a world: RunError
        `WORLD_MISSING`.
        """

    async def preview(self, text: str, actor: str | None = None) -> TurnPreview | None:
        """Show how words would be understood.

        None if there is no world to judge them.
        """

    def list_backlog(self) -> Sequence[StepResult]:
        """What was shown, oldest first, as far back as it is stored."""

    async def save(self, name: str) -> SaveSlot:
        """Name the current point; an existing save of that name is moved."""

    def list_saves(self) -> Sequence[SaveSlot]:
        """The saves, sorted by name."""

    async def load(self, request: PlayRequest, name: str) -> PlayState:
        """Go to a saved point."""

    async def remove_save(self, name: str) -> None:
        """Delete a save."""


class PreviewSummary(msgspec.Struct, frozen=True, kw_only=True):
    """How words would be understood and judged now."""

    weighed: bool
    """Whether there is a world to judge them."""
    sentences: list[str] = []
    """One sentence for each action that would be tried or is unclear, up to a maximum."""
    more: int = 0
    """The number of further sentences."""
    allowed: bool = True
    """Whether all of it would happen."""
    turn: Turn | None = None
    """The turn as it would be recorded; null if it is too long."""
    host: str = ""
    """The host command that the words are, such as `help`; empty for any other words."""


def summarise_preview(seen: TurnPreview | None) -> PreviewSummary:
    """The part of a preview that hosts receive; None means there is no world."""
    if seen is None:
        return PreviewSummary(weighed=False)
    turn = seen.turn
    refused = any(not verdict.success for verdict in turn.validation_results)
    unclear = bool(turn.rejections) or turn.clarification is not None
    more = max(len(seen.sentences) - MOST_SENTENCES, 0)
    return PreviewSummary(
        weighed=True,
        sentences=list(seen.sentences[:MOST_SENTENCES]),
        more=more,
        allowed=not (refused or unclear),
        turn=None if more else turn,
    )
