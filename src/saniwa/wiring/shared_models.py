"""Models that everybody at a table shares: opened once each, counted and closed together."""

from collections.abc import Iterable
from typing import Protocol

import msgspec

from saniwa.agent.bridges.bridge import Bridge
from saniwa.agent.bridges.metered import Meter
from saniwa.agent.bridges.past import Past
from saniwa.agent.definition import AgentDefinition, Asking, Limits
from saniwa.agent.oracle import Answer, Hear, Oracle, Request, Usage
from saniwa.core.finding import Finding
from saniwa.wiring.model_named import unnamed


class OpenOracle(Protocol):
    """Opens the oracle that an asking names."""

    def __call__(self, asking: Asking, meter: Meter, folder: str | None) -> Oracle:
        """The oracle, counted by the meter; files it names lie in the folder."""
        ...


class SharedModels:
    """The models of one table.

    What the user names goes before what an agent's definition names.
    """

    def __init__(
        self,
        opened: OpenOracle,
        *,
        use: str = "",
        url: str = "",
        meter: Meter | None = None,
        mended: Iterable[Finding] = (),
    ) -> None:
        """Models that `opened` opens; the meter counts for all of them together."""
        self.mended = tuple(mended)
        """What a crash had left unfinished of the tape, and was cut off: warnings."""
        self._open = opened
        self._use, self._url = use, url
        self._meter = meter or Meter(Limits())
        self._oracles = dict[tuple[object, ...], Counted]()

    @property
    def usage(self) -> Usage:
        """What all of them have cost at this table."""
        return total(oracle.usage for oracle in self._oracles.values())

    def bridge(self, agent: AgentDefinition | None = None) -> Bridge:
        """A way to the model an agent asks, or to the user's; it stays within both limits.

        Closing the way leaves the model open for the others.

        Raises:
            ConfigurationError: `MODEL_UNNAMED` where nobody names one, or it cannot be
                had.
        """
        asking = agent.asking if agent is not None else Asking(history=0)
        chosen = bool(self._use or self._url)
        if chosen:
            asking = msgspec.structs.replace(asking, use=self._use, url=self._url)
        if not asking.use and not asking.url:
            raise unnamed(
                "to listen or to tell"
                if agent is None
                else f"for the agent {agent.name!r}"
            )
        folder = agent.folder if agent is not None and not chosen else None
        own = agent.limits if agent is not None else Limits()
        return Bridge(Lent(self._oracle(asking, folder, own)), history=asking.history)

    async def close(self) -> None:
        """Let all of them go; more than once is no mistake."""
        for oracle in self._oracles.values():
            await oracle.close()

    def _oracle(self, asking: Asking, folder: str | None, own: Limits) -> Oracle:
        ceilings = (own.max_calls, own.max_tokens, own.max_cost)
        key = (asking.use, asking.url, folder, ceilings)
        if key not in self._oracles:
            alone = all(ceiling is None for ceiling in ceilings)
            meter = self._meter if alone else Meter(own, within=self._meter)
            self._oracles[key] = Counted(self._open(asking, meter, folder))
        return self._oracles[key]


def table_models(
    *,
    model: str = "",
    url: str = "",
    record: str | None = None,
    replay: str | None = None,
    limits: Limits | None = None,
    spent: Usage | None = None,
    past: Past | None = None,
) -> SharedModels:
    """The models of a table: live, kept on one tape, or answered from one.

    `spent` is what the run had cost before, `past` what was asked and answered in it:
    written and recorded answers go on after that.

    Raises:
        ConfigurationError: The recording is not there.
        StoreError: A tape cannot be read, or cannot be written.
    """
    from saniwa.wiring.model import open_oracle, open_replay, open_tape

    if replay is not None:
        tape = open_replay(replay, past=past)
        return SharedModels(lambda *_: tape, use=f"replay:{replay}")
    kept = open_tape(record) if record is not None else None

    def opened(asking: Asking, meter: Meter, folder: str | None) -> Oracle:
        return open_oracle(asking, limits=meter, folder=folder, record=kept, past=past)

    meter = Meter(limits or Limits(), spent)
    mended = tuple(kept.mended) if kept is not None else ()
    return SharedModels(opened, use=model, url=url, meter=meter, mended=mended)


def total(costs: Iterable[Usage]) -> Usage:
    """What several have cost together."""
    return sum(costs, Usage())


class Counted:
    """An oracle, and what it has cost."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self.usage = Usage()
        """What its answers have cost so far."""

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """The oracle's answer, counted.

        Raises:
            SdkBridgeError: What the oracle says.
        """
        answer = await self._oracle.answer(request, hear)
        self.usage += answer.usage
        return answer

    async def close(self) -> None:
        """Let go of the oracle; more than once is no mistake."""
        await self._oracle.close()


class Lent:
    """An oracle that somebody else will close."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """The oracle's answer.

        Raises:
            SdkBridgeError: What the oracle says.
        """
        return await self._oracle.answer(request, hear)

    async def close(self) -> None:
        """It stays open for the others."""
