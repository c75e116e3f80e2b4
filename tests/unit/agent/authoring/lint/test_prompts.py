from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.files.agent_folder import read_agent
from saniwa.agent.prompt_resolver import LARGEST_PROMPT
from saniwa.core.findings import Finding
from tests.fakes.agent_folder import (
    AGENT,
    PROMPTS,
    REGISTRY,
    change_document,
    make_flow,
    write_agent,
)


def _find_in_prompts(folder: Path, close: str, **parts: Any) -> tuple[Finding, ...]:
    prompts = {**PROMPTS, "close.md": close}
    return read_agent(write_agent(folder, prompts=prompts, **parts))[1].findings


def test_a_variable_without_a_source_is_a_warning_at_its_place(tmp_path: Path) -> None:
    """A variable without a source is a warning at its place, with the nearest one."""
    (found,) = _find_in_prompts(tmp_path, "Hello.\nTo {uv-iteratoin}, {uv-iteratoin}")

    assert ("VARIABLE_UNDEFINED", "warning") == (found.code, found.severity)
    assert ("close.md", 2, 4) == (Path(found.where.file).name, found.where.line, found.where.column)
    assert "did you mean 'iteration'?" == found.hint


@pytest.mark.parametrize(
    "name", ["agent_name", "scene", "state_prompt", "previous_summary", "input_text"]
)
def test_what_the_loop_and_the_port_say_is_supplied(tmp_path: Path, name: str) -> None:
    """The standard variables need no parameter."""
    assert () == _find_in_prompts(tmp_path, f"Hello {{uv-{name}}}")


@pytest.mark.parametrize("name", ["topic", "issue"])
def test_what_only_a_user_could_say_needs_a_parameter(tmp_path: Path, name: str) -> None:
    """The usual name of a parameter is not supplied without the parameter."""
    (found,) = _find_in_prompts(tmp_path, f"Hello {{uv-{name}}}")

    assert "VARIABLE_UNDEFINED" == found.code


def test_parameters_and_outputs_are_supplied(tmp_path: Path) -> None:
    """Parameters, and the fields of a step's schema, are supplied."""
    agent = change_document(AGENT, parameters={"town": {}})
    first = {
        "prompt": {"c1": "steps", "c2": "initial", "c3": "greet"},
        "outputSchema": {"type": "object", "properties": {"plan": {}}},
        "next": "close",
    }
    flow = make_flow({"initial.x": first, "close": REGISTRY["steps"]["close"]})
    close = "{uv-town} {uv-initial_x_plan}"

    assert () == _find_in_prompts(tmp_path, close, agent=agent, registry=flow)


def test_declared_variables_are_looked_at(tmp_path: Path) -> None:
    """A variable listed by a step must be supplied."""
    step = {
        "prompt": "close.md",
        "complete": True,
        "variables": ["uv-nowhere", "uv-iteration"],
        "customVariables": ["uv-ours"],
    }
    (found,) = _find_in_prompts(tmp_path, "{uv-ours}", registry=make_flow({"a": step}))

    assert "steps.a.variables[0]" == found.where.path


def test_routes_are_looked_at_as_prompts_are(tmp_path: Path) -> None:
    """The variable of a route must be supplied, as in a prompt."""
    routes = [
        {"variable": name, "next": "b"}
        for name in ("plan_mod", "plan_mood", "iteration", "is_final")
    ]
    schema = {"type": "object", "properties": {"mood": {}}}
    steps = {
        "plan": {"prompt": "close.md", "outputSchema": schema, "next": "way"},
        "way": {"type": "gateway", "routes": routes, "complete": True},
        "b": {"prompt": "close.md", "complete": True},
    }
    (found,) = _find_in_prompts(tmp_path, "x", registry=make_flow(steps))

    assert ("VARIABLE_UNDEFINED", "steps.way.routes[0].variable") == (found.code, found.where.path)
    assert "did you mean 'plan_mood'?" == found.hint


def test_what_could_not_be_read_may_supply_a_variable(tmp_path: Path) -> None:
    """If a parameter or a schema is invalid, its variables are not reported as missing."""
    agent = change_document(AGENT, parameters=["town"])
    (first,) = _find_in_prompts(tmp_path / "a", "{uv-town}", agent=agent)
    step = {"prompt": "close.md", "outputShema": {}, "complete": True}
    flow = make_flow({"plan": step})
    (second,) = _find_in_prompts(tmp_path / "b", "{uv-plan_mood}", registry=flow)

    assert ("WRONG_TYPE", "UNKNOWN_KEY") == (first.code, second.code)


def test_an_unreadable_file_next_to_prompts_is_reported(tmp_path: Path) -> None:
    """An unreadable file among the prompts is a warning, and not part of the hash."""
    folder = write_agent(tmp_path)
    plain = read_agent(folder)[0]
    (tmp_path / "prompts" / "other.md").symlink_to(tmp_path / "agent.json")
    definition, report = read_agent(folder)

    assert definition is not None
    assert plain is not None
    assert plain.hash == definition.hash
    assert [("PROMPT_PARSE", "warning")] == [(each.code, each.severity) for each in report.findings]


def test_a_check_may_show_the_answer(tmp_path: Path) -> None:
    """`response` is supplied to the prompt of a check only."""
    check = {"prompt": "close.md", "onPass": {"complete": True}}
    step = {"prompt": "steps/initial/greet/f_default.md", "check": check}
    flow = make_flow({"a": step})

    assert () == _find_in_prompts(tmp_path, "Is this right? {uv-response}", registry=flow)


def test_a_broken_template_is_reported_at_its_place(tmp_path: Path) -> None:
    """A template with an unclosed variable is an error at its place."""
    (found,) = _find_in_prompts(tmp_path, "Hello\n  {uv-name and")

    assert ("PROMPT_PARSE", 2, 3) == (found.code, found.where.line, found.where.column)


@pytest.mark.parametrize("content", [b"\xff\xfe", b" \n", b"x" * (LARGEST_PROMPT + 1)])
def test_a_prompt_that_cannot_be_read_is_reported(tmp_path: Path, content: bytes) -> None:
    """A prompt in another encoding, an empty one and one that is too large are errors."""
    folder = write_agent(tmp_path)
    (tmp_path / "prompts" / "close.md").write_bytes(content)

    assert ["PROMPT_PARSE"] == [each.code for each in read_agent(folder)[1].errors]
