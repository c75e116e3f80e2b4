"""The loop: what ends it, what it carries, what it writes down."""

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from saniwa.agent.contract import StartOptions
from saniwa.agent.definition import (
    AgentDefinition,
    Composite,
    ExternalState,
    IterationBudget,
    KeywordSignal,
)
from saniwa.agent.floor import View
from saniwa.agent.journal.story import MemoryJournal
from saniwa.agent.oracle import Answer, Request
from saniwa.agent.progress import AgentResult
from saniwa.core.errors import LoopError, SdkConnectionError
from saniwa.process.ruling import Refused
from tests.fakes.agents import (
    FactFloor,
    Said,
    asking,
    built,
    definition,
    flow,
    limits,
    quiet_turn,
    step,
)


def _run(agent: AgentDefinition, said: Said, **more: Any) -> AgentResult:
    async def play() -> AgentResult:
        made = built(agent, said, **more)
        await made.start(StartOptions())
        await made.wait()
        return await made.stop()

    return asyncio.run(play())


_KEYWORD = KeywordSignal(completion_keyword="DONE")
_MOOD = {"type": "object", "properties": {"mood": {"type": "string"}}}


def test_a_keyword_ends_the_loop_in_the_iteration_it_appears_in() -> None:
    """What the model says counts at once, not one iteration later."""
    result = _run(definition(completion=_KEYWORD), ["working", "it is DONE", "never"])

    assert (True, 2) == (result.success, result.total_iterations)
    assert "it is DONE" == result.summaries[-1].assistant_responses[0]


def test_an_iteration_budget_that_is_used_up_is_done() -> None:
    """Rounds that were asked for are done when they are played."""
    result = _run(definition(completion=IterationBudget(max_iterations=3)), ["a"] * 9)

    assert (True, 3, None) == (result.success, result.total_iterations, result.error)


def test_a_limit_is_no_success() -> None:
    """Reaching the hard stop is an error, whatever was said."""
    result = _run(
        definition(completion=_KEYWORD, limits=limits(max_iterations=2)), ["a"] * 9
    )

    assert result.error is not None
    assert (False, 2, "AGENT_MAX_ITERATIONS") == (
        result.success,
        result.total_iterations,
        result.error.code,
    )


def test_summaries_are_as_many_as_iterations() -> None:
    """Every iteration leaves one summary."""
    result = _run(definition(completion=_KEYWORD), ["a", "b", "DONE"])

    assert [1, 2, 3] == [s.iteration for s in result.summaries]
    assert result.total_iterations == len(result.summaries)


def test_a_bridge_error_is_the_loops_error() -> None:
    """A model that cannot be reached is no summary line."""

    def gone(_: Request) -> Answer:
        raise SdkConnectionError("BRIDGE_CONNECTION", "gone", recoverable=True)

    result = _run(definition(completion=_KEYWORD), gone)

    assert result.error is not None
    assert (False, "BRIDGE_CONNECTION", True, 0) == (
        result.success,
        result.error.code,
        result.error.recoverable,
        result.total_iterations,
    )


def test_a_mistake_of_a_part_still_ends_with_a_result() -> None:
    """Whatever goes wrong inside, the loop says so and ends."""

    def broken(_: Request) -> Answer:
        raise ZeroDivisionError("oops")

    result = _run(definition(completion=_KEYWORD), broken)

    assert result.error is not None
    assert ("AGENT_FAILED", "ZeroDivisionError: oops") == (
        result.error.code,
        result.error.message,
    )


def test_a_flow_walked_to_its_end_is_done() -> None:
    """With a step machine, the end of the flow is the end of the agent."""
    agent = definition(step("a", next="b"), step("b", complete=True))

    result = _run(agent, ["one", "two"])

    assert (True, ["a", "b"]) == (result.success, [s.step for s in result.summaries])


def test_an_empty_answer_is_not_done() -> None:
    """A step whose answer is empty has not been run: it is retried, then an error."""
    agent = definition(step("a", complete=True))

    result = _run(agent, ["", "  ", "", "\n", "never"])

    assert result.error is not None
    assert ("RETRIES_EXHAUSTED", 4) == (result.error.code, result.total_iterations)


def test_a_flow_that_ends_before_the_completion_is_an_error() -> None:
    """An end nobody calls done is no success."""
    agent = definition(step("a", complete=True), completion=_KEYWORD)

    result = _run(agent, ["one", "two"])

    assert result.error is not None
    assert "FLOW_ENDED" == result.error.code


def test_a_word_that_is_in_a_check_and_in_the_completion_does_both() -> None:
    """The step's keywords are looked at first, the completion's after, and both react."""
    check = {"type": "keyword", "keywords": ["DONE"], "on_pass": {"next": "b"}}
    agent = definition(step("a", check=check), step("b"), completion=_KEYWORD)

    result = _run(agent, ["DONE"])

    assert (True, True, 1) == (
        result.success,
        result.summaries[0].passed,
        result.visits["b"],
    )


def test_a_gateway_asks_nobody_and_leads_by_what_is_known() -> None:
    """The first route that fits is taken, without an iteration."""
    agent = definition(
        step("ask", schema=_MOOD, next="fork"),
        step(
            "fork",
            type="gateway",
            routes=[
                {"variable": "ask_mood", "equals": "good", "next": "sing"},
                {"next": "rest"},
            ],
        ),
        step("sing", complete=True),
        step("rest", complete=True),
    )

    good = _run(agent, ['{"mood": "good"}', "la"])
    bad = _run(agent, ['{"mood": "bad"}', "zzz"])

    assert ["ask", "sing"] == [s.step for s in good.summaries]
    assert ["ask", "rest"] == [s.step for s in bad.summaries]


def test_a_gateway_no_route_of_which_fits_is_an_error() -> None:
    """Nobody guesses a way."""
    agent = definition(
        step("fork", type="gateway", routes=[{"variable": "x", "next": "a"}]),
        step("a", complete=True),
    )

    result = _run(agent, [])

    assert result.error is not None
    assert "ROUTE_MISSING" == result.error.code


def test_gateways_that_lead_round_in_a_ring_end() -> None:
    """A ring of gateways asks nobody and still ends."""
    agent = definition(
        step("a", type="gateway", routes=[{"next": "b"}]),
        step("b", type="gateway", routes=[{"next": "a"}]),
        completion=_KEYWORD,
    )

    result = _run(agent, [])

    assert result.error is not None
    assert "STEP_LOOP_LIMIT" == result.error.code


def test_sub_steps_are_played_in_order_with_the_whole_checked_last() -> None:
    """The check of the whole looks at what the last part said."""
    check = {"type": "keyword", "keywords": ["all good"], "on_pass": {"complete": True}}
    agent = definition(
        step("whole", sub_steps=["one", "two"], check=check),
        step("one", type="subStep"),
        step("two", type="subStep"),
    )

    result = _run(agent, ["first", "all good"])

    assert (True, ["one", "two"]) == (
        result.success,
        [s.step for s in result.summaries],
    )


def test_answers_that_are_objects_become_variables_of_later_steps() -> None:
    """A step's output is `{uv-step_key}` afterwards."""
    asked: list[str] = []

    def reply(request: Request) -> str:
        asked.append(request.messages[-1].text)
        return '{"name": "Mira"}' if len(asked) == 1 else "hello"

    agent = definition(
        step(
            "s.who",
            schema={"type": "object", "properties": {"name": {"type": "string"}}},
            next="greet",
        ),
        step("greet", prompt={"path": "greet.md"}, complete=True),
    )

    _run(agent, reply, prompts={"greet.md": "Greet {uv-s_who_name}."})

    assert "Greet Mira." == asked[1]


def test_external_state_ends_the_loop_after_the_iteration_that_made_it_so() -> None:
    """What the floor says after an iteration counts in it."""
    floor = FactFloor(View(), View(facts={"goal_reached": True}))
    agent = definition(completion=ExternalState())

    result = _run(agent, ["go"], floor=floor)

    assert (True, 1) == (result.success, result.total_iterations)


def test_an_agent_that_must_wait_asks_no_model_meanwhile() -> None:
    """Where somebody else must act, the loop waits and goes on when they have."""
    floor = FactFloor(View(waits="a reviewer must act"), View())

    result = _run(definition(completion=_KEYWORD), ["DONE"], floor=floor)

    assert (True, 1) == (result.success, floor.waited)


def test_an_agent_nobody_lets_wait_stops_and_can_go_on_later() -> None:
    """Waiting that cannot be done here is an error that says it can be taken up again."""
    floor = FactFloor(View(waits="a reviewer must act"))
    floor.patient = False

    result = _run(definition(completion=_KEYWORD), [], floor=floor)

    assert result.error is not None
    assert ("AGENT_WAITING", True, "a reviewer must act") == (
        result.error.code,
        result.error.recoverable,
        result.error.message,
    )


_BLOCK = """I hand it in.
```action
{"type": "submit", "event": "finish", "payload": {"n": 1},
 "artifacts": [{"path": "a.md", "content": "text"}]}
```
DONE"""


def _worker(**more: Any) -> AgentDefinition:
    actions = {"enabled": True, "types": ("submit",)}
    from saniwa.agent.definition import Actions

    return definition(completion=_KEYWORD, actions=Actions(**actions), **more)  # type: ignore[arg-type]


def test_blocks_in_an_answer_are_handed_in() -> None:
    """An action block becomes an event with its evidence, under a name of its own."""
    floor = FactFloor()

    result = _run(_worker(), [_BLOCK], floor=floor)

    handed, attempt = floor.handed[0]
    assert ("finish", {"n": 1}, "a.md") == (
        handed.event,
        handed.payload,
        handed.artifacts[0].path,
    )
    assert attempt.endswith(":1:0")
    assert result.summaries[0].action_results[0].success


def test_a_refusal_comes_back_as_guidance() -> None:
    """What the gate says no to stands in the next prompt, with the reason."""
    asked: list[str] = []
    floor = FactFloor()
    floor.rulings = [
        Refused(code="GUARD_FAILED", message="not yet", hint="bring a plan")
    ]

    def reply(request: Request) -> str:
        asked.append(request.messages[-1].text)
        return _BLOCK.removesuffix("DONE") if len(asked) == 1 else "DONE"

    _run(_worker(), reply, floor=floor, prompts={"ask.md": "Now:\n{uv-last_results}."})

    assert "Now:\n- submit: refused (GUARD_FAILED): not yet bring a plan." == asked[1]


def test_a_block_that_cannot_be_read_is_told_and_stops_nobody() -> None:
    """Bad JSON is written into the summary; the agent goes on."""
    said = "```action\n{broken\n```"

    result = _run(_worker(), [said, "DONE"], floor=FactFloor())

    assert result.success
    assert "action block 1: it is no JSON" in result.summaries[0].errors[0]


def test_an_agent_without_a_floor_cannot_hand_in() -> None:
    """An action with nowhere to go is an error, not silence."""
    result = _run(_worker(), [_BLOCK])

    assert result.error is not None
    assert "FLOOR_UNFIT" == result.error.code


def test_all_a_character_says_is_spoken() -> None:
    """A speaking agent's reply goes to its floor whole, under the turn it was made in."""
    floor = FactFloor(View(facts={"turn": 7}))
    agent = definition(completion=IterationBudget(max_iterations=1), speaks=True)

    _run(agent, ["Output: *take the key*"], floor=floor)

    words, attempt = floor.spoken[0]
    assert "Output: *take the key*" == words
    assert attempt.endswith(":1:0@7")


def test_a_conversation_is_carried_on_under_its_id() -> None:
    """The provider's session is handed back with each question."""
    counts: list[int] = []

    def reply(request: Request) -> str:
        counts.append(len(request.messages))
        return "a"

    _run(definition(completion=IterationBudget(max_iterations=3)), reply)

    assert [1, 3, 5] == counts


def test_without_history_every_question_stands_alone() -> None:
    """An agent that keeps no history tells the model nothing of before."""
    counts: list[int] = []

    def reply(request: Request) -> str:
        counts.append(len(request.messages))
        return "a"

    agent = definition(
        completion=IterationBudget(max_iterations=3), asking=asking(history=0)
    )
    _run(agent, reply)

    assert [1, 1, 1] == counts


def test_a_loop_begins_at_the_beginning() -> None:
    """Progress that has begun is refused: a journal carries a loop on."""
    from saniwa.agent.progress import Progress

    async def play() -> None:
        made = built(definition(), [])
        await made.start(StartOptions(paced=True))
        with pytest.raises(LoopError) as refused:
            await made.loop.run(Progress(iteration=1))
        assert "LOOP_BEGUN" == refused.value.code
        await made.stop()

    asyncio.run(play())


def test_what_happens_is_written_down_in_order() -> None:
    """The journal tells an iteration from its start to its end."""
    journal = MemoryJournal()

    _run(definition(completion=_KEYWORD), ["DONE"], journal=journal)

    assert [
        "initialized",
        "iterationStart",
        "promptBuilt",
        "queryExecuted",
        "completionChecked",
        "iterationEnd",
        "completed",
    ] == [entry["event"] for entry in journal.entries()]


def test_a_webhook_is_told_of_an_escalation() -> None:
    """The address hears which step could not be done, and why."""
    told: list[tuple[str, Mapping[str, Any]]] = []

    class Post:
        async def notify(self, address: str, message: Mapping[str, Any]) -> None:
            told.append((address, message))

    check = {
        "type": "keyword",
        "keywords": ["ok"],
        "on_fail": {"escalate": True},
        "on_pass": {"complete": True},
    }
    escalation = {
        "escalate_to": "http://127.0.0.1/alarm",
        "notification_method": "webhook",
        "return_flow": "abort",
    }
    agent = definition(step("a", check=check, escalation=escalation))

    result = _run(agent, ["no"], notifier=Post())

    assert result.error is not None
    assert ("http://127.0.0.1/alarm", "a") == (told[0][0], told[0][1]["step"])
    assert "AGENT_ESCALATED" == result.error.code


def test_an_escalation_nobody_hears_is_an_error() -> None:
    """Without anybody to tell, an escalation is not swallowed."""
    check = {
        "type": "keyword",
        "keywords": ["ok"],
        "on_fail": {"escalate": True},
        "on_pass": {"complete": True},
    }
    escalation = {"escalate_to": "http://x", "notification_method": "webhook"}
    agent = definition(step("a", check=check, escalation=escalation))

    result = _run(agent, ["no"])

    assert result.error is not None
    assert "ESCALATION_UNDELIVERED" == result.error.code


def test_composite_any_stops_asking_at_the_first_yes() -> None:
    """Of several conditions the first that holds is the reason."""
    both = Composite(
        mode="any",
        conditions=(_KEYWORD, IterationBudget(max_iterations=1)),
    )

    result = _run(definition(completion=both), ["DONE"])

    assert "DONE" in result.completion_reason


def test_a_long_loop_costs_the_same_at_its_end() -> None:
    """The prompt of a late iteration is as long as that of an early one."""
    lengths: list[int] = []

    def reply(request: Request) -> str:
        lengths.append(sum(len(m.text) for m in request.messages))
        return "a"

    agent = definition(
        flow=flow(step("only", max_iterations=200)),
        completion=IterationBudget(max_iterations=100),
    )
    _run(agent, reply)

    assert lengths[30] == lengths[-1]


def test_an_agent_that_waits_is_done_when_others_have_made_it_so() -> None:
    """What somebody else brought about ends the agent, without another question."""
    floor = FactFloor(
        View(facts={"is_final": False}),
        View(facts={"is_final": False}),
        View(waits="ended", facts={"is_final": True}),
    )
    agent = definition(completion=ExternalState(fact="is_final"))

    result = _run(agent, ["go"], floor=floor)

    assert (True, 1, 0) == (result.success, result.total_iterations, floor.waited)


def test_a_variable_nobody_knows_is_warned_about_once() -> None:
    """It stays in the prompt as it is, and the journal says so, not in every iteration."""
    journal = MemoryJournal()
    agent = definition(completion=IterationBudget(max_iterations=3))

    _run(agent, ["a"] * 3, journal=journal, prompts={"ask.md": "Go to {uv-nowhere}."})

    entries = list(journal.entries())
    warned = [e["code"] for e in entries if e["event"] == "warning"]
    prompts = [e["prompt"] for e in entries if e["event"] == "promptBuilt"]
    assert ["VARIABLE_UNDEFINED"] == warned
    assert ["Go to {uv-nowhere}."] * 3 == prompts


def test_the_last_run_that_is_allowed_may_complete_the_agent() -> None:
    """Ten runs in a row are allowed: what the tenth brings counts."""
    budget = IterationBudget(max_iterations=10)

    result = _run(definition(completion=budget), ["a"] * 20)

    assert (True, 10) == (result.success, result.total_iterations)


def test_a_word_in_the_run_that_exhausts_a_step_still_completes_the_agent() -> None:
    """The check says no, the completion says done, and both are heard."""
    check = {
        "type": "keyword",
        "keywords": ["ok"],
        "on_fail": {"retry": {"max_retries": 0}},
    }
    agent = definition(step("a", check=check), completion=_KEYWORD)

    result = _run(agent, ["it is DONE"])

    assert (True, 1, False) == (
        result.success,
        result.total_iterations,
        result.summaries[0].passed,
    )


def test_the_iteration_that_ends_an_agent_is_summed_up() -> None:
    """What was asked, said and done in the failing iteration stands in its summary."""
    check = {
        "type": "keyword",
        "keywords": ["ok"],
        "on_fail": {"retry": {"max_retries": 1}},
    }
    agent = definition(step("a", check={**check, "on_pass": {"complete": True}}))

    result = _run(agent, ["no", "no again"])

    assert result.error is not None
    assert ("RETRIES_EXHAUSTED", 2) == (result.error.code, result.error.iteration)
    assert ["no", "no again"] == [s.assistant_responses[0] for s in result.summaries]
    assert 2 == result.usage.calls


def test_an_answer_that_does_not_follow_its_schema_has_not_been_given() -> None:
    """A step with a schema is retried until its answer follows it."""
    agent = definition(step("a", schema=_MOOD, complete=True))

    result = _run(agent, ["garbage", '{"mood": 3}', '{"mood": "good"}'])

    assert (True, 3) == (result.success, result.total_iterations)


def test_only_what_the_schema_names_is_carried_on() -> None:
    """A model cannot fill an agent's memory with fields of its own."""
    journal = MemoryJournal()
    agent = definition(step("a", schema=_MOOD, complete=True))

    _run(agent, ['{"mood": "good", "other": "x"}'], journal=journal)

    state = next(e["state"] for e in journal.entries() if e["event"] == "iterationEnd")
    assert {"a_mood": "good"} == state["carry"]["accumulatedContext"]


def test_a_prompt_is_told_how_many_rounds_there_really_are() -> None:
    """The nearest of budget, limit and option is what remains."""
    asked: list[str] = []

    def reply(request: Request) -> str:
        asked.append(request.messages[-1].text)
        return "a"

    agent = definition(completion=IterationBudget(max_iterations=3))
    _run(
        agent,
        reply,
        prompts={"ask.md": "{uv-iteration}/{uv-max_iterations} {uv-remaining}"},
    )

    assert ["1/3 3", "2/3 2", "3/3 1"] == asked


def test_a_listener_that_fails_ends_no_agent() -> None:
    """It hears nothing more, and the journal says why."""
    journal = MemoryJournal()

    async def play() -> AgentResult:
        made = built(definition(), ["a"], journal=journal)
        made.bell.on("promptBuilt", lambda entry: entry["nowhere"])
        await made.start(StartOptions())
        await made.wait()
        return await made.stop()

    result = asyncio.run(play())

    warned = [e["message"] for e in journal.entries() if e["event"] == "warning"]
    assert result.success
    assert ["a listener failed: KeyError: 'nowhere'"] == warned


def test_a_check_that_asks_a_model_leaves_its_turn_no_further_call() -> None:
    """The floor is told what a turn costs, the check that follows included."""
    check = {"type": "prompt", "prompt": {"path": "ask.md"}}
    once = IterationBudget(max_iterations=1)
    plain, checked = FactFloor(), FactFloor()

    _run(definition(completion=once, speaks=True), ["hm"], floor=plain)
    _run(
        definition(step("a", check=check), completion=once, speaks=True),
        ["hm", '{"result": "ok"}'],
        floor=checked,
    )

    assert ([1], [2]) == (plain.calls, checked.calls)


def test_each_condition_of_several_is_written_down() -> None:
    """The journal says what each of them said, in every iteration."""
    journal = MemoryJournal()
    both = Composite(
        mode="all", conditions=(_KEYWORD, IterationBudget(max_iterations=2))
    )

    _run(definition(completion=both), ["a", "DONE"], journal=journal)

    states = [
        e["states"] for e in journal.entries() if e["event"] == "completionChecked"
    ]
    assert [
        {"keywordSignal": False, "iterationBudget": False},
        {"keywordSignal": True, "iterationBudget": True},
    ] == states


def test_what_a_refusal_in_a_world_is_called_is_not_told() -> None:
    """A code would tell what is hidden from what is not there at all."""
    from saniwa.turn.trace import Rejection

    asked: list[str] = []
    floor = FactFloor()
    turn = quiet_turn("x")
    floor.turns = [
        msgspec.structs.replace(
            turn,
            rejections=(
                Rejection(index=0, code="UNKNOWN_TYPE", message="You cannot."),
            ),
        )
    ]

    def reply(request: Request) -> str:
        asked.append(request.messages[-1].text)
        return "a"

    agent = definition(completion=IterationBudget(max_iterations=2), speaks=True)
    _run(agent, reply, floor=floor, prompts={"ask.md": "Now:\n{uv-last_results}"})

    assert "Now:\n- speak: refused: You cannot." == asked[1]


def test_what_a_check_costs_is_counted_in_its_iteration() -> None:
    """A check that asks a model is a call like any other."""
    check = {
        "type": "prompt",
        "prompt": {"path": "ask.md"},
        "on_pass": {"complete": True},
    }

    result = _run(definition(step("a", check=check)), ["hm", '{"result": "ok"}'])

    assert (True, 2, 2) == (
        result.success,
        result.usage.calls,
        result.summaries[0].usage.calls,
    )


def test_an_answer_is_made_to_last_before_anything_is_done_with_it() -> None:
    """What must survive a power cut is written so: the answer, and the iteration's end."""
    lasting: list[str] = []

    class Watched(MemoryJournal):
        def append(self, entry: Mapping[str, Any], *, lasting: bool = False) -> None:
            super().append(entry, lasting=lasting)
            if lasting:
                kept.append(entry["event"])

    kept = lasting
    _run(definition(), ["a"], journal=Watched())

    assert ["initialized", "queryExecuted", "iterationEnd", "completed"] == kept


def test_an_escalation_stands_in_the_journal() -> None:
    """Who escalated, to whom and why is written down, also where nobody else is told."""
    journal = MemoryJournal()
    check = {
        "type": "keyword",
        "keywords": ["ok"],
        "on_pass": {"complete": True},
        "on_fail": {"escalate": True},
    }
    escalation = {
        "escalate_to": "the cook",
        "notification_method": "log",
        "return_flow": "abort",
    }

    _run(
        definition(step("a", check=check, escalation=escalation)),
        ["no"],
        journal=journal,
    )

    (told,) = (e for e in journal.entries() if e["event"] == "escalated")
    assert ("a", "the cook", "log", "abort") == (
        told["step"],
        told["to"],
        told["how"],
        told["returnFlow"],
    )


def test_an_event_brings_no_more_artifacts_than_anybody_could_look_at() -> None:
    """Fifty are taken, fifty-one are refused before a file is written."""
    floor = FactFloor()
    many = [{"path": f"{n}.md", "content": "x"} for n in range(51)]
    block = f"```action\n{msgspec.json.encode({'type': 'submit', 'event': 'e', 'artifacts': many}).decode()}\n```\nDONE"

    result = _run(_worker(), [block], floor=floor)

    assert [] == floor.handed
    assert "more than 50 artifacts" in result.summaries[0].action_results[0].message


def test_a_conversation_that_was_lost_is_warned_of() -> None:
    """A provider that forgets goes on in a new conversation, and the journal says so."""
    journal = MemoryJournal()
    agent = definition(completion=IterationBudget(max_iterations=2))

    async def play() -> None:
        made = built(agent, ["a", "b"], journal=journal)
        await made.start(StartOptions(paced=True))
        await made.take_turn()
        made.loop.progress = msgspec.structs.replace(
            made.loop.progress, conversation_id="forgotten"
        )
        await made.take_turn()
        await made.stop()

    asyncio.run(play())

    warned = [e["message"] for e in journal.entries() if e["event"] == "warning"]
    assert ["the conversation was lost; a new one began"] == warned
