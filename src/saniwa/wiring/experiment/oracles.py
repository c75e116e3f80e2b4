"""Who plays the characters of a cell: a stand-in, a model, or the recording of one."""

import os
from collections.abc import Mapping
from math import ceil
from typing import Final

from saniwa.agent.bridges.metered import Meter, Price
from saniwa.agent.bridges.tape.recording import Recording
from saniwa.agent.bridges.tape.replaying import Replaying
from saniwa.agent.bridges.timed import Timed
from saniwa.agent.definition import Asking, Limits
from saniwa.agent.journal.story import MemoryJournal
from saniwa.agent.oracle import Oracle, Usage
from saniwa.agent.ports import Journal
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import ExperimentError
from saniwa.core.quoted import quoted
from saniwa.core.redaction import Redaction, environment_secrets
from saniwa.experiment.cell import Cell
from saniwa.experiment.plan import Faults, Plan
from saniwa.experiment.ports import Oracles, Shelf
from saniwa.wiring.experiment.ceilings import Desk
from saniwa.wiring.experiment.discreet import Unblotted
from saniwa.wiring.experiment.kept import outcome_of
from saniwa.wiring.model import open_oracle
from saniwa.wiring.model_named import Named
from saniwa.wiring.shared_models import Lent

_FROM_THE_START: Final = ("canned", "fuzz", "replay")
"""Models that answer in an order: each cell has one of its own, from its beginning."""


def standing_in(plan: Plan) -> Oracles:
    """Stand-ins, erring as each cell's condition says."""
    from saniwa.experiment.standin.oracle import StandIn

    def opened(cell: Cell, journal: Journal) -> Oracle:
        del journal  # what follows from the request alone need not be kept
        return StandIn(plan.faults.get(cell.condition.faults, Faults()))

    return opened


class LiveModels:
    """Models for the cells of one plan: opened once each, counted together, recorded.

    Ceilings count what this program asks; what was asked before it was taken up again
    counts no more. A cell that could not be finished under them is not begun.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        limits: Limits | None = None,
        clock: Clock | None = None,
        environment: Mapping[str, str] | None = None,
        foretold: Mapping[str, Usage] | None = None,
    ) -> None:
        """`foretold` is the most that one call may take, by condition."""
        self._plan = plan
        limits = limits or Limits()
        self._meter = Meter(limits)
        self._desk = Desk(plan, limits, self._meter, foretold)
        self._clock = clock or SystemClock()
        self._known = os.environ if environment is None else environment
        self._redaction = Redaction(environment_secrets(self._known))
        self._opened: dict[str, Oracle] = {}

    @property
    def spent(self) -> Usage:
        """What all answers have cost so far."""
        return self._meter.spent

    def __call__(self, cell: Cell, journal: Journal) -> Oracle:
        """The model of a cell's condition; everything is kept on the journal.

        Raises:
            ConfigurationError: The model cannot be had.
        """
        timed = Timed(self._model(cell.condition.model), self._clock)
        recorded = Recording(timed, journal, self._redaction)
        return self._desk.admitted(cell, Unblotted(recorded, self._redaction))

    async def close(self) -> None:
        """Let all of them go; more than once is no mistake."""
        for oracle in self._opened.values():
            await oracle.close()

    def _model(self, named: str) -> Oracle:
        if named.partition(":")[0] in _FROM_THE_START:
            return self._open(named)
        if named not in self._opened:
            self._opened[named] = self._open(named)
        return Lent(self._opened[named])

    def _open(self, named: str) -> Oracle:
        return open_model(self._plan, named, meter=self._meter, environment=self._known)


def open_model(
    plan: Plan,
    named: str,
    *,
    meter: Meter | None = None,
    environment: Mapping[str, str] | None = None,
) -> Oracle:
    """A model of a plan, at the plan's address where it has one.

    Raises:
        ConfigurationError: `MODEL_UNKNOWN`, `MODEL_KEY_MISSING`, `EXTRA_MISSING`…
    """
    asking = Asking(use=named, url=plan.llm_url, history=0)
    return open_oracle(
        asking, limits=meter, environment=environment, price=price_of(plan, named)
    )


def price_of(plan: Plan, named: str) -> Price | None:
    """What tokens of a model cost as the plan says; None where it does not say."""
    written = plan.prices.get(named)
    if written is None:
        return None
    told_price, said_price = written

    def price(told: int, said: int) -> int:
        # Dollars a million tokens are millionths of a dollar a token; upwards, so that
        # many small answers do not add up to nothing.
        return ceil(told_price * told + said_price * said)

    return price


def unsent_to(
    plan: Plan, named: str, environment: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """The settings of a plan that one of its models is not given; nobody is asked.

    Raises:
        ConfigurationError: The model cannot be had.
    """
    opened = name_model(plan, named, environment).opened()
    return opened.unsent() if opened.unsent is not None else ()


def name_model(
    plan: Plan, named: str, environment: Mapping[str, str] | None = None
) -> Named:
    """A model of a plan, on its way to being opened."""
    known = os.environ if environment is None else environment
    redaction = Redaction(environment_secrets(known))
    return Named(Asking(use=named, url=plan.llm_url), None, known, redaction, None)


class Recorded:
    """Answers from the cells of another experiment: those of the same key."""

    def __init__(
        self, shelf: Shelf, environment: Mapping[str, str] | None = None
    ) -> None:
        known = os.environ if environment is None else environment
        self._shelf = shelf
        self._redaction = Redaction(environment_secrets(known))

    def __call__(self, cell: Cell, journal: Journal) -> Oracle:
        """What was answered in the cell of that key; kept again, as it was then.

        Raises:
            ExperimentError: `RECORDING_MISSING`.
            StoreError: The recording cannot be read.
        """
        kept = outcome_of(self._shelf, cell)
        if kept is None:
            raise no_recording(cell.key)
        tape = MemoryJournal(kept.calls)
        again = Recording(Replaying(tape, self._redaction), journal, self._redaction)
        return Unblotted(again, self._redaction)


def no_recording(key: str, missing: int = 1) -> ExperimentError:
    """What is said where cells of a plan were never recorded; `key` is the first."""
    more = f", nor of {missing - 1} more" if missing > 1 else ""
    return ExperimentError(
        "RECORDING_MISSING",
        f"there is no recording of the cell {quoted(key)}{more}",
        hint="replay the plan that was recorded, under the same experiment_id",
        details={"cell": key, "missing": missing},
    )
