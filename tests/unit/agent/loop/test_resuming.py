"""Resuming a killed agent from its journal, without a repeated question or action."""

import asyncio
from typing import Any

import msgspec
import pytest

from saniwa.agent.definition import (
    ActionSettings,
    AgentDefinition,
    CheckBudget,
    IterationBudget,
    KeywordSignal,
)
from saniwa.agent.journal import MemoryJournal, read_journal
from saniwa.agent.layer_contracts import AgentResult, StartOptions
from saniwa.agent.port import AgentView
from saniwa.core.errors import LoopError, StoreError
from saniwa.models.oracle import OracleRequest
from saniwa.process.ruling import EventRefusal
from tests.fakes.agents import (
    FactAgentPort,
    build_agent,
    make_definition,
    make_flow,
    make_limits,
    make_step,
)

_THREE = IterationBudget(max_iterations=3)


def _make_agent(**more: Any) -> AgentDefinition:
    return make_definition(completion=_THREE, speaks=True, **more)


class _AgentPlay:
    """A run of an agent whose journal can be cut anywhere."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.floor = FactAgentPort(AgentView(facts={"turn": 0}))

    def reply_to(self, request: OracleRequest) -> str:
        self.asked.append(tuple(m.text for m in request.messages))
        return f"answer {len(request.messages)}"

    def run(
        self, journal: MemoryJournal, *, resume: bool, agent: AgentDefinition | None = None
    ) -> AgentResult:
        async def play() -> AgentResult:
            made = build_agent(
                agent or _make_agent(), self.reply_to, port=self.floor, journal=journal
            )
            await made.start(StartOptions(resume=resume))
            await made.wait()
            return await made.stop()

        return asyncio.run(play())


def _play_whole() -> tuple[_AgentPlay, list[dict[str, Any]], AgentResult]:
    play, journal = _AgentPlay(), MemoryJournal()
    result = play.run(journal, resume=False)
    return play, list(journal.read_entries()), result


def test_an_agent_cut_off_anywhere_comes_to_the_same_end() -> None:
    """After a cut at any entry, resuming gives the same summaries and end."""
    first, entries, whole = _play_whole()

    for cut in range(1, len(entries)):
        play = _AgentPlay()
        result = play.run(MemoryJournal(entries[:cut]), resume=True)

        assert whole.summaries == result.summaries, cut
        assert whole.completion_reason == result.completion_reason, cut
        assert first.asked[-len(play.asked) or len(first.asked) :] == play.asked, cut


def test_an_answer_that_had_come_is_not_asked_for_again() -> None:
    """An answer in the journal is not requested again."""
    _, entries, _ = _play_whole()
    events = [entry["event"] for entry in entries]
    cut = events.index("queryExecuted") + 1
    play = _AgentPlay()

    play.run(MemoryJournal(entries[:cut]), resume=True)

    assert 2 == len(play.asked)


def test_a_deed_is_done_again_under_the_same_name() -> None:
    """An action that is repeated after a crash has the same key."""
    first, entries, _ = _play_whole()
    cut = [entry["event"] for entry in entries].index("actionExecuted")
    play = _AgentPlay()

    play.run(MemoryJournal(entries[:cut]), resume=True)

    assert first.floor.spoken == play.floor.spoken


def test_the_conversation_is_resumed_where_it_stood() -> None:
    """The model gets the conversation from before the crash."""
    _, entries, _ = _play_whole()
    ends = [n for n, e in enumerate(entries) if e["event"] == "iterationEnd"]
    play = _AgentPlay()

    play.run(MemoryJournal(entries[: ends[1] + 1]), resume=True)

    assert ("What now?", "answer 1", "What now?", "answer 3", "What now?") == play.asked[0]


def test_an_agent_that_was_done_stays_done() -> None:
    """Resuming an agent that was complete calls no model, and has the same result."""
    _, entries, whole = _play_whole()
    play = _AgentPlay()

    result = play.run(MemoryJournal(entries), resume=True)

    assert (True, []) == (result.success, play.asked)
    assert whole.completion_reason == result.completion_reason


def test_a_journal_of_another_definition_is_refused() -> None:
    """The journal of an agent that was edited since is refused."""
    _, entries, _ = _play_whole()
    other = make_definition(flow=make_flow(make_step("x")), completion=_THREE)
    changed = msgspec.structs.replace(other, hash="another")

    with pytest.raises(LoopError) as refused:
        _AgentPlay().run(MemoryJournal(entries), resume=True, agent=changed)

    assert "JOURNAL_DIFFERS" == refused.value.code


def test_entries_no_agent_wrote_are_reported() -> None:
    """A malformed entry is an error with its number."""
    begun = {"event": "initialized", "agentRun": "a", "definition": "h"}

    with pytest.raises(StoreError, match="entry 2 of the journal"):
        read_journal([begun, {"event": "iterationEnd", "state": 3}])
    with pytest.raises(StoreError, match="entry 1 of the journal"):
        read_journal([{"event": "iterationStart", "iteration": 1}])
    with pytest.raises(StoreError, match="entry 2 of the journal"):
        read_journal([begun, {"event": "iterationStart", "iteration": "first"}])
    with pytest.raises(StoreError, match="entry 2 of the journal"):
        read_journal([begun, {"event": "stepChecked", "key": ["k"], "answer": None}])


def test_an_answer_that_had_come_is_carried_out_before_anyone_is_waited_for() -> None:
    """An answer from before the crash is carried out before the port is asked to wait."""
    _, entries, _ = _play_whole()
    cut = [entry["event"] for entry in entries].index("queryExecuted") + 1
    play = _AgentPlay()
    play.floor = FactAgentPort(AgentView(waits="somebody must act"))
    play.floor.patient = False

    result = play.run(MemoryJournal(entries[:cut]), resume=True)

    assert result.error is not None
    assert ("AGENT_WAITING", 1, 1) == (
        result.error.code,
        result.total_iterations,
        len(play.floor.spoken),
    )


def test_what_was_asked_and_answered_is_known_once() -> None:
    """An answer from before a crash is counted once in the history."""
    _, entries, whole = _play_whole()
    cut = [entry["event"] for entry in entries].index("queryExecuted") + 1
    journal = MemoryJournal(entries[:cut])
    _AgentPlay().run(journal, resume=True)

    past = read_journal(journal.read_entries()).past

    assert [s.assistant_responses[0] for s in whole.summaries] == list(past.texts)


def test_a_journal_that_is_missing_is_reported() -> None:
    """A journal with a step that the flow does not have is corrupt."""
    _, entries, _ = _play_whole()
    for entry in entries:
        if entry["event"] == "iterationEnd":
            entry["state"]["position"]["step"] = "nowhere"

    with pytest.raises(StoreError) as told:
        _AgentPlay().run(MemoryJournal(entries[:-1]), resume=True)

    assert "TRACE_CORRUPT" == told.value.code


def test_checks_are_counted_over_a_crash() -> None:
    """Checks from before a crash count towards a budget of checks."""
    check = {"type": "prompt", "prompt": {"path": "ask.md"}}
    agent = make_definition(
        flow=make_flow(make_step("a", check=check)), completion=CheckBudget(max_checks=2)
    )
    journal = MemoryJournal()
    said = ["one", '{"result": "ok"}', "two", '{"result": "ok"}']

    async def play(journal: MemoryJournal, said: list[str]) -> AgentResult:
        made = build_agent(agent, said, journal=journal)
        await made.start(StartOptions(resume=True))
        await made.wait()
        return await made.stop()

    whole = asyncio.run(play(journal, said))
    entries = list(journal.read_entries())
    cut = [e["event"] for e in entries].index("iterationEnd") + 1
    half = MemoryJournal(entries[:cut])
    result = asyncio.run(play(half, said[2:]))

    assert (True, 2) == (whole.success, whole.total_iterations)
    assert whole.completion_reason == result.completion_reason
    assert said == list(read_journal(half.read_entries()).past.texts)


def _resume_agent(
    agent: AgentDefinition, said: list[str], journal: MemoryJournal, **more: Any
) -> AgentResult:
    async def play() -> AgentResult:
        made = build_agent(agent, said, journal=journal, **more)
        await made.start(StartOptions(resume=True))
        await made.wait()
        return await made.stop()

    return asyncio.run(play())


def test_an_end_of_the_walk_stays_the_end() -> None:
    """Resuming an agent whose flow ended with an error gives the same error."""
    check = {"type": "keyword", "keywords": ["ok"], "on_fail": {"retry": {"max_retries": 0}}}
    agent = make_definition(make_step("a", check={**check, "on_pass": {"complete": True}}))
    journal = MemoryJournal()

    first = _resume_agent(agent, ["no"], journal)
    again = _resume_agent(agent, ["ok"], journal)

    assert first.error == again.error
    assert (1, "RETRIES_EXHAUSTED") == (
        again.total_iterations,
        read_journal(journal.read_entries()).became,
    )


def test_an_agent_that_was_done_is_still_done_in_its_journal() -> None:
    """The journal of a complete agent is recognised as ended."""
    journal = MemoryJournal()
    _resume_agent(make_definition(), ["a"], journal)
    _resume_agent(make_definition(), [], journal)

    story = read_journal(journal.read_entries())

    assert ("done", True) == (story.became, story.ended)


def test_an_escalation_that_could_not_be_reported_is_reported_before_anything_else() -> None:
    """An escalation that could not be sent is sent before anything else on resuming."""
    told: list[str] = []

    class DeafNotifier:
        async def notify(self, *_: object) -> None:
            raise LoopError("ESCALATION_UNDELIVERED", "deaf", recoverable=True)

    class HearingNotifier:
        async def notify(self, address: str, _: object) -> None:
            told.append(address)

    check = {
        "type": "keyword",
        "keywords": ["ok"],
        "on_pass": {"complete": True},
        "on_fail": {"escalate": True},
    }
    escalation = {"escalate_to": "http://x/", "notification_method": "webhook"}
    agent = make_definition(make_step("a", check=check, escalation=escalation))
    journal = MemoryJournal()

    first = _resume_agent(agent, ["no"], journal, notifier=DeafNotifier())
    again = _resume_agent(agent, ["ok"], journal, notifier=HearingNotifier())

    assert first.error is not None
    assert ("ESCALATION_UNDELIVERED", ["http://x/"]) == (first.error.code, told)
    assert (True, 2) == (again.success, again.total_iterations)


@pytest.mark.parametrize(
    "spoilt", [{"agentRun": 3}, {"about": "text"}, {"definition": None}, {"arguments": {"a": 1}}]
)
def test_a_start_request_that_is_invalid_is_reported(spoilt: dict[str, Any]) -> None:
    """A malformed beginning of a journal is corrupt."""
    begun = {"event": "initialized", "agentRun": "a", "definition": "h", **spoilt}

    with pytest.raises(StoreError) as told:
        read_journal([begun])

    assert "TRACE_CORRUPT" == told.value.code


def test_refused_submissions_are_counted_across_a_resume() -> None:
    """Refused submissions are counted across a resume."""
    sent = '```action\n{"type": "submit", "event": "go"}\n```'
    actions = ActionSettings(enabled=True, types=("submit",))
    completion = KeywordSignal(completion_keyword="DONE")
    journal, floor = MemoryJournal(), FactAgentPort(AgentView(facts={"revision": 1}))
    floor.rulings = [EventRefusal(code="GUARD_FAILED", message="no", hint="")] * 60

    def run(most: int, *, resume: bool) -> AgentResult:
        agent = make_definition(
            completion=completion, actions=actions, limits=make_limits(max_iterations=most)
        )

        async def play() -> AgentResult:
            made = build_agent(agent, [sent] * 60, port=floor, journal=journal)
            await made.start(StartOptions(resume=resume))
            await made.wait()
            return await made.stop()

        return asyncio.run(play())

    codes = [run(3, resume=False), run(60, resume=True), run(60, resume=True)]

    assert ["AGENT_MAX_ITERATIONS", "SUBMISSION_REPEATED", "SUBMISSION_REPEATED"] == [
        each.error and each.error.code for each in codes
    ]
    assert 6 == len(floor.handed)
