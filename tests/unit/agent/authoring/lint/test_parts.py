from pathlib import Path
from typing import Any

from saniwa.agent.files.agent_folder import read_agent
from saniwa.agent.files.lint import DEEPEST_SUB_STEPS
from saniwa.core.findings import Finding
from tests.fakes.agent_folder import make_flow, write_agent

P = "close.md"


def _list_errors(folder: Path, steps: Any, entry: str = "") -> tuple[Finding, ...]:
    path = write_agent(folder, registry=make_flow(steps, entry))
    return read_agent(path)[1].errors


def test_a_ring_of_parts_is_reported_once(tmp_path: Path) -> None:
    """A cycle of sub-steps is one finding."""
    steps = {
        "a": {"subSteps": ["b"], "complete": True},
        "b": {"subSteps": ["c"]},
        "c": {"subSteps": ["b"]},
    }
    found = [each.message for each in _list_errors(tmp_path, steps)]

    assert ["the step 'b' is a sub-step of itself: 'b' → 'c' → 'b'"] == found


def test_two_steps_may_share_a_part(tmp_path: Path) -> None:
    """Two steps may have the same sub-step."""
    steps = {
        "a": {"subSteps": ["p", "p"], "next": "b"},
        "b": {"subSteps": ["p"], "complete": True},
        "p": {"prompt": P},
    }

    assert () == _list_errors(tmp_path, steps)


def test_a_part_says_it_is_one_or_nothing(tmp_path: Path) -> None:
    """A gateway or an ordinary step cannot be a sub-step."""
    steps = {"a": {"subSteps": ["p"], "complete": True}, "p": {"prompt": P, "type": "normal"}}

    assert ["SUBSTEP_UNFIT"] == [each.code for each in _list_errors(tmp_path, steps)]


def test_nothing_leads_into_another_steps_part(tmp_path: Path) -> None:
    """A transition into another step's sub-step is a finding."""
    steps = {
        "a": {"prompt": P, "next": "p"},
        "b": {"subSteps": ["p"], "complete": True},
        "p": {"prompt": P},
    }

    assert ["steps.a.next"] == [each.where.path for each in _list_errors(tmp_path, steps)]


def test_the_end_of_a_part_is_not_the_flows(tmp_path: Path) -> None:
    """`complete` in a sub-step or an escalation is a warning, because it ends only that."""
    check = {"keywords": ["x"], "onPass": {"complete": True}}
    escalated = {**check, "onFail": {"escalate": True}}
    steps = {
        "a": {"subSteps": ["p"], "check": escalated, "escalation": {"escalateTo": "h"}},
        "p": {"prompt": P, "check": check},
        "h": {"prompt": P, "complete": True},
    }
    path = write_agent(tmp_path, registry=make_flow(steps))
    report = read_agent(path)[1]

    assert () == report.errors
    assert [
        ("SUBSTEP_UNFIT", "steps.p.check.onPass.complete"),
        ("SUBSTEP_UNFIT", "steps.h.complete"),
    ] == [(each.code, each.where.path) for each in report.warnings]


def test_a_part_that_leads_out_of_its_step_is_reported(tmp_path: Path) -> None:
    """A sub-step that leads out of its step is a warning."""
    steps = {
        "a": {"subSteps": ["p"], "next": "b"},
        "p": {"prompt": P, "next": "b"},
        "b": {"prompt": P, "complete": True},
    }
    path = write_agent(tmp_path, registry=make_flow(steps))
    (found,) = read_agent(path)[1].findings

    assert ("SUBSTEP_UNFIT", "warning", "steps.p.next") == (
        found.code,
        found.severity,
        found.where.path,
    )


def test_a_flow_begins_with_no_part(tmp_path: Path) -> None:
    """The first step cannot be a sub-step."""
    steps = {"a": {"subSteps": ["p"], "complete": True}, "p": {"prompt": P}}

    assert ["entryStep"] == [each.where.path for each in _list_errors(tmp_path, steps, "p")]


def test_parts_nest_only_so_deep(tmp_path: Path) -> None:
    """The nesting of sub-steps is limited."""
    steps: dict[str, Any] = {
        f"s{n}": {"subSteps": [f"s{n + 1}"]} for n in range(DEEPEST_SUB_STEPS + 1)
    }
    steps["s0"]["complete"] = True
    steps[f"s{DEEPEST_SUB_STEPS + 1}"] = {"prompt": P}

    assert ["SUBSTEP_UNFIT"] == [each.code for each in _list_errors(tmp_path, steps)]


def test_many_ways_to_one_part_cost_little(tmp_path: Path) -> None:
    """Sub-steps that are shared many times are each checked once."""
    steps: dict[str, Any] = {
        f"s{n}": {"subSteps": [f"s{n + 1}"] * 50} for n in range(DEEPEST_SUB_STEPS - 1)
    }
    steps["s0"]["complete"] = True
    steps[f"s{DEEPEST_SUB_STEPS - 1}"] = {"prompt": P}

    assert () == _list_errors(tmp_path, steps)
