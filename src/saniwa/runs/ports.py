"""What a run needs from outside, as roles; stores, parsers and narrators play them."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from saniwa.models.metering import CallBudget
from saniwa.store.run_records import RunRecord, RunSave, RunSummary
from saniwa.turn.record import Narration, Turn
from saniwa.world.model import Id, World


class TurnLog(Protocol):
    """The trace of runs. Only a turn enters it, and nothing ever leaves."""

    def append(self, run_id: str, turn: Turn) -> None:
        """Keep a run's next turn; when this returns, it is durable."""
        ...

    def read_turns(self, run_id: str, start: int = 0) -> Iterator[Turn]:
        """The run's turns from `start` on, as a stream."""
        ...


class SaveStore(Protocol):
    """Names for points of runs."""

    def save(self, save: RunSave) -> None:
        """Keep a name for a point of a run; the same name moves."""
        ...

    def list_saves(self, run_id: str) -> Iterator[RunSave]:
        """The run's saves, in order of name."""
        ...


class RunCatalog(Protocol):
    """The runs there are, and what each began with."""

    def create(self, record: RunRecord) -> None:
        """Keep a new run, durably."""
        ...

    def load_record(self, run_id: str) -> RunRecord:
        """What the run began with."""
        ...

    def list_runs(self) -> Iterator[RunSummary]:
        """One line for each run, in the order they were begun, whatever a clock said."""
        ...

    def find_run(self, text: str) -> str:
        """The one run whose id is, begins or ends with `text`."""
        ...


class RunStore(TurnLog, SaveStore, RunCatalog, Protocol):
    """All that a store keeps."""

    def close(self) -> None:
        """Let go of whatever is held open."""
        ...


class Listener(Protocol):
    """Makes rough claims of what somebody said. It guesses; it decides nothing."""

    async def listen(
        self, text: str, actor: Id, world: World, calls: CallBudget
    ) -> Sequence[object]:
        """The claims it hears; words nobody understands are a claim as well.

        Whoever asks a model takes a call first, and does without where none is left.

        Raises:
            AgentError: The model could not be asked; then nothing has happened.
        """
        ...


class Narrator(Protocol):
    """Tells a decided turn in its own words. It changes nothing."""

    async def narrate(
        self, turn: Turn, before: World, after: World, viewer: Id, calls: CallBudget
    ) -> Narration:
        """How the viewer is told of it, and what was found wrong with that.

        A model that could not be asked is no reason to lose the turn: the narration
        says so, and the plain narrator tells it.
        """
        ...
