"""Small agents for tests: a flow as data, prompts in memory, prepared answers."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from saniwa.agent.bridge import OracleBridge
from saniwa.agent.definition import (
    AgentDefinition,
    AgentFlow,
    AgentLimits,
    AgentStep,
    CompletionDefinition,
    ModelSettings,
)
from saniwa.agent.journal import MemoryJournal
from saniwa.agent.loop.lifecycle import Agent, DefaultAgentFactory
from saniwa.agent.port import AgentPort, AgentSubmission, AgentView
from saniwa.agent.prompt_resolver import MemoryPromptResolver
from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.oracle import Oracle, OracleAnswer, OracleRequest
from saniwa.models.recording import AgentJournal
from saniwa.process.ruling import EventAcceptance, Ruling
from saniwa.turn.record import Turn


def make_step(id: str, **more: Any) -> AgentStep:
    """A step with a prompt, unless `more` changes that; parts may be written as data."""
    asks = (
        {}
        if more.get("type") == "gateway" or "sub_steps" in more
        else {"prompt": {"path": "ask.md"}}
    )
    return msgspec.convert({"id": id, **asks, **_to_camel(more)}, AgentStep)


def _to_camel(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_to_camel_case(k): _to_camel(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_to_camel(each) for each in value]
    return value


def _to_camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


def make_flow(*steps: AgentStep, **more: Any) -> AgentFlow:
    """A flow that starts with its first step."""
    return AgentFlow(entry_step=steps[0].id, steps={s.id: s for s in steps}, **more)


def make_definition(
    *steps: AgentStep, completion: CompletionDefinition | None = None, **more: Any
) -> AgentDefinition:
    """An agent with these steps."""
    if completion is not None:
        more["completion"] = completion
    usual = make_step("only", complete=completion is None)
    flowing = more.pop("flow", None) or make_flow(*(steps or (usual,)))
    return AgentDefinition(version="1.0.0", name="tester", flow=flowing, hash="h", **more)


def make_model_settings(**more: Any) -> ModelSettings:
    """The model settings of a test's agent."""
    return ModelSettings(**more)


def make_limits(**more: Any) -> AgentLimits:
    """The limits of a test's agent."""
    return AgentLimits(**more)


Said = Iterable[str | OracleAnswer] | Callable[[OracleRequest], str | OracleAnswer] | Oracle


def build_agent(
    agent: AgentDefinition,
    said: Said,
    *,
    port: AgentPort | None = None,
    journal: AgentJournal | None = None,
    prompts: Mapping[str, str] | None = None,
    **more: Any,
) -> Agent:
    """Build the agent, with prepared answers."""
    oracle: Any = said if hasattr(said, "answer") else CannedOracle(said)
    kept = journal or MemoryJournal()
    texts = {"ask.md": "What now?", **(prompts or {})}
    factory = DefaultAgentFactory(
        lambda d: OracleBridge(oracle, history=d.asking.history),
        port=port,
        journal=lambda _: kept,
        resolver=lambda _, warn: MemoryPromptResolver(texts, system="You are a tester.", warn=warn),
        ids=CountingIds(),
        clock=FixedClock(),
        **more,
    )
    return factory.build(agent)


_TAKEN = EventAcceptance(event_id="evt-1", from_state="a", to_state="b", new_revision=2)


class FactAgentPort:
    """A port that returns prepared views, turns and rulings, and accepts every event by default.

    A repeated attempt gets its first answer, as with every port.
    """

    def __init__(self, *views: AgentView) -> None:
        self.views = list(views) or [AgentView()]
        self.spoken: list[tuple[str, str]] = []
        self.calls: list[int] = []
        self.handed: list[tuple[AgentSubmission, str]] = []
        self.turns: list[Turn] = []
        self.rulings: list[Ruling] = []
        self.done: dict[str, Turn | Ruling] = {}
        self.waited = 0
        self.patient = True

    def view(self) -> AgentView:
        """The next view; the last one repeats."""
        return self.views.pop(0) if len(self.views) > 1 else self.views[0]

    async def speak(self, words: str, attempt: str, *, calls: int = 1) -> Turn:
        """The next prepared turn, or a quiet one."""
        self.spoken.append((words, attempt))
        self.calls.append(calls)
        turn = self.done.get(attempt)
        if not isinstance(turn, Turn):
            turn = self.turns.pop(0) if self.turns else make_quiet_turn(words)
            self.done[attempt] = turn
        return turn

    async def submit(self, handed: AgentSubmission, attempt: str) -> Ruling:
        """The next prepared ruling, or an acceptance."""
        self.handed.append((handed, attempt))
        ruling = self.done.get(attempt)
        if ruling is None or isinstance(ruling, Turn):
            ruling = self.rulings.pop(0) if self.rulings else _TAKEN
            self.done[attempt] = ruling
        return ruling

    async def wait(self) -> bool:
        """Return at once whether something has happened."""
        self.waited += 1
        return self.patient


def make_quiet_turn(words: str, number: int = 0) -> Turn:
    """A turn in which nothing happened."""
    return Turn(
        id=f"turn-{number}",
        number=number,
        actor_id="anna",  # type: ignore[arg-type]
        raw_text=words,
        parsed_actions=(),
        normalized_actions=(),
        validation_results=(),
        applied_actions=(),
        timestamp=0,
    )
