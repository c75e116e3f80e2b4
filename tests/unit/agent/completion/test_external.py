import asyncio
from typing import Any

import pytest

from saniwa.agent.completion_conditions import build_completion
from saniwa.agent.definition import ExternalState
from saniwa.core.errors import CompletionError
from tests.fakes.completion import make_case


def _complete(facts: dict[str, Any], fact: str, equals: Any = True) -> bool:
    completion = build_completion(ExternalState(fact=fact, equals=equals))
    return asyncio.run(completion.check(make_case("goal_reached", facts=facts))).complete


def test_the_port_is_asked_and_not_the_model() -> None:
    """The fact decides, whatever the model says."""
    assert _complete({"goal_reached": True}, "goal_reached")
    assert not _complete({"goal_reached": False}, "goal_reached")


def test_a_dotted_name_is_a_fact_or_a_way_to_one() -> None:
    """A name with dots is looked up as a fact, then as a path in the facts."""
    facts = {"flags": {"lamp": {"lit": True}}, "flags.door": "shut"}

    assert _complete(facts, "flags.lamp.lit")
    assert _complete(facts, "flags.door", "shut")
    assert _complete({"a": {"b": 1}, "a.b": 2}, "a.b", 2)


def test_values_are_compared_as_json() -> None:
    """Values are compared as JSON: `1` is not `true`, and null is a value."""
    assert not _complete({"count": 1}, "count")
    assert _complete({"winner": None}, "winner", None)


@pytest.mark.parametrize(
    ("facts", "fact", "hint"),
    [
        ({"goal_reached": True}, "goal_reach", "did you mean 'goal_reached'?"),
        ({"flags": {"lamp": 1}}, "flags.lanp", "did you mean 'flags.lamp'?"),
        ({"state": "open"}, "weather", "it tells ['state']"),
        ({"state": "open"}, "state.name", "did you mean 'state'?"),
        ({}, "state", "it tells none"),
    ],
)
def test_a_fact_that_is_never_supplied_is_an_error(
    facts: dict[str, Any], fact: str, hint: str
) -> None:
    """A fact that is not supplied is an error with the nearest one."""
    with pytest.raises(CompletionError) as told:
        _complete(facts, fact)

    assert "COMPLETION_FACT_UNKNOWN" == told.value.code
    assert f"the fact {fact!r} is not available where the agent runs" == told.value.message
    assert hint == told.value.hint
    assert not told.value.recoverable


def test_the_search_for_near_names_is_bounded() -> None:
    """The search for a near name is limited to a thousand facts."""
    facts = {f"fact_{number:05}": True for number in range(5_000)}

    with pytest.raises(CompletionError) as told:
        _complete(facts, "fact_04999x")

    assert "fact_04999" not in told.value.hint
