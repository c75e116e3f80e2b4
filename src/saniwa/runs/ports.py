"""The protocols of a run's dependencies: store, listener and narrator."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from saniwa.models.metering import CallBudget
from saniwa.store.run_records import RunRecord, RunSave, RunSummary
from saniwa.turn.record import Narration, Turn
from saniwa.world.model import Id, World

T = TypeVar("T")


class TurnLog(Protocol):
    """The append-only log of the turns of runs."""

    async def append(self, run_id: str, turn: Turn) -> None:
        """Append a run's next turn; when this returns, it is durable.

        Until then it is not visible. If the caller is cancelled, this still ends only when
        the turn is durable or can no longer become so.
        """

    def read_turns(self, run_id: str, start: int = 0) -> Iterator[Turn]:
        """Stream the run's turns from number `start` on."""


class RunStore(TurnLog, Protocol):
    """Everything a run stores: its turns, its saves, and what it began with."""

    async def commit(self, write: Callable[[], T]) -> T:
        """Call `write`, and return its result once everything it stored is durable.

        Callers that wait at the same time share one sync of the disk, and other tasks
        go on meanwhile; `create` and `save` by themselves keep them waiting.
        """

    def save(self, save: RunSave) -> None:
        """Store a save; an existing save of that name is moved."""

    def list_saves(self, run_id: str) -> Iterator[RunSave]:
        """The run's saves, sorted by name."""

    def create(self, record: RunRecord) -> None:
        """Store a new run; when this returns, it is durable."""

    def load_record(self, run_id: str) -> RunRecord:
        """Load what the run began with."""

    def list_runs(self) -> Iterator[RunSummary]:
        """One summary for each run, in the order of creation, not by clock."""

    def find_run(self, text: str) -> str:
        """The id of the one run whose id is, begins or ends with `text`."""

    def close(self) -> None:
        """Release all open resources."""


class Listener(Protocol):
    """Turns text into untrusted claims. It guesses; it decides nothing."""

    async def listen(
        self, text: str, actor: Id, world: World, calls: CallBudget
    ) -> Sequence[object]:
        """The claims found in the text; words not understood are a claim as well.

        An implementation takes a call from `calls` before it calls a model, and works
        without the model if none is left.

        Raises:
            AgentError: The model could not be called; then nothing has happened.
        """


class Narrator(Protocol):
    """Narrates a judged turn in its own words. It changes nothing."""

    async def narrate(
        self, turn: Turn, before: World, after: World, viewer: Id, calls: CallBudget
    ) -> Narration:
        """Narrate the turn for the viewer, with the problems found in the narration.

        A failed model call does not lose the turn: the narration records the failure,
        and the plain narrator is used.
        """
