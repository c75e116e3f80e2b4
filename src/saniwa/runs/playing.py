"""The one form in which hosts meet every kind of run."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Literal, Protocol

import msgspec

from saniwa.runs.run import Run
from saniwa.story.stepresult import Branch, Next, Say, StepResult
from saniwa.turn.preview import TurnPreview
from saniwa.turn.record import IdempotencyKey, Turn

AwaitedInput = Literal["step", "choice", "words", "choice or words", "end"]
"""What a run waits for."""


class PlayState(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run stands, for whoever shows it."""

    run: str
    """The run."""
    revision: int
    """Rises with everything that happens; what the next request must have seen."""
    step: StepResult
    """What to show."""
    waiting: AwaitedInput
    """What may come next."""
    scenery: StepResult | None = None
    """Empty the stage and show this first; None where the stage is as it should be."""
    back: bool = False
    """Whether there is a step to go back to."""


class PlayRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a host asks of a run, beside what it asks for."""

    revision: int
    """The revision it has seen."""
    asked: IdempotencyKey | None = None
    """Its own name for the request, if it has one."""


def find_last_line(step: StepResult, longest: int = 120) -> str:
    """The last words of a step, for lists and slots; empty where nothing is said."""
    said = [each.args.text for each in step.directives if isinstance(each, Say)]
    offered = [
        choice
        for each in step.directives
        if isinstance(each, Branch)
        for choice in each.args.choices
    ]
    words = " ".join((said or offered or [""])[-1].split())
    return words if len(words) <= longest else words[: longest - 1] + "…"


def is_end(step: StepResult) -> bool:
    """Whether this is the end."""
    return step.next is Next.HALT


RunChange = Callable[[Run], Awaitable[object]]
"""Does something to a run that is no story: other rules, other seats."""


class SaveSlot(msgspec.Struct, frozen=True, kw_only=True):
    """A place to come back to."""

    name: str
    """The player's name for it."""
    created: int
    """When; milliseconds since 1970."""
    line: str = ""
    """The last words shown there."""
    removable: bool = True
    """Whether it can be removed; a run's own trace keeps its saves."""


class Playing(Protocol):
    """A run that a host shows.

    Whatever changes it takes the revision the host has seen. A stale one is a StoreError
    `REVISION_CONFLICT`, and nothing happened; the same request again gets the same answer,
    and another under its key a StoreError `IDEMPOTENCY_CONFLICT`.
    """

    @property
    def id(self) -> str:
        """The run's id."""
        ...

    @property
    def revision(self) -> int:
        """Rises with everything that happens."""
        ...

    async def catch_up(self) -> None:
        """Stand where other processes have brought it since."""
        ...

    def read_state(self) -> PlayState:
        """Where it stands now, for a host that comes in here; with its scenery."""
        ...

    async def step(self, request: PlayRequest) -> PlayState:
        """Go on; where something else is awaited, the same again."""
        ...

    async def choose(self, request: PlayRequest, index: int) -> PlayState:
        """Take one of the choices, from 0, and go on."""
        ...

    async def say(
        self, request: PlayRequest, text: str, actor: str | None = None
    ) -> PlayState:
        """Say something, or answer, and go on."""
        ...

    async def back(self, request: PlayRequest, steps: int = 1) -> PlayState:
        """Go back so many steps."""
        ...

    async def skip(
        self, request: PlayRequest
    ) -> tuple[PlayState, Sequence[StepResult]]:
        """Go on through what was seen before: where that ends, and what was passed."""
        ...

    async def change_run(self, request: PlayRequest, do: RunChange) -> PlayState:
        """Let something be done to the world's run beside the story; once a request.

        `do` names the request to the run. Without a world: RunError `WORLD_MISSING`.
        """
        ...

    async def preview(self, text: str, actor: str | None = None) -> TurnPreview | None:
        """How words would be understood; None where there is no world to weigh them."""
        ...

    def list_backlog(self) -> Sequence[StepResult]:
        """What was shown, oldest first, as far as it is kept."""
        ...

    async def save(self, name: str) -> SaveSlot:
        """Name the point where it stands; the same name moves."""
        ...

    def list_saves(self) -> Sequence[SaveSlot]:
        """The places to come back to, in order of name."""
        ...

    async def load(self, request: PlayRequest, name: str) -> PlayState:
        """Go to such a place."""
        ...

    async def remove_save(self, name: str) -> None:
        """Forget such a place."""
        ...


MOST_SENTENCES: Final = 100
"""Sentences that are told; nobody reads what a thousand things would come to."""


class PreviewSummary(msgspec.Struct, frozen=True, kw_only=True):
    """How words would be understood and judged now."""

    weighed: bool
    """Whether there is a world to weigh them."""
    sentences: list[str] = []
    """One for each thing that would be tried, or is unclear; the first of them."""
    more: int = 0
    """How many are not told."""
    allowed: bool = True
    """Whether all of it would happen."""
    turn: Turn | None = None
    """The turn as it would be recorded; null where it is too long to be told."""


def summarise_preview(seen: TurnPreview | None) -> PreviewSummary:
    """A preview as a host is told of it; None is one without a world."""
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
