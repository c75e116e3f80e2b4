"""The actions of an answer: spoken words and submitted evidence."""

from typing import Any

import msgspec

from saniwa.agent.definition import AgentDefinition, IterationBudget
from saniwa.agent.port import AgentView
from saniwa.models.oracle import OracleRequest
from saniwa.process.ruling import EventAcceptance, EventRefusal
from tests.fakes.agents import FactAgentPort, make_definition, make_quiet_turn
from tests.unit.agent.loop.agent_playing import KEYWORD, play_agent

_BLOCK = """I hand it in.
```action
{"type": "submit", "event": "finish", "payload": {"n": 1},
 "artifacts": [{"path": "a.md", "content": "text"}]}
```
DONE"""


def _make_worker(**more: Any) -> AgentDefinition:
    actions = {"enabled": True, "types": ("submit",)}
    from saniwa.agent.definition import ActionSettings

    return make_definition(completion=KEYWORD, actions=ActionSettings(**actions), **more)  # type: ignore[arg-type]


def test_blocks_in_an_answer_are_submitted() -> None:
    """An action block becomes an event with its evidence and a key of its own."""
    floor = FactAgentPort()

    result = play_agent(_make_worker(), [_BLOCK], port=floor)

    handed, attempt = floor.handed[0]
    assert ("finish", {"n": 1}, "a.md") == (handed.event, handed.payload, handed.artifacts[0].path)
    assert attempt.endswith(":1:0")
    assert result.summaries[0].action_results[0].success


def test_a_refusal_comes_back_as_guidance() -> None:
    """A refused event is in the next prompt, with its reason and content."""
    asked: list[str] = []
    floor = FactAgentPort()
    floor.rulings = [EventRefusal(code="GUARD_FAILED", message="not yet", hint="bring a plan")]

    def note_and_reply(request: OracleRequest) -> str:
        asked.append(request.messages[-1].text)
        return _BLOCK.removesuffix("DONE") if len(asked) == 1 else "DONE"

    play_agent(
        _make_worker(), note_and_reply, port=floor, prompts={"ask.md": "Now:\n{uv-last_results}."}
    )

    told, _, sent = asked[1].partition("\nWhat you sent then:\n")
    assert "Now:\n- submit: refused (GUARD_FAILED): not yet bring a plan" == told
    assert '> {"type": "submit", "event": "finish", "payload": {"n": 1},' in sent


def test_an_unreadable_block_is_reported_and_stops_no_agent() -> None:
    """A malformed block is in the summary's errors, and the agent continues."""
    said = "```action\n{broken\n```"

    result = play_agent(_make_worker(), [said, "DONE"], port=FactAgentPort())

    assert result.success
    assert "action block 1: it is not a JSON" in result.summaries[0].errors[0]


def test_an_agent_without_a_port_cannot_hand_in() -> None:
    """A submission without a port is an error."""
    result = play_agent(_make_worker(), [_BLOCK])

    assert result.error is not None
    assert "FLOOR_UNFIT" == result.error.code


def test_all_a_character_says_is_spoken() -> None:
    """A character's whole reply is spoken, with a key of its own."""
    floor = FactAgentPort(AgentView(facts={"turn": 7}))
    agent = make_definition(completion=IterationBudget(max_iterations=1), speaks=True)

    play_agent(agent, ["Output: *take the key*"], port=floor)

    words, attempt = floor.spoken[0]
    assert "Output: *take the key*" == words
    assert attempt.endswith(":1:0@7")


def test_what_a_refusal_in_a_world_is_called_is_not_reported() -> None:
    """A refusal in a world is shown without its code, which could reveal hidden things."""
    from saniwa.turn.record import Rejection

    asked: list[str] = []
    floor = FactAgentPort()
    turn = make_quiet_turn("x")
    floor.turns = [
        msgspec.structs.replace(
            turn, rejections=(Rejection(index=0, code="UNKNOWN_TYPE", message="You cannot."),)
        )
    ]

    def note_and_reply(request: OracleRequest) -> str:
        asked.append(request.messages[-1].text)
        return "a"

    agent = make_definition(completion=IterationBudget(max_iterations=2), speaks=True)
    play_agent(agent, note_and_reply, port=floor, prompts={"ask.md": "Now:\n{uv-last_results}"})

    assert "Now:\n- speak: refused: You cannot." == asked[1]


def test_an_event_brings_no_more_artifacts_than_anyone_could_look_at() -> None:
    """An event may have fifty artifacts."""
    floor = FactAgentPort()
    many = [{"path": f"{n}.md", "content": "x"} for n in range(51)]
    block = f"```action\n{msgspec.json.encode({'type': 'submit', 'event': 'e', 'artifacts': many}).decode()}\n```\nDONE"

    result = play_agent(_make_worker(), [block], port=floor)

    assert [] == floor.handed
    assert "more than 50 artifacts" in result.summaries[0].action_results[0].message


_SENT = _BLOCK.removesuffix("DONE")
_OTHER = _SENT.replace('"n": 1', '"n": 2')
_NO = EventRefusal(code="GUARD_FAILED", message="not yet", hint="bring a plan")


def test_the_same_refused_submission_five_times_ends_the_agent() -> None:
    """After five equal refused submissions the agent ends, with the reason."""
    floor = FactAgentPort(AgentView(facts={"revision": 1}))
    floor.rulings = [_NO] * 60

    result = play_agent(_make_worker(), [_SENT] * 60, port=floor)

    assert result.error is not None
    assert ("SUBMISSION_REPEATED", False, 5) == (
        result.error.code,
        result.error.recoverable,
        len(floor.handed),
    )
    assert "'finish' 5 times" in result.error.message
    assert "GUARD_FAILED" in result.error.message


def test_a_refused_submission_is_counted_though_others_come_between() -> None:
    """Refusals of a submission are counted even if others come in between."""
    floor = FactAgentPort(AgentView(facts={"revision": 1}))
    floor.rulings = [_NO] * 60

    result = play_agent(_make_worker(), [_SENT, _OTHER] * 30, port=floor)

    assert result.error is not None
    assert ("SUBMISSION_REPEATED", 9) == (result.error.code, len(floor.handed))


def test_an_accepted_submission_begins_the_count_again() -> None:
    """An accepted submission resets the count."""
    floor = FactAgentPort(AgentView(facts={"revision": 1}))
    accepted = EventAcceptance(event_id="e", from_state="a", to_state="a", new_revision=2)
    floor.rulings = [*[_NO] * 4, accepted, *[_NO] * 4]

    result = play_agent(_make_worker(), [*[_SENT] * 9, "DONE"], port=floor)

    assert (True, 9) == (result.success, len(floor.handed))


def test_a_run_that_has_moved_begins_the_count_again() -> None:
    """The same submission at another revision is counted separately."""
    views = [AgentView(facts={"revision": n // 6}) for n in range(60)]
    floor = FactAgentPort(*views)
    floor.rulings = [_NO] * 60

    result = play_agent(_make_worker(), [*[_SENT] * 9, "DONE"], port=floor)

    assert result.success
