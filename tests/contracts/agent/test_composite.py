"""What a composite completion promises beyond any completion: order and condition states."""

import asyncio
from typing import Any

import msgspec
import pytest

from saniwa.agent.completion_conditions import CompositeHandler, build_completion
from saniwa.agent.definition import CompositeCompletion
from saniwa.agent.layer_contracts import CompletionCase, CompositeCompletionHandler
from saniwa.core.errors import CompletionError
from tests.fakes.completion import make_case


def _make_keyword_condition(word: str) -> dict[str, Any]:
    return {"type": "keywordSignal", "completionKeyword": word}


_FACT = {"type": "externalState", "fact": "state", "equals": "closed"}
_BUDGET = {"type": "iterationBudget", "maxIterations": 2}


def _make_composite(mode: str, *conditions: dict[str, Any]) -> CompositeCompletionHandler:
    written = {"type": "composite", "mode": mode, "conditions": list(conditions)}
    made = build_completion(msgspec.convert(written, CompositeCompletion))
    assert isinstance(made, CompositeHandler)
    return made


def _check_all(completion: CompositeCompletionHandler, *cases: CompletionCase) -> dict[str, bool]:
    for each in cases:
        asyncio.run(completion.check(each))
    return completion.get_condition_states()


@pytest.mark.parametrize("mode", ["any", "all"])
def test_before_the_first_look_no_condition_has_said_yes(mode: str) -> None:
    """Every condition has a state from the beginning, in its order."""
    completion = _make_composite(mode, _FACT, _make_keyword_condition("DONE"), _BUDGET)

    states = completion.get_condition_states()

    assert {"externalState": False, "keywordSignal": False, "iterationBudget": False} == (states)
    assert ["externalState", "keywordSignal", "iterationBudget"] == list(states)


@pytest.mark.parametrize("mode", ["any", "all"])
def test_conditions_of_one_kind_keep_their_own_states(mode: str) -> None:
    """Conditions of one kind have separate names, numbered from the second on."""
    completion = _make_composite(
        mode,
        _make_keyword_condition("A"),
        _make_keyword_condition("B"),
        _make_keyword_condition("C"),
    )

    states = _check_all(completion, make_case("B"))

    assert {"keywordSignal": False, "keywordSignal#2": True, "keywordSignal#3": False} == states


@pytest.mark.parametrize("mode", ["any", "all"])
def test_asking_for_the_states_changes_nothing(mode: str) -> None:
    """`get_condition_states` is a query: editing its result does not change the completion."""
    completion = _make_composite(mode, _make_keyword_condition("A"), _FACT)
    first = _check_all(completion, make_case("A", facts={"state": "open"}))
    first.clear()

    assert completion.get_condition_states()
    assert (mode == "any") == completion.is_complete()


def test_any_is_done_when_one_is() -> None:
    """Mode `any` needs one complete condition, and gives its reason."""
    completion = _make_composite("any", _make_keyword_condition("DONE"), _BUDGET)

    said = asyncio.run(completion.check(make_case("more", iteration=2)))

    assert said.complete
    assert "iterations done: 2 of 2" == said.reason


def test_any_asks_no_later_condition_after_a_yes() -> None:
    """With mode `any`, conditions after the first complete one are not checked.

    The fact is not available, so checking it would be an error.
    """
    completion = _make_composite("any", _make_keyword_condition("DONE"), _FACT)

    said = asyncio.run(completion.check(make_case("DONE")))

    assert said.complete
    with pytest.raises(CompletionError):
        asyncio.run(completion.check(make_case("more")))


def test_any_leaves_the_states_of_those_it_does_not_ask() -> None:
    """A condition that was not checked keeps its last state."""
    inner = {"type": "composite", "mode": "all", "conditions": [_make_keyword_condition("B")]}
    completion = _make_composite("any", _make_keyword_condition("A"), inner)

    states = _check_all(completion, make_case("B"), make_case("A"))

    assert {"keywordSignal": True, "composite": True} == states


def test_conditions_are_asked_in_their_order() -> None:
    """The first complete condition gives the reason, in the order of the definition."""
    one = _make_composite("any", _make_keyword_condition("A"), _make_keyword_condition("B"))
    other = _make_composite("any", _make_keyword_condition("B"), _make_keyword_condition("A"))

    reasons = [asyncio.run(each.check(make_case("A B"))).reason for each in (one, other)]

    assert ["the model said 'A'", "the model said 'B'"] == reasons


def test_all_is_done_only_when_each_is() -> None:
    """Mode `all` needs every condition complete at once, and gives every reason."""
    completion = _make_composite("all", _make_keyword_condition("DONE"), _BUDGET)

    early = asyncio.run(completion.check(make_case("DONE", iteration=1)))
    late = asyncio.run(completion.check(make_case("DONE", iteration=2)))

    assert (False, True) == (early.complete, late.complete)
    assert "the model said 'DONE'; iterations done: 2 of 2" == late.reason


def test_all_asks_every_condition_even_after_a_no() -> None:
    """Mode `all` checks every condition, so that all states are of the same iteration."""
    completion = _make_composite("all", _make_keyword_condition("DONE"), _BUDGET)

    states = _check_all(completion, make_case("more", iteration=2))

    assert {"keywordSignal": False, "iterationBudget": True} == states


def test_a_yes_of_an_earlier_iteration_does_not_last() -> None:
    """A keyword counts only in the iteration in which it is said."""
    completion = _make_composite("all", _make_keyword_condition("DONE"), _BUDGET)

    states = _check_all(completion, make_case("DONE", iteration=1), make_case("more", iteration=2))

    assert not completion.is_complete()
    assert {"keywordSignal": False, "iterationBudget": True} == states


@pytest.mark.parametrize("mode", ["any", "all"])
def test_without_conditions_nothing_is_ever_done(mode: str) -> None:
    """A composite without conditions is never complete."""
    assert not asyncio.run(_make_composite(mode).check(make_case())).complete


@pytest.mark.parametrize("mode", ["any", "all"])
def test_composites_may_contain_composites(mode: str) -> None:
    """A condition may be a composite, which counts as one condition of the outer one."""
    inner = {
        "type": "composite",
        "mode": "any",
        "conditions": [_make_keyword_condition("A"), _BUDGET],
    }
    completion = _make_composite(mode, inner, inner)

    states = _check_all(completion, make_case("A"))

    assert completion.is_complete()
    assert {"composite": True, "composite#2": mode == "all"} == states


@pytest.mark.parametrize("mode", ["any", "all"])
def test_an_error_of_a_condition_is_not_a_no(mode: str) -> None:
    """A condition that cannot be checked is an error, not a failed condition."""
    completion = _make_composite(mode, _FACT, _make_keyword_condition("DONE"))

    with pytest.raises(CompletionError):
        asyncio.run(completion.check(make_case("DONE", facts={"status": "closed"})))

    assert not completion.is_complete()
