"""What every check of a step promises; over each type."""

import asyncio
from typing import Any, NamedTuple

import msgspec
import pytest

from saniwa.agent.bridge import OracleBridge
from saniwa.agent.definition import AgentStep, CheckType, PromptReference, StepCheck
from saniwa.agent.layer_contracts import (
    ActionResult,
    QueryResult,
    StepCase,
    StepChecker,
    StepCheckResult,
)
from saniwa.agent.prompt_resolver import MemoryPromptResolver
from saniwa.agent.step_checks import build_checker
from saniwa.core.errors import CompletionError
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.oracle import OracleRequest, Usage

_DONE = ActionResult(type="speak", success=True)
_REFUSED = ActionResult(type="speak", success=False, code="LOCKED", message="it is locked")
_ASK = PromptReference(path="check.md")


class CheckKind(NamedTuple):
    """One type of check, with answers that pass it and fail it."""

    check: StepCheck
    """The check, as a flow defines it."""
    good: StepCase
    """A case that passes."""
    bad: StepCase
    """A case that does not."""


def _make_case(type_: CheckType, text: str, *results: ActionResult, **variables: str) -> StepCase:
    return StepCase(
        type=type_,
        response=QueryResult(messages=("first", text), conversation_id="agent-1"),
        action_results=results,
        variables=variables,
    )


KINDS = {
    "keyword": CheckKind(
        StepCheck(type="keyword", keywords=("PLAN",)),
        _make_case("keyword", "the PLAN"),
        _make_case("keyword", "no idea"),
    ),
    "action": CheckKind(
        StepCheck(type="action"),
        _make_case("action", "x", _DONE),
        _make_case("action", "x", _REFUSED),
    ),
    "prompt": CheckKind(
        StepCheck(type="prompt", prompt=_ASK),
        _make_case("prompt", "a fine plan"),
        _make_case("prompt", "a poor plan"),
    ),
}


class CheckRoom:
    """A check with the model it may ask, which approves a fine plan only."""

    def __init__(self, check: StepCheck) -> None:
        self.asked: list[OracleRequest] = []
        self.bridge = OracleBridge(CannedOracle(self._answer))
        resolver = MemoryPromptResolver({"check.md": "Is this fine?\n\n{uv-response}"})
        step = AgentStep(id="s_1", check=check)
        made = build_checker(step, self.bridge, resolver)
        assert made is not None
        self.checker: StepChecker = made

    def check(self, case: StepCase) -> StepCheckResult:
        """The result of the check."""
        return asyncio.run(self.checker.check(case))

    def _answer(self, request: OracleRequest) -> str:
        self.asked.append(request)
        fine = "fine plan" in request.messages[-1].text
        return '{"reason": "so it is", "result": "%s"}' % ("ok" if fine else "ng")


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> CheckKind:
    """Each type in turn."""
    return KINDS[request.param]


def _replace_fields(case: StepCase, **changes: Any) -> StepCase:
    return msgspec.structs.replace(case, **changes)


def test_a_step_without_a_check_has_no_checker() -> None:
    """A step without a check has no checker."""
    bridge = OracleBridge(CannedOracle([]))

    assert build_checker(AgentStep(id="s_1"), bridge, MemoryPromptResolver({})) is None


def test_a_check_says_yes_or_no_and_why(kind: CheckKind) -> None:
    """A check passes or fails, and gives a reason either way."""
    good, bad = CheckRoom(kind.check).check(kind.good), CheckRoom(kind.check).check(kind.bad)

    assert (True, False) == (good.passed, bad.passed)
    assert good.reason
    assert bad.reason


def test_the_same_case_gets_the_same_answer(kind: CheckKind) -> None:
    """A check remembers nothing from earlier cases."""
    room = CheckRoom(kind.check)
    said = [room.check(each) for each in (kind.good, kind.bad, kind.good)]

    assert said[0] == said[2]


def test_a_case_for_another_type_is_a_mistake(kind: CheckKind) -> None:
    """A case of another type than the check is an error, and no model is called."""
    other: CheckType = "action" if kind.check.type != "action" else "keyword"

    room = CheckRoom(kind.check)
    with pytest.raises(CompletionError, match=f"a case of type '{other}'"):
        room.check(_replace_fields(kind.good, type=other))

    assert [] == room.asked


def test_only_a_prompt_check_asks_a_model_and_only_once(kind: CheckKind) -> None:
    """A check of type `prompt` calls the model once, the others never."""
    room = CheckRoom(kind.check)
    said = room.check(kind.good)
    asked = 1 if kind.check.type == "prompt" else 0

    assert asked == len(room.asked)
    assert Usage(calls=asked) == said.usage


@pytest.mark.parametrize("which", ["good", "bad"])
def test_a_keyword_check_looks_at_the_texts_alone(which: str) -> None:
    """A keyword check ignores the results of actions and the variables."""
    kind = KINDS["keyword"]
    case: StepCase = getattr(kind, which)
    altered = _replace_fields(
        case, action_results=(_REFUSED, _DONE), variables={"response": "PLAN"}
    )

    assert CheckRoom(kind.check).check(case) == CheckRoom(kind.check).check(altered)


@pytest.mark.parametrize("which", ["good", "bad"])
def test_an_action_check_looks_at_the_results_alone(which: str) -> None:
    """An action check ignores what the model says it did."""
    kind = KINDS["action"]
    case: StepCase = getattr(kind, which)
    boast = QueryResult(messages=("It worked! ok true",), conversation_id="x")
    altered = _replace_fields(case, response=boast, variables={"ok": "true"})

    assert CheckRoom(kind.check).check(case) == CheckRoom(kind.check).check(altered)


@pytest.mark.parametrize("which", ["good", "bad"])
def test_a_prompt_check_does_not_look_at_the_results(which: str) -> None:
    """A prompt check asks the same question whatever the results of the actions."""
    kind = KINDS["prompt"]
    case: StepCase = getattr(kind, which)
    one, other = CheckRoom(kind.check), CheckRoom(kind.check)
    said = one.check(case)

    assert said == other.check(_replace_fields(case, action_results=(_REFUSED,)))
    assert one.asked == other.asked


def test_a_prompt_check_is_shown_the_whole_response() -> None:
    """The question of a prompt check has every text of the answer."""
    room = CheckRoom(KINDS["prompt"].check)
    room.check(KINDS["prompt"].good)

    assert "> first\n> a fine plan" in room.asked[0].messages[-1].text


def test_a_prompt_check_has_a_conversation_of_its_own() -> None:
    """A prompt check sees neither the agent's conversation nor an earlier check."""
    room = CheckRoom(KINDS["prompt"].check)
    for _ in range(2):
        room.check(KINDS["prompt"].good)

    assert [1, 1] == [len(each.messages) for each in room.asked]
    assert room.bridge.get_session_id() not in (None, "agent-1")
