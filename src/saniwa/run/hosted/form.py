"""The one form in which hosts meet every kind of run."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import msgspec

from saniwa.run.conductor import Run
from saniwa.run.hosted.moment import Moment, Request
from saniwa.script.directive import StepResult
from saniwa.turn.preview import Preview

Beside = Callable[[Run], Awaitable[object]]
"""Does something to a run that is no story: other rules, other seats."""


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """A place to come back to."""

    name: str
    """The player's name for it."""
    created: int
    """When; milliseconds since 1970."""
    line: str = ""
    """The last words shown there."""
    removable: bool = True
    """Whether it can be removed; a run's own trace keeps its saves."""


class Hosted(Protocol):
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

    def moment(self) -> Moment:
        """Where it stands now, for a host that comes in here; with its scenery."""
        ...

    async def step(self, request: Request) -> Moment:
        """Go on; where something else is awaited, the same again."""
        ...

    async def choose(self, request: Request, index: int) -> Moment:
        """Take one of the choices, from 0, and go on."""
        ...

    async def say(
        self, request: Request, text: str, actor: str | None = None
    ) -> Moment:
        """Say something, or answer, and go on."""
        ...

    async def back(self, request: Request, steps: int = 1) -> Moment:
        """Go back so many steps."""
        ...

    async def skip(self, request: Request) -> tuple[Moment, Sequence[StepResult]]:
        """Go on through what was seen before: where that ends, and what was passed."""
        ...

    async def beside(self, request: Request, do: Beside) -> Moment:
        """Let something be done to the world's run beside the story; once a request.

        `do` names the request to the run. Without a world: RunError `WORLD_MISSING`.
        """
        ...

    async def preview(self, text: str, actor: str | None = None) -> Preview | None:
        """How words would be understood; None where there is no world to weigh them."""
        ...

    def backlog(self) -> Sequence[StepResult]:
        """What was shown, oldest first, as far as it is kept."""
        ...

    async def save(self, name: str) -> Slot:
        """Name the point where it stands; the same name moves."""
        ...

    def slots(self) -> Sequence[Slot]:
        """The places to come back to, in order of name."""
        ...

    async def load(self, request: Request, name: str) -> Moment:
        """Go to such a place."""
        ...

    async def remove(self, name: str) -> None:
        """Forget such a place."""
        ...
