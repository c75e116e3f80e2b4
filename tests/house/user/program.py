"""A program as a user writes it: type-checked by mypy and pyright, and run by a test."""

import asyncio
from collections.abc import Sequence
from typing import assert_type

from saniwa import (
    Gate,
    OracleBridge,
    Player,
    Process,
    Report,
    Rulebook,
    Run,
    RunService,
    Scenario,
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
)
from saniwa.definitions import (
    Action,
    ArtifactDefinition,
    Claim,
    EventDefinition,
    StateDefinition,
    Take,
    TransitionDefinition,
)
from saniwa.ports import CallBudget, Clock, Listener, Oracle, OracleAnswer, OracleRequest
from saniwa.results import Id, RunState, Say, Turn, Verdict
from saniwa.testing import CannedOracle, FixedClock


class PlainListener:
    """A listener of the user's own."""

    async def listen(
        self,
        text: str,
        actor: Id,
        world: World,
        calls: CallBudget,  # noqa: ARG002 - it asks no model
    ) -> Sequence[object]:
        """Hear what Saniwa hears."""
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

try:
    open_scenario("no_such_place")
except errors.SchemaValidationError as problem:
    assert_type(problem.hint, str)
