from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.files.agent_folder import read_agent
from saniwa.core.findings import Report
from tests.fakes.agent_folder import AGENT, change_document, make_flow, write_agent

P = "close.md"


def _lint_steps(folder: Path, steps: Any, behavior: Any = None) -> Report:
    behavior = behavior or {"completionType": "stepMachine"}
    agent = change_document(AGENT, behavior=behavior)
    path = write_agent(folder, agent=agent, registry=make_flow(steps))
    return read_agent(path)[1]


def test_a_step_nothing_leads_to_is_a_warning(tmp_path: Path) -> None:
    """A step that cannot be reached is a warning."""
    steps = {"a": {"prompt": P, "complete": True}, "b": {"prompt": P, "next": "a"}}
    report = _lint_steps(tmp_path, steps)

    assert ["STEP_UNREACHABLE"] == [each.code for each in report.findings]
    assert "steps.b" == report.warnings[0].where.path


@pytest.mark.parametrize(
    "steps",
    [
        {"a": {"prompt": P}},
        {"a": {"prompt": P, "next": "b"}, "b": {"prompt": P, "next": "a"}},
        {"a": {"prompt": P, "check": {"keywords": ["x"], "onFail": {"retry": True}}}},
    ],
)
def test_a_flow_without_an_end_is_refused(tmp_path: Path, steps: Any) -> None:
    """If the completion is the end of the flow, a flow without an end is refused."""
    report = _lint_steps(tmp_path, steps)

    assert {"FLOW_ENDLESS"} == {each.code for each in report.errors}


def test_a_trap_in_a_flow_is_refused(tmp_path: Path) -> None:
    """A step from which no end can be reached is refused."""
    check = {"keywords": ["x"], "onPass": {"complete": True}, "onFail": {"next": "b"}}
    steps = {"a": {"prompt": P, "check": check}, "b": {"prompt": P}}
    report = _lint_steps(tmp_path, steps)

    assert ["steps.b"] == [each.where.path for each in report.errors]


@pytest.mark.parametrize(
    "behavior",
    [
        {"completionType": "externalState"},
        {
            "completionType": "composite",
            "completionConfig": {
                "conditions": [{"type": "stepMachine"}, {"type": "externalState"}]
            },
        },
    ],
)
def test_an_agent_that_is_done_otherwise_may_rest(tmp_path: Path, behavior: Any) -> None:
    """With another completion, a flow needs no end."""
    assert () == _lint_steps(tmp_path, {"a": {"prompt": P}}, behavior).findings


def test_all_conditions_ask_for_the_end(tmp_path: Path) -> None:
    """If all completions must hold and one is the flow's end, the flow needs an end."""
    conditions = [{"type": "stepMachine"}, {"type": "externalState"}]
    behavior = {
        "completionType": "composite",
        "completionConfig": {"mode": "all", "conditions": conditions},
    }
    report = _lint_steps(tmp_path, {"a": {"prompt": P}}, behavior)

    assert ["FLOW_ENDLESS"] == [each.code for each in report.errors]


def test_parts_lead_back_to_their_step(tmp_path: Path) -> None:
    """A sub-step leads back to its step."""
    steps = {
        "a": {"subSteps": ["p", "q"], "complete": True},
        "p": {"prompt": P},
        "q": {"prompt": P},
    }

    assert () == _lint_steps(tmp_path, steps).findings


@pytest.mark.parametrize("back", ["resume", "restart", "abort"])
def test_an_escalation_needs_no_last_transition(tmp_path: Path, back: str) -> None:
    """The last step of an escalation needs no transition."""
    check = {"keywords": ["OK"], "onPass": {"complete": True}, "onFail": {"escalate": True}}
    escalation = {"escalateTo": "h", "returnFlow": back}
    steps = {"a": {"prompt": P, "check": check, "escalation": escalation}, "h": {"prompt": P}}

    assert () == _lint_steps(tmp_path, steps).findings


@pytest.mark.parametrize(
    ("back", "lost"), [("resume", ["steps.a"]), ("restart", []), ("abort", [])]
)
def test_an_escalation_that_ends_the_agent_is_an_end(
    tmp_path: Path, back: str, lost: list[str]
) -> None:
    """An escalation that resumes leads back to its step; one that restarts or aborts does not."""
    check = {"keywords": ["OK"], "onFail": {"escalate": True}}
    once = {"keywords": ["OK"], "onPass": {"complete": True}, "onFail": {"next": "a"}}
    escalation = {"escalateTo": "h", "returnFlow": back}
    steps = {
        "first": {"prompt": P, "check": once},
        "a": {"prompt": P, "check": check, "escalation": escalation},
        "h": {"prompt": P},
    }

    assert lost == [each.where.path for each in _lint_steps(tmp_path, steps).errors]


def test_a_trap_inside_an_escalation_is_refused(tmp_path: Path) -> None:
    """Steps of an escalation that only lead to each other are refused."""
    check = {"keywords": ["OK"], "onPass": {"complete": True}, "onFail": {"escalate": True}}
    steps = {
        "a": {"prompt": P, "check": check, "escalation": {"escalateTo": "h"}},
        "h": {"prompt": P, "next": "i"},
        "i": {"prompt": P, "next": "h"},
    }
    report = _lint_steps(tmp_path, steps)

    assert ["steps.h", "steps.i"] == [each.where.path for each in report.errors]


def test_a_trap_that_may_give_up_is_none(tmp_path: Path) -> None:
    """A step of an escalation that may abort has an end."""
    check = {"keywords": ["OK"], "onPass": {"complete": True}, "onFail": {"escalate": True}}
    alarm = {"escalateTo": "mentor", "notificationMethod": "log", "returnFlow": "abort"}
    steps = {
        "a": {"prompt": P, "check": check, "escalation": {"escalateTo": "h"}},
        "h": {"prompt": P, "next": "i"},
        "i": {"prompt": P, "next": "h", "escalation": alarm},
    }

    assert () == _lint_steps(tmp_path, steps).findings


@pytest.mark.parametrize(
    ("steps", "code", "path"),
    [
        (
            {
                "a": {
                    "prompt": P,
                    "check": {
                        "keywords": ["x"],
                        "onPass": {"complete": True},
                        "onFail": {"retry": True, "onExhausted": "skip"},
                    },
                    "escalation": {"escalateTo": "mentor", "notificationMethod": "log"},
                }
            },
            "AMBIGUOUS_TRANSITION",
            "steps.a.check.onFail.onExhausted",
        ),
        (
            {
                "a": {
                    "prompt": P,
                    "check": {"keywords": ["x"], "onFail": {"retry": True, "onExhausted": "skip"}},
                    "next": "nowhere",
                }
            },
            "NEXT_STEP_UNKNOWN",
            "steps.a.next",
        ),
        (
            {"a": {"prompt": P, "nxet": "b"}, "b": {"prompt": P, "complete": True}},
            "UNKNOWN_KEY",
            "steps.a.nxet",
        ),
        ({"a": {"promt": P, "complete": True}}, "UNKNOWN_KEY", "steps.a.promt"),
        (
            {
                "a": {"type": "gatway", "routes": [{"variable": "iteration", "next": "b"}]},
                "b": {"prompt": P, "complete": True},
            },
            "UNKNOWN_VALUE",
            "steps.a.type",
        ),
        (
            {"a": {"prompt": P, "check": {"type": "keyord", "onPass": {"complete": True}}}},
            "UNKNOWN_VALUE",
            "steps.a.check.type",
        ),
    ],
)
def test_what_follows_from_a_mistake_is_no_further_one(
    tmp_path: Path, steps: Any, code: str, path: str
) -> None:
    """A mistake has one finding, without consequences."""
    found = [(each.code, each.where.path) for each in _lint_steps(tmp_path, steps).findings]

    assert [(code, path)] == found


def test_an_unknown_completion_does_not_make_a_flow_endless(tmp_path: Path) -> None:
    """With an unknown completion, a flow is not reported as endless."""
    steps = {"a": {"prompt": P}}
    alone = _lint_steps(tmp_path / "a", steps, {"completionType": "iteratonBudget"})
    conditions = [{"type": "stepMachine"}, {"type": "externlState"}]
    behavior = {"completionType": "composite", "completionConfig": {"conditions": conditions}}
    several = _lint_steps(tmp_path / "b", steps, behavior)

    assert ["UNKNOWN_VALUE"] == [each.code for each in alone.findings]
    assert ["UNKNOWN_VALUE"] == [each.code for each in several.findings]


@pytest.mark.parametrize(
    ("onward", "codes"), [({"onPass": {"complete": True}}, ["FIELD_MISSING"]), ({}, [])]
)
def test_a_skip_that_leads_nowhere_is_a_warning(
    tmp_path: Path, onward: Any, codes: list[str]
) -> None:
    """A skip on the last step is a warning."""
    retry = {"retry": True, "onExhausted": "skip"}
    check = {"keywords": ["OK"], "onFail": retry, **onward}
    leads = {} if onward else {"next": "b"}
    steps: dict[str, Any] = {"a": {"prompt": P, "check": check, **leads}}
    steps |= {} if onward else {"b": {"prompt": P, "complete": True}}

    assert codes == [each.code for each in _lint_steps(tmp_path, steps).warnings]


def test_a_gateway_that_may_fit_nowhere_is_a_warning(tmp_path: Path) -> None:
    """A gateway whose routes all have conditions is a warning."""
    route = {"variable": "iteration", "complete": True}
    way = {"type": "gateway", "routes": [route]}
    report = _lint_steps(tmp_path, {"a": way})

    assert ["FIELD_MISSING"] == [each.code for each in report.warnings]


def test_a_budget_beyond_the_limits_is_a_warning(tmp_path: Path) -> None:
    """A completion beyond the agent's limits is a warning."""
    behavior = {"completionType": "iterationBudget", "completionConfig": {"maxIterations": 200}}
    report = _lint_steps(tmp_path, {"a": {"prompt": P}}, behavior)

    assert ["LIMIT_BEFORE_END"] * 2 == [each.code for each in report.findings]


def test_a_budget_within_the_limits_is_well(tmp_path: Path) -> None:
    """A completion within the limits has no finding."""
    behavior = {"completionType": "iterationBudget", "completionConfig": {"maxIterations": 10}}

    assert () == _lint_steps(tmp_path, {"a": {"prompt": P}}, behavior).findings


def test_a_large_flow_is_read_in_little_time(tmp_path: Path) -> None:
    """A flow of thousands of steps and nested sub-steps is checked in linear time."""
    steps: dict[str, Any] = {f"s{n}": {"prompt": P, "next": f"s{n + 1}"} for n in range(3000)}
    steps["s3000"] = {"prompt": P, "complete": True}

    assert () == _lint_steps(tmp_path, steps).findings
