"""A program as a user writes it: type-checked by mypy and pyright, and run by a test."""

import asyncio
from collections.abc import Sequence
from typing import assert_type

from saniwa import (
    Agent,
    AgentDefinition,
    DefaultAgentFactory,
    Experiment,
    ExperimentPlan,
    Gate,
    OracleBridge,
    Player,
    Process,
    Report,
    Rulebook,
    Run,
    RunService,
    Scenario,
    StartOptions,
    Story,
    World,
    errors,
    find_admissible_actions,
    judge,
    open_gate,
    open_rulebook,
    open_scenario,
    parse,
    parse_story,
    results,
    run_experiment,
)
from saniwa.definitions import (
    Action,
    AgentFlow,
    AgentStep,
    ArtifactDefinition,
    Claim,
    Condition,
    EventDefinition,
    IterationBudget,
    PromptReference,
    StateDefinition,
    Take,
    TransitionDefinition,
)
from saniwa.ports import CallBudget, Clock, Listener, Oracle, OracleAnswer, OracleRequest
from saniwa.results import Id, RunState, Say, Turn, Verdict
from saniwa.testing import CannedOracle, FixedClock, MemoryPromptResolver


class PlainListener:
    """A listener that a user wrote."""

    async def listen(
        self,
        text: str,
        actor: Id,
        world: World,
        calls: CallBudget,  # noqa: ARG002 - uses no model
    ) -> Sequence[object]:
        """Understand what Saniwa understands."""
        return parse(text, actor, world)


def answer(request: OracleRequest) -> OracleAnswer:
    """Answer with the question."""
    return OracleAnswer(text=request.messages[-1].text)


listener: Listener = PlainListener()
oracle: Oracle = CannedOracle(answer)
clock: Clock = FixedClock()
assert_type(OracleBridge(oracle).get_session_id(), str | None)

scenario = open_scenario(
    {"name": "hut", "locations": {"hut": {}}, "characters": {"ann": {"location": "hut"}}}
)
assert_type(scenario, Scenario)
book = open_rulebook("default")
assert_type(book, Rulebook)
verdict = judge(Take(actor_id=Id("ann"), target_id=Id("cup")), scenario.world, book)
assert_type(verdict, Verdict)
assert verdict.reason_code == "NOT_FOUND"
assert_type(find_admissible_actions(scenario.world, Id("ann"), book), tuple[Action, ...])

service = RunService.open("memory:", listener=listener)
run = service.begin(scenario)
assert_type(run, Run)
told = asyncio.run(run.say("look"))
assert_type(told.turn, Turn)
assert_type(told.step.directives, tuple[results.Directive, ...])

story = parse_story("# Rain\n\nIt rains. <!-- ending: rain -->\n")
assert_type(story, Story)
assert_type(story.report, Report)
first = Player(story.program).step().directives[0]
assert isinstance(first, Say)
assert_type(first.args.text, str)

process = Process(
    process_id="letter",
    version="1",
    name="Letter",
    initial_state="draft",
    states=(StateDefinition(name="draft"), StateDefinition(name="sent", is_final=True)),
    events=(EventDefinition(name="send", allowed_roles=("*",)),),
    transitions=(TransitionDefinition(source="draft", event="send", to="sent"),),
    artifacts=(ArtifactDefinition(type="letter"),),
)
gate = open_gate("memory:", clock=clock)
assert_type(gate, Gate)
letter = gate.create_run(process)
sent = gate.emit_event(
    run_id=letter.run_id,
    event_name="send",
    expected_revision=1,
    idempotency_key="send-1",
    artifacts=[Claim(type="letter", content="Dear Ann")],
)
assert sent["success"], sent
assert_type(gate.get_state(letter.run_id), RunState)

poet = AgentDefinition(
    version="1",
    name="poet",
    flow=AgentFlow(
        entry_step="write",
        steps={"write": AgentStep(id="write", prompt=PromptReference(path="write.md"))},
    ),
    completion=IterationBudget(max_iterations=1),
)


def resolve(*_: object) -> MemoryPromptResolver:
    """Find the prompts of the poet."""
    return MemoryPromptResolver({"write.md": "A line, please."}, system="You write.")


factory = DefaultAgentFactory(lambda _: OracleBridge(CannedOracle(["Rain."])), resolver=resolve)
agent = factory.build(poet)
assert_type(agent, Agent)


async def work() -> results.AgentResult:
    """Let the agent write."""
    await agent.start(StartOptions())
    return await agent.wait()


assert asyncio.run(work()).success

plan = ExperimentPlan(
    experiment_id="telling",
    scenarios=("coffee_trap",),
    conditions=(Condition(name="A", inject=False, gm=False), Condition(name="D")),
    seeds=(1,),
    max_turns=1,
)
assert_type(asyncio.run(run_experiment(plan, report=False)), Experiment)

try:
    open_scenario("no_such_place")
except errors.SchemaValidationError as problem:
    assert_type(problem.hint, str)
