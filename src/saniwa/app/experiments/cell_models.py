"""Opens what answers in a cell: a stand-in, a model, or the recording of a model.

Requests that contain a secret of the environment are refused, because a recording could
not store them as they are.
"""

import os
from collections.abc import Mapping
from math import ceil
from typing import Final

from saniwa.agent.definition import AgentLimits, ModelSettings
from saniwa.agent.journal import MemoryJournal
from saniwa.app import describe
from saniwa.app.experiments.cell_budget import CellBudget
from saniwa.app.experiments.folder import read_outcome
from saniwa.app.model_factory import ModelName, SharedOracle, open_oracle
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import ExperimentError
from saniwa.core.redaction import Redactor, find_environment_secrets
from saniwa.experiment.plan import ExperimentCell, ExperimentPlan, PreparedPlan, StandInFaults
from saniwa.experiment.ports import OracleFactory, OutcomeStore
from saniwa.models.metering import PriceFunction, TimedOracle, UsageMeter
from saniwa.models.oracle import Oracle, OracleAnswer, OracleRequest, TextListener, Usage
from saniwa.models.recording import AgentJournal, RecordingOracle, ReplayingOracle
from saniwa.models.redaction import redact_request


class SecretFreeOracle:
    """Sends only requests that can be recorded unchanged."""

    def __init__(self, oracle: Oracle, redaction: Redactor) -> None:
        self._oracle, self._redaction = oracle, redaction

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the oracle's answer.

        Raises:
            ExperimentError: `NAME_UNUSABLE`: the request contains a secret.
            SdkBridgeError: The oracle's own error.
        """
        if redact_request(request, self._redaction).key != request.key:
            raise _make_secret_error("a secret of the environment", "the variable")
        return await self._oracle.answer(request, hear)

    async def close(self) -> None:
        """Close the oracle; safe to call more than once."""
        await self._oracle.close()


def check_no_secrets(prepared: PreparedPlan, environment: Mapping[str, str] | None = None) -> None:
    """Check that a plan, its scenarios and its prompts contain no secret.

    Raises:
        ExperimentError: `NAME_UNUSABLE`.
    """
    known = os.environ if environment is None else environment
    written = prepared.encode().decode()
    for name, value in sorted(known.items()):
        redaction = Redactor(find_environment_secrets({name: value}))
        if redaction.redact_text(written) != written:
            raise _make_secret_error(f"the secret in {name}", name)


def _make_secret_error(what: str, variable: str) -> ExperimentError:
    said = describe("NAME_UNUSABLE/secret", what=what, variable=variable)
    return said.to_error(ExperimentError)


_SEQUENTIAL_KINDS: Final = ("canned", "fuzz", "replay")
"""Models that answer in sequence: each cell opens its own, from the start."""


def make_stand_ins(plan: ExperimentPlan) -> OracleFactory:
    """Return a factory of stand-ins with the faults of each cell's condition."""
    from saniwa.experiment.stand_in.character import StandIn

    def open_stand_in(cell: ExperimentCell, journal: AgentJournal) -> Oracle:
        del journal  # answers follow from the request, so no recording is needed
        return StandIn(plan.faults.get(cell.condition.faults, StandInFaults()))

    return open_stand_in


class LiveModels:
    """The models of one plan: opened once each, metered together, recorded.

    Limits count what this process sends; requests sent before a resume do not count. A
    cell that could not be finished within the limits is not started.
    """

    def __init__(
        self,
        plan: ExperimentPlan,
        *,
        limits: AgentLimits | None = None,
        clock: Clock | None = None,
        environment: Mapping[str, str] | None = None,
        largest_calls: Mapping[str, Usage] | None = None,
    ) -> None:
        """`largest_calls` is the most that one call may use, by condition."""
        self._plan = plan
        limits = limits or AgentLimits()
        self._meter = UsageMeter(limits)
        self._budget = CellBudget(plan, limits, self._meter, largest_calls)
        self._clock = clock or SystemClock()
        self._environment = environment
        self._redaction = _make_redactor(environment)
        self._opened: dict[str, Oracle] = {}

    @property
    def usage(self) -> Usage:
        """What all answers have used so far."""
        return self._meter.spent

    def __call__(self, cell: ExperimentCell, journal: AgentJournal) -> Oracle:
        """Return the model of a cell's condition; the journal records every call.

        Raises:
            ConfigurationError: The model is not available.
        """
        timed = TimedOracle(self._find_model(cell.condition.model), self._clock)
        recorded = RecordingOracle(timed, journal, self._redaction)
        return self._budget.limit_oracle(cell, SecretFreeOracle(recorded, self._redaction))

    async def close(self) -> None:
        """Close all models; safe to call more than once."""
        for oracle in self._opened.values():
            await oracle.close()

    def _find_model(self, named: str) -> Oracle:
        if named.partition(":")[0] in _SEQUENTIAL_KINDS:
            return self._open_model(named)
        if named not in self._opened:
            self._opened[named] = self._open_model(named)
        return SharedOracle(self._opened[named])

    def _open_model(self, named: str) -> Oracle:
        return open_plan_model(self._plan, named, meter=self._meter, environment=self._environment)


def open_plan_model(
    plan: ExperimentPlan,
    named: str,
    *,
    meter: UsageMeter | None = None,
    environment: Mapping[str, str] | None = None,
) -> Oracle:
    """Open a model of a plan, at the plan's address if it has one.

    Raises:
        ConfigurationError: `MODEL_UNKNOWN`, `MODEL_KEY_MISSING`, `EXTRA_MISSING`…
    """
    asking = ModelSettings(use=named, url=plan.llm_url, history=0)
    return open_oracle(
        asking, limits=meter, environment=environment, price=find_plan_price(plan, named)
    )


def find_plan_price(plan: ExperimentPlan, named: str) -> PriceFunction | None:
    """Return the token price of a model as the plan states it; None if it does not."""
    written = plan.prices.get(named)
    if written is None:
        return None
    input_price, output_price = written

    def price(input_tokens: int, output_tokens: int) -> int:
        # Dollars per million tokens equal millionths of a dollar per token. Rounded up,
        # so that many small answers do not add up to nothing.
        return ceil(input_price * input_tokens + output_price * output_tokens)

    return price


def list_unsent_settings(
    plan: ExperimentPlan, named: str, environment: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """List the plan's settings that a model would not be sent; no model is called.

    Raises:
        ConfigurationError: The model is not available.
    """
    opened = make_model_name(plan, named, environment).open()
    return opened.unsent() if opened.unsent is not None else ()


def make_model_name(
    plan: ExperimentPlan, named: str, environment: Mapping[str, str] | None = None
) -> ModelName:
    """Return a model of a plan, not opened yet."""
    known = os.environ if environment is None else environment
    asking = ModelSettings(use=named, url=plan.llm_url)
    return ModelName(asking, None, known, _make_redactor(environment), None)


def _make_redactor(environment: Mapping[str, str] | None) -> Redactor:
    return Redactor(find_environment_secrets(os.environ if environment is None else environment))


class RecordedModels:
    """Answers from the cells of another experiment that have the same key."""

    def __init__(
        self, outcome_store: OutcomeStore, environment: Mapping[str, str] | None = None
    ) -> None:
        self._outcome_store = outcome_store
        self._redaction = _make_redactor(environment)

    def __call__(self, cell: ExperimentCell, journal: AgentJournal) -> Oracle:
        """Return an oracle with the cell's recorded answers, which are recorded again.

        Raises:
            ExperimentError: `RECORDING_MISSING`.
            StoreError: The recording cannot be read.
        """
        outcome = read_outcome(self._outcome_store, cell)
        if outcome is None:
            raise make_no_recording_error(cell.key)
        recording = MemoryJournal(outcome.calls)
        recorder = RecordingOracle(
            ReplayingOracle(recording, self._redaction), journal, self._redaction
        )
        return SecretFreeOracle(recorder, self._redaction)

    async def close(self) -> None:
        """Close the recordings."""
        self._outcome_store.close()


def make_no_recording_error(key: str, missing: int = 1) -> ExperimentError:
    """Build the error for cells that were never recorded; `key` is the first of them."""
    more = f", nor of {missing - 1} more" if missing > 1 else ""
    said = describe("RECORDING_MISSING/cell", cell=key, more=more, missing=missing)
    return said.to_error(ExperimentError)
