"""What an answer does: words spoken, evidence handed in."""

from typing import Any

import msgspec

from saniwa.agent.definition import (
    AgentDefinition,
    IterationBudget,
)
from saniwa.agent.floor import View
from saniwa.agent.oracle import Request
from saniwa.process.ruling import Refused
from tests.fakes.agents import (
    FactFloor,
    definition,
    quiet_turn,
)
from tests.unit.agent.looping.playing import KEYWORD, played

_BLOCK = """I hand it in.
```action
{"type": "submit", "event": "finish", "payload": {"n": 1},
 "artifacts": [{"path": "a.md", "content": "text"}]}
```
DONE"""


def _worker(**more: Any) -> AgentDefinition:
    actions = {"enabled": True, "types": ("submit",)}
    from saniwa.agent.definition import Actions

    return definition(completion=KEYWORD, actions=Actions(**actions), **more)  # type: ignore[arg-type]


def test_blocks_in_an_answer_are_handed_in() -> None:
    """An action block becomes an event with its evidence, under a name of its own."""
    floor = FactFloor()

    result = played(_worker(), [_BLOCK], floor=floor)

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

    played(
        _worker(), reply, floor=floor, prompts={"ask.md": "Now:\n{uv-last_results}."}
    )

    assert "Now:\n- submit: refused (GUARD_FAILED): not yet bring a plan." == asked[1]


def test_a_block_that_cannot_be_read_is_told_and_stops_nobody() -> None:
    """Bad JSON is written into the summary; the agent goes on."""
    said = "```action\n{broken\n```"

    result = played(_worker(), [said, "DONE"], floor=FactFloor())

    assert result.success
    assert "action block 1: it is no JSON" in result.summaries[0].errors[0]


def test_an_agent_without_a_floor_cannot_hand_in() -> None:
    """An action with nowhere to go is an error, not silence."""
    result = played(_worker(), [_BLOCK])

    assert result.error is not None
    assert "FLOOR_UNFIT" == result.error.code


def test_all_a_character_says_is_spoken() -> None:
    """A speaking agent's reply goes to its floor whole, under the turn it was made in."""
    floor = FactFloor(View(facts={"turn": 7}))
    agent = definition(completion=IterationBudget(max_iterations=1), speaks=True)

    played(agent, ["Output: *take the key*"], floor=floor)

    words, attempt = floor.spoken[0]
    assert "Output: *take the key*" == words
    assert attempt.endswith(":1:0@7")


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
    played(agent, reply, floor=floor, prompts={"ask.md": "Now:\n{uv-last_results}"})

    assert "Now:\n- speak: refused: You cannot." == asked[1]


def test_an_event_brings_no_more_artifacts_than_anybody_could_look_at() -> None:
    """Fifty are taken, fifty-one are refused before a file is written."""
    floor = FactFloor()
    many = [{"path": f"{n}.md", "content": "x"} for n in range(51)]
    block = f"```action\n{msgspec.json.encode({'type': 'submit', 'event': 'e', 'artifacts': many}).decode()}\n```\nDONE"

    result = played(_worker(), [block], floor=floor)

    assert [] == floor.handed
    assert "more than 50 artifacts" in result.summaries[0].action_results[0].message
