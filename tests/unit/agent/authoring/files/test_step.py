from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.definition import (
    AgentStep,
    Escalation,
    GatewayRoute,
    PromptReference,
    RetryPolicy,
    StepCheck,
    StepTransition,
)
from saniwa.agent.files.agent_folder import read_agent
from tests.fakes.agent_folder import AGENT, change_document, make_flow, write_agent

PROMPT = PromptReference(path="close.md")
_ANY = change_document(AGENT, behavior={"completionType": "iterationBudget"})


def _load_step(folder: Path, step: Any, **more: Any) -> AgentStep:
    steps = {"first": step, "second": {"prompt": "close.md", "complete": True}, **more}
    path = write_agent(folder, agent=_ANY, registry=make_flow(steps))
    definition, report = read_agent(path)
    assert definition is not None, report
    return definition.flow.steps["first"]


def _list_codes(folder: Path, step: Any, **more: Any) -> list[str]:
    steps = {"first": step, "second": {"prompt": "close.md", "complete": True}, **more}
    path = write_agent(folder, agent=_ANY, registry=make_flow(steps))
    return [each.code for each in read_agent(path)[1].errors]


def test_the_registry_of_the_first_years_is_read(tmp_path: Path) -> None:
    """The original form of a registry is read, with `check`, `iterations` and transitions."""
    found = _load_step(
        tmp_path,
        {
            "id": "first",
            "name": "First",
            "prompt": {"path": "close.md"},
            "iterations": {"min": 2, "max": 5},
            "check": {
                "prompt": {"path": "close.md"},
                "onPass": {"next": "second"},
                "onFail": {"retry": True, "maxRetries": 2},
            },
        },
    )

    assert (
        AgentStep(
            id="first",
            name="First",
            prompt=PROMPT,
            min_iterations=2,
            max_iterations=5,
            check=StepCheck(
                type="prompt",
                prompt=PROMPT,
                on_pass=StepTransition(next="second"),
                on_fail=StepTransition(retry=RetryPolicy(max_retries=2)),
            ),
        )
        == found
    )


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"retry": True}, RetryPolicy(max_retries=3)),
        ({"retry": True, "maxRetries": 0}, RetryPolicy(max_retries=0)),
        (
            {"retry": {"maxRetries": 1, "onExhausted": "skip"}},
            RetryPolicy(max_retries=1, on_exhausted="skip"),
        ),
        (
            {"retry": True, "onExhausted": "fallback", "fallbackStep": "second"},
            RetryPolicy(on_exhausted="fallback", fallback_step="second"),
        ),
        (
            {"retry": True, "fallback": "second"},
            RetryPolicy(on_exhausted="fallback", fallback_step="second"),
        ),
    ],
)
def test_retries_are_read(tmp_path: Path, written: Any, expected: RetryPolicy) -> None:
    """Retries are read, with three as default, followed by an error, a fallback or a skip."""
    check = {"keywords": ["OK"], "onFail": written}
    found = _load_step(tmp_path, {"prompt": "close.md", "check": check}).check

    assert found is not None
    assert expected == found.on_fail.retry


def test_a_step_may_have_the_retry_of_its_check(tmp_path: Path) -> None:
    """A step's own retry policy applies after a failed check."""
    step = {
        "prompt": "close.md",
        "check": {"type": "action"},
        "retryPolicy": {"maxRetries": 1, "onExhausted": "error"},
    }
    found = _load_step(tmp_path, step).check

    assert found is not None
    assert StepTransition(retry=RetryPolicy(max_retries=1)) == found.on_fail


def test_a_bare_fallback_leads_to_its_step(tmp_path: Path) -> None:
    """`fallback` without `retry` leads to its step."""
    check = {"keywords": ["OK"], "onFail": {"fallback": "second"}}
    found = _load_step(tmp_path, {"prompt": "close.md", "check": check}).check

    assert found is not None
    assert StepTransition(next="second") == found.on_fail


@pytest.mark.parametrize("as_mapping", [True, False])
def test_sub_steps_are_read_in_both_forms(tmp_path: Path, as_mapping: bool) -> None:
    """Sub-steps are read as a mapping or a list."""
    parts = {"sequential": True, "subSteps": ["part"]}
    step = {"subSteps": parts} if as_mapping else parts
    part = {"prompt": "close.md"}

    assert ("part",) == _load_step(tmp_path, {**step, "next": "second"}, part=part).sub_steps


def test_escalations_and_routes_are_read(tmp_path: Path) -> None:
    """Escalations, and routes in order, are read."""
    way = {
        "type": "gateway",
        "routes": [
            {"variable": "mood", "equals": "good", "next": "second"},
            {"variable": "mood", "contains": "bad", "complete": True},
        ],
        "next": "second",
    }
    escalation = {"escalateTo": "second", "returnFlow": "restart"}
    step = {"prompt": "close.md", "next": "way", "escalation": escalation}
    first = _load_step(tmp_path, step, way=way)

    assert Escalation(escalate_to="second", return_flow="restart") == first.escalation
    assert (
        GatewayRoute(variable="mood", equals="good", next="second"),
        GatewayRoute(variable="mood", contains="bad", complete=True),
    ) == _load_step(tmp_path, way).routes


@pytest.mark.parametrize(
    ("step", "codes"),
    [
        ({}, ["FIELD_MISSING"]),
        ({"prompt": {}}, ["FIELD_MISSING"]),
        ({"prompt": {"path": "close.md", "c1": "x"}}, ["DUPLICATE_KEY"]),
        ({"prompt": {"c1": "../x", "c2": "a", "c3": "b"}}, ["WRONG_TYPE"]),
        ({"id": "other", "prompt": "close.md"}, ["ID_MISMATCH"]),
        ({"prompt": "close.md", "type": "syncPoint"}, ["UNKNOWN_VALUE"]),
        ({"prompt": "close.md", "next": "x"}, ["NEXT_STEP_UNKNOWN"]),
        ({"prompt": "close.md", "next": "second", "complete": True}, ["AMBIGUOUS_TRANSITION"]),
        ({"prompt": "close.md", "check": {}}, ["FIELD_MISSING"]),
        ({"prompt": "close.md", "check": {"type": "prompt"}}, ["FIELD_MISSING"]),
        ({"prompt": "close.md", "check": {"keywords": []}}, ["FIELD_MISSING"]),
        (
            {"prompt": "close.md", "check": {"type": "action", "prompt": "close.md"}},
            ["UNKNOWN_KEY"],
        ),
        (
            {
                "prompt": "close.md",
                "check": {"type": "action", "onPass": {"next": "second", "retry": True}},
            },
            ["AMBIGUOUS_TRANSITION"],
        ),
        (
            {
                "prompt": "close.md",
                "check": {"type": "action", "onFail": {"retry": True, "onExhausted": "fallback"}},
            },
            ["FIELD_MISSING"],
        ),
        (
            {
                "prompt": "close.md",
                "check": {
                    "type": "action",
                    "onFail": {"retry": True, "onExhausted": "fallback", "fallbackStep": "x"},
                },
            },
            ["NEXT_STEP_UNKNOWN"],
        ),
        (
            {"prompt": "close.md", "check": {"type": "action", "onFail": {"maxRetries": 2}}},
            ["FIELD_MISSING"],
        ),
        ({"prompt": "close.md", "retry": True}, ["FIELD_MISSING"]),
        (
            {
                "prompt": "close.md",
                "retry": True,
                "check": {"type": "action", "onFail": {"next": "second"}},
            },
            ["AMBIGUOUS_TRANSITION"],
        ),
        (
            {
                "prompt": "close.md",
                "check": {
                    "type": "action",
                    "onFail": {"retry": True, "onExhausted": "skip", "fallbackStep": "second"},
                },
            },
            ["AMBIGUOUS_TRANSITION"],
        ),
        (
            {"prompt": "close.md", "check": {"type": "action", "onFail": {"escalate": True}}},
            ["FIELD_MISSING"],
        ),
        ({"prompt": "close.md", "escalation": {"escalateTo": "x"}}, ["NEXT_STEP_UNKNOWN"]),
        (
            {
                "prompt": "close.md",
                "escalation": {"escalateTo": "x", "notificationMethod": "webhook"},
            },
            ["ADDRESS_UNUSABLE"],
        ),
        ({"prompt": "close.md", "escalation": {}}, ["FIELD_MISSING"]),
        (
            {
                "prompt": "close.md",
                "check": {"type": "action", "onFail": {"retry": {"fallback": "x"}}},
            },
            ["UNKNOWN_KEY"],
        ),
        (
            {
                "prompt": "close.md",
                "check": {"type": "action", "onFail": {"retry": True, "onExhausted": "skip"}},
                "escalation": {"escalateTo": "second"},
            },
            ["AMBIGUOUS_TRANSITION"],
        ),
        (
            {
                "prompt": "close.md",
                "check": {
                    "type": "action",
                    "onFail": {"retry": True, "onExhausted": "fallbck", "fallbackStep": "second"},
                },
            },
            ["UNKNOWN_VALUE"],
        ),
        ({"type": "gateway"}, ["FIELD_MISSING"]),
        (
            {
                "type": "gateway",
                "check": {
                    "keywords": ["x"],
                    "onPass": {"next": "second"},
                    "onFail": {"complete": True},
                },
            },
            [],
        ),
        ({"type": "gateway", "check": {"keywords": ["x"]}, "next": "second"}, ["FIELD_MISSING"]),
        (
            {"type": "gateway", "check": {"keywords": ["x"], "onFail": {"retry": True}}},
            ["FIELD_MISSING", "FIELD_MISSING"],
        ),
        (
            {
                "type": "gateway",
                "routes": [{"next": "second"}],
                "check": {
                    "keywords": ["x"],
                    "onPass": {"next": "second"},
                    "onFail": {"complete": True},
                },
            },
            ["AMBIGUOUS_TRANSITION"],
        ),
        ({"type": "gateway", "prompt": "close.md", "next": "second"}, ["UNKNOWN_KEY"]),
        ({"type": "gateway", "routes": [{}], "next": "second"}, ["AMBIGUOUS_TRANSITION"]),
        ({"type": "gateway", "routes": [{"equals": 1, "next": "second"}]}, ["FIELD_MISSING"]),
        ({"prompt": "close.md", "routes": []}, []),
        ({"prompt": "close.md", "routes": [{"next": "second"}]}, ["UNKNOWN_KEY"]),
        ({"subSteps": ["x"]}, ["NEXT_STEP_UNKNOWN"]),
        ({"subSteps": ["first"]}, ["SUBSTEP_UNFIT", "SUBSTEP_UNFIT"]),
        ({"subSteps": ["part"], "sequential": False}, ["SUBSTEP_UNFIT"]),
        ({"prompt": "close.md", "iterations": {"min": 3, "max": 2}}, ["WRONG_TYPE"]),
        ({"prompt": "close.md", "outputSchema": {"type": "x"}}, ["SCHEMA_INVALID"]),
        ({"prompt": "close.md", "variables": ["a b"]}, ["NAME_UNUSABLE"]),
    ],
)
def test_each_mistake_in_a_step_has_its_code(tmp_path: Path, step: Any, codes: list[str]) -> None:
    """Each mistake has its code, and no other finding."""
    part = {"prompt": "close.md"}

    assert codes == _list_codes(tmp_path, step, part=part)


@pytest.mark.parametrize(
    ("step", "path", "hint"),
    [
        ({"prompt": "close.md", "next": "secnod"}, "next", "did you mean 'second'?"),
        ({"prompt": "close.md", "next": "wya"}, "next", "did you mean 'way'?"),
        (
            {"prompt": "close.md", "escalation": {"escalate_to": "secnod"}},
            "escalation.escalate_to",
            "did you mean 'second'?",
        ),
        (
            {
                "prompt": "close.md",
                "check": {
                    "keywords": ["x"],
                    "onFail": {"retry": {"onExhausted": "fallback", "fallbackStep": "secnod"}},
                },
            },
            "check.onFail.retry.fallbackStep",
            "did you mean 'second'?",
        ),
        (
            {
                "prompt": "close.md",
                "check": {"keywords": ["x"], "on_fail": {"retry": True, "fallback": "secnod"}},
            },
            "check.on_fail.fallback",
            "did you mean 'second'?",
        ),
        (
            {
                "prompt": "close.md",
                "check": {"keywords": ["x"]},
                "retryPolicy": {"onExhausted": "fallback", "fallbackStep": "secnod"},
            },
            "retryPolicy.fallbackStep",
            "did you mean 'second'?",
        ),
    ],
)
def test_a_step_that_is_not_there_is_reported_where_it_is_named(
    tmp_path: Path, step: Any, path: str, hint: str
) -> None:
    """An unknown step is reported where it is named, with the nearest one."""
    way = {"type": "gateway", "next": "second"}
    steps = {"first": step, "second": {"prompt": "close.md", "complete": True}, "way": way}
    folder = write_agent(tmp_path, agent=_ANY, registry=make_flow(steps))
    (found,) = read_agent(folder)[1].errors

    assert ("NEXT_STEP_UNKNOWN", f"steps.first.{path}", hint) == (
        found.code,
        found.where.path,
        found.hint,
    )


def test_a_step_is_named_so_that_its_outputs_can_be(tmp_path: Path) -> None:
    """A step id that cannot be part of a variable's name is refused."""
    assert "NAME_UNUSABLE" in _list_codes(
        tmp_path, {"prompt": "close.md"}, **{"a b": {"prompt": "close.md"}}
    )
