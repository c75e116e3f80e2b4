"""The loop with a flow: steps, gateways, checks, and variables of later steps."""

from saniwa.agent.definition import IterationBudget
from saniwa.agent.journal import MemoryJournal
from saniwa.models.oracle import OracleRequest
from tests.fakes.agents import make_definition, make_step
from tests.unit.agent.loop.agent_playing import KEYWORD, play_agent

_MOOD = {"type": "object", "properties": {"mood": {"type": "string"}}}


def test_a_flow_that_ends_before_the_completion_is_an_error() -> None:
    """A flow that ends before the completion holds is an error."""
    agent = make_definition(make_step("a", complete=True), completion=KEYWORD)

    result = play_agent(agent, ["one", "two"])

    assert result.error is not None
    assert "FLOW_ENDED" == result.error.code


def test_a_word_that_is_in_a_check_and_in_the_completion_does_both() -> None:
    """A keyword can pass a step's check and complete the agent at once."""
    check = {"type": "keyword", "keywords": ["DONE"], "on_pass": {"next": "b"}}
    agent = make_definition(make_step("a", check=check), make_step("b"), completion=KEYWORD)

    result = play_agent(agent, ["DONE"])

    assert (True, True, 1) == (result.success, result.summaries[0].passed, result.visits["b"])


def test_a_gateway_asks_no_model_and_leads_by_what_is_known() -> None:
    """A gateway takes the first matching route, without a model call or an iteration."""
    agent = make_definition(
        make_step("ask", schema=_MOOD, next="fork"),
        make_step(
            "fork",
            type="gateway",
            routes=[{"variable": "ask_mood", "equals": "good", "next": "sing"}, {"next": "rest"}],
        ),
        make_step("sing", complete=True),
        make_step("rest", complete=True),
    )

    good = play_agent(agent, ['{"mood": "good"}', "la"])
    bad = play_agent(agent, ['{"mood": "bad"}', "zzz"])

    assert ["ask", "sing"] == [s.step for s in good.summaries]
    assert ["ask", "rest"] == [s.step for s in bad.summaries]


def test_a_gateway_no_route_of_which_fits_is_an_error() -> None:
    """A gateway without a matching route is an error."""
    agent = make_definition(
        make_step("fork", type="gateway", routes=[{"variable": "x", "next": "a"}]),
        make_step("a", complete=True),
    )

    result = play_agent(agent, [])

    assert result.error is not None
    assert "ROUTE_MISSING" == result.error.code


def test_gateways_that_lead_round_in_a_ring_end() -> None:
    """A cycle of gateways is an error."""
    agent = make_definition(
        make_step("a", type="gateway", routes=[{"next": "b"}]),
        make_step("b", type="gateway", routes=[{"next": "a"}]),
        completion=KEYWORD,
    )

    result = play_agent(agent, [])

    assert result.error is not None
    assert "STEP_LOOP_LIMIT" == result.error.code


def test_sub_steps_are_played_in_order_with_the_whole_checked_last() -> None:
    """Sub-steps run in order, and their step's check sees the last answer."""
    check = {"type": "keyword", "keywords": ["all good"], "on_pass": {"complete": True}}
    agent = make_definition(
        make_step("whole", sub_steps=["one", "two"], check=check),
        make_step("one", type="subStep"),
        make_step("two", type="subStep"),
    )

    result = play_agent(agent, ["first", "all good"])

    assert (True, ["one", "two"]) == (result.success, [s.step for s in result.summaries])


def test_answers_that_are_objects_become_variables_of_later_steps() -> None:
    """The fields of a step's answer are variables in later prompts."""
    asked: list[str] = []

    def note_and_reply(request: OracleRequest) -> str:
        asked.append(request.messages[-1].text)
        return '{"name": "Mira"}' if len(asked) == 1 else "hello"

    agent = make_definition(
        make_step(
            "s.who",
            schema={"type": "object", "properties": {"name": {"type": "string"}}},
            next="greet",
        ),
        make_step("greet", prompt={"path": "greet.md"}, complete=True),
    )

    play_agent(agent, note_and_reply, prompts={"greet.md": "Greet {uv-s_who_name}."})

    assert "Greet Mira." == asked[1]


def test_a_word_in_the_run_that_exhausts_a_step_still_completes_the_agent() -> None:
    """A keyword in the run that fails a step for good still completes the agent."""
    check = {"type": "keyword", "keywords": ["ok"], "on_fail": {"retry": {"max_retries": 0}}}
    agent = make_definition(make_step("a", check=check), completion=KEYWORD)

    result = play_agent(agent, ["it is DONE"])

    assert (True, 1, False) == (result.success, result.total_iterations, result.summaries[0].passed)


def test_an_answer_that_does_not_follow_its_schema_has_not_been_given() -> None:
    """A step with a schema is retried until its answer follows it."""
    agent = make_definition(make_step("a", schema=_MOOD, complete=True))

    result = play_agent(agent, ["garbage", '{"mood": 3}', '{"mood": "good"}'])

    assert (True, 3) == (result.success, result.total_iterations)


def test_only_what_the_schema_names_is_carried_on() -> None:
    """Only fields that the schema names become variables."""
    journal = MemoryJournal()
    agent = make_definition(make_step("a", schema=_MOOD, complete=True))

    play_agent(agent, ['{"mood": "good", "other": "x"}'], journal=journal)

    state = next(e["state"] for e in journal.read_entries() if e["event"] == "iterationEnd")
    assert {"a_mood": "good"} == state["carry"]["accumulatedContext"]


def test_a_prompt_is_reported_with_how_many_rounds_there_really_are() -> None:
    """The remaining iterations in a prompt are those of the smallest limit."""
    asked: list[str] = []

    def note_and_reply(request: OracleRequest) -> str:
        asked.append(request.messages[-1].text)
        return "a"

    agent = make_definition(completion=IterationBudget(max_iterations=3))
    play_agent(
        agent,
        note_and_reply,
        prompts={"ask.md": "{uv-iteration}/{uv-max_iterations} {uv-remaining}"},
    )

    assert ["1/3 3", "2/3 2", "3/3 1"] == asked
