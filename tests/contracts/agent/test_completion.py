"""What every completion promises; over each kind, a composite and a plugin."""

import asyncio
import json
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from saniwa.agent.completion_conditions import ResumableCompletion, build_completion
from saniwa.agent.definition import CompletionDefinition
from saniwa.agent.layer_contracts import CompletionCase, CompletionResult
from saniwa.core.errors import CompletionError
from tests.fakes.completion import install, make_case


class CompletionKind(NamedTuple):
    """One kind of completion, with a case that completes it and one that does not."""

    written: dict[str, Any]
    """As a definition writes it."""
    done: CompletionCase
    """A case in which it is complete."""
    open: CompletionCase
    """A case in which it is not."""

    def build_handler(self) -> ResumableCompletion:
        """The completion, before its first check."""
        return build_completion(msgspec.convert(self.written, CompletionDefinition))


_WORD = {"type": "keywordSignal", "completionKeyword": "DONE"}
_FACT = {"type": "externalState", "fact": "state", "equals": "closed"}
KINDS = {
    "iterationBudget": CompletionKind(
        {"type": "iterationBudget", "maxIterations": 3},
        make_case(iteration=3),
        make_case(iteration=2),
    ),
    "checkBudget": CompletionKind(
        {"type": "checkBudget", "maxChecks": 2}, make_case(checks=2), make_case(checks=1)
    ),
    "keywordSignal": CompletionKind(_WORD, make_case("All DONE."), make_case("All done.")),
    "structuredSignal": CompletionKind(
        {"type": "structuredSignal", "signalType": "verdict", "requiredFields": {"ok": True}},
        make_case('{"type": "verdict", "ok": true}'),
        make_case('{"type": "verdict", "ok": false}'),
    ),
    "externalState": CompletionKind(
        _FACT, make_case(facts={"state": "closed"}), make_case(facts={"state": "open"})
    ),
    "stepMachine": CompletionKind(
        {"type": "stepMachine"}, make_case(flow_complete=True), make_case(flow_complete=False)
    ),
    "custom": CompletionKind(
        {"type": "custom", "name": "quiet", "config": {"word": "hush"}},
        make_case("hush"),
        make_case("hello"),
    ),
    "composite any": CompletionKind(
        {"type": "composite", "mode": "any", "conditions": [_WORD, _FACT]},
        make_case("no", facts={"state": "closed"}),
        make_case("no", facts={"state": "open"}),
    ),
    "composite all": CompletionKind(
        {"type": "composite", "mode": "all", "conditions": [_WORD, _FACT]},
        make_case("DONE", facts={"state": "closed"}),
        make_case("DONE", facts={"state": "open"}),
    ),
}


@pytest.fixture(params=KINDS)
def kind(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> CompletionKind:
    """Each kind in turn, with the plugin's distribution installed."""
    install(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return KINDS[request.param]


def test_every_kind_of_completion_is_held_to_the_contract() -> None:
    """The suite leaves out no kind a definition can write."""
    tags = {str(each.__struct_config__.tag) for each in CompletionDefinition.__args__}

    assert tags == {name.partition(" ")[0] for name in KINDS}


def test_complete_comes_with_a_reason(kind: CompletionKind) -> None:
    """A complete result has a reason."""
    said = asyncio.run(kind.build_handler().check(kind.done))

    assert said.complete
    assert said.reason


def test_a_case_that_does_not_suffice_is_not_complete(kind: CompletionKind) -> None:
    """A case that does not meet the condition is not complete."""
    assert CompletionResult(complete=False) == asyncio.run(kind.build_handler().check(kind.open))


def test_a_look_before_the_first_iteration_is_a_mistake(kind: CompletionKind) -> None:
    """A check before the first iteration is an error."""
    early = msgspec.structs.replace(kind.done, iteration=0)

    completion = kind.build_handler()
    with pytest.raises(CompletionError, match="at iteration 0") as caught:
        asyncio.run(completion.check(early))

    assert "COMPLETION_FAILED" == caught.value.code
    assert not completion.is_complete()


def test_nothing_is_complete_before_it_was_checked(kind: CompletionKind) -> None:
    """Before the first check a completion is not complete and has no reason."""
    completion = kind.build_handler()

    assert (False, "") == (completion.is_complete(), completion.get_reason())


def test_asking_reflects_the_last_check(kind: CompletionKind) -> None:
    """`is_complete` and `get_reason` return what the last check found."""
    completion = kind.build_handler()
    said = asyncio.run(completion.check(kind.done))

    assert (True, said.reason) == (completion.is_complete(), completion.get_reason())


def test_asking_changes_nothing(kind: CompletionKind) -> None:
    """The queries give the same answers again and do not change the remembered state."""
    completion = kind.build_handler()
    asyncio.run(completion.check(kind.done))
    before = completion.remember()
    first = (completion.is_complete(), completion.get_reason())

    assert first == (completion.is_complete(), completion.get_reason())
    assert before == completion.remember()


def test_two_of_one_kind_look_for_themselves(kind: CompletionKind) -> None:
    """Two completions of one kind do not share state."""
    one, other = kind.build_handler(), kind.build_handler()
    asyncio.run(one.check(kind.done))

    assert (True, False) == (one.is_complete(), other.is_complete())


@pytest.mark.parametrize("look", ["done", "open"])
def test_what_is_remembered_is_carried_on(kind: CompletionKind, look: str) -> None:
    """A completion that recalls a remembered state answers as the one that remembered it."""
    one, other = kind.build_handler(), kind.build_handler()
    asyncio.run(one.check(getattr(kind, look)))
    other.recall(json.loads(json.dumps(one.remember())))

    assert one.remember() == other.remember()
    assert one.is_complete() == other.is_complete()
    assert one.get_reason() == other.get_reason()


@pytest.mark.parametrize(
    "kept",
    [
        {},
        {"complete": True, "reason": ""},
        {"complete": "yes", "reason": "so"},
        {"complete": False, "reason": "", "more": 1},
        {"complete": False, "reason": "", "conditions": []},
        {"complete": False, "reason": "", "plugin": 1, "conditions": [{}, {}]},
    ],
)
def test_what_another_kind_remembered_is_refused(
    kind: CompletionKind, kept: dict[str, Any]
) -> None:
    """A remembered state of another kind is an error, and completes nothing."""
    completion = kind.build_handler()

    with pytest.raises(CompletionError) as told:
        completion.recall(kept)

    assert "COMPLETION_FAILED" == told.value.code
    assert not completion.is_complete()


def test_the_same_case_gives_the_same_words(kind: CompletionKind) -> None:
    """The same case gives the same result and the same reason."""
    first, second = (asyncio.run(kind.build_handler().check(kind.done)) for _ in range(2))

    assert first == second
