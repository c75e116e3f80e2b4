"""The loop's journal and notices: events, costs, escalations."""

from collections.abc import Mapping
from typing import Any

from saniwa.agent.definition import CompositeCompletion, IterationBudget
from saniwa.agent.journal import MemoryJournal
from tests.fakes.agents import FactAgentPort, make_definition, make_step
from tests.unit.agent.loop.agent_playing import KEYWORD, play_agent


def test_what_happens_is_written_down_in_order() -> None:
    """The journal has an iteration's events in order."""
    journal = MemoryJournal()

    play_agent(make_definition(completion=KEYWORD), ["DONE"], journal=journal)

    assert [
        "initialized",
        "iterationStart",
        "promptBuilt",
        "queryExecuted",
        "completionChecked",
        "iterationEnd",
        "completed",
    ] == [entry["event"] for entry in journal.read_entries()]


def test_a_webhook_is_reported_an_escalation() -> None:
    """An escalation is sent to its webhook, with step and reason."""
    told: list[tuple[str, Mapping[str, Any]]] = []

    class KeptNotifier:
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
    agent = make_definition(make_step("a", check=check, escalation=escalation))

    result = play_agent(agent, ["no"], notifier=KeptNotifier())

    assert result.error is not None
    assert ("http://127.0.0.1/alarm", "a") == (told[0][0], told[0][1]["step"])
    assert "AGENT_ESCALATED" == result.error.code


def test_an_undelivered_escalation_is_an_error() -> None:
    """An escalation that cannot be sent is an error."""
    check = {
        "type": "keyword",
        "keywords": ["ok"],
        "on_fail": {"escalate": True},
        "on_pass": {"complete": True},
    }
    escalation = {"escalate_to": "http://x", "notification_method": "webhook"}
    agent = make_definition(make_step("a", check=check, escalation=escalation))

    result = play_agent(agent, ["no"])

    assert result.error is not None
    assert "ESCALATION_UNDELIVERED" == result.error.code


def test_a_check_that_asks_a_model_leaves_its_turn_no_further_call() -> None:
    """A check with a model counts towards the calls of its turn."""
    check = {"type": "prompt", "prompt": {"path": "ask.md"}}
    once = IterationBudget(max_iterations=1)
    plain, checked = FactAgentPort(), FactAgentPort()

    play_agent(make_definition(completion=once, speaks=True), ["hm"], port=plain)
    play_agent(
        make_definition(make_step("a", check=check), completion=once, speaks=True),
        ["hm", '{"result": "ok"}'],
        port=checked,
    )

    assert ([1], [2]) == (plain.calls, checked.calls)


def test_each_condition_of_several_is_written_down() -> None:
    """The journal has the result of each completion in every iteration."""
    journal = MemoryJournal()
    both = CompositeCompletion(mode="all", conditions=(KEYWORD, IterationBudget(max_iterations=2)))

    play_agent(make_definition(completion=both), ["a", "DONE"], journal=journal)

    states = [e["states"] for e in journal.read_entries() if e["event"] == "completionChecked"]
    assert [
        {"keywordSignal": False, "iterationBudget": False},
        {"keywordSignal": True, "iterationBudget": True},
    ] == states


def test_what_a_check_costs_is_counted_in_its_iteration() -> None:
    """The cost of a check is counted in its iteration."""
    check = {"type": "prompt", "prompt": {"path": "ask.md"}, "on_pass": {"complete": True}}

    result = play_agent(make_definition(make_step("a", check=check)), ["hm", '{"result": "ok"}'])

    assert (True, 2, 2) == (result.success, result.usage.calls, result.summaries[0].usage.calls)


def test_an_answer_is_made_to_last_before_anything_is_done_with_it() -> None:
    """The entries with an answer and with the end of an iteration are synced."""
    lasting: list[str] = []

    class WatchedJournal(MemoryJournal):
        def append(self, entry: Mapping[str, Any], *, lasting: bool = False) -> None:
            super().append(entry, lasting=lasting)
            if lasting:
                kept.append(entry["event"])

    kept = lasting
    play_agent(make_definition(), ["a"], journal=WatchedJournal())

    assert ["initialized", "queryExecuted", "iterationEnd", "completed"] == kept


def test_an_escalation_is_in_the_journal() -> None:
    """An escalation is in the journal with step, target and reason."""
    journal = MemoryJournal()
    check = {
        "type": "keyword",
        "keywords": ["ok"],
        "on_pass": {"complete": True},
        "on_fail": {"escalate": True},
    }
    escalation = {"escalate_to": "the cook", "notification_method": "log", "return_flow": "abort"}

    play_agent(
        make_definition(make_step("a", check=check, escalation=escalation)), ["no"], journal=journal
    )

    (told,) = (e for e in journal.read_entries() if e["event"] == "escalated")
    assert ("a", "the cook", "log", "abort") == (
        told["step"],
        told["to"],
        told["how"],
        told["returnFlow"],
    )
