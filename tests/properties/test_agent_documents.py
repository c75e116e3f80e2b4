"""Whatever an agent's files contain, reading them ends with a report."""

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saniwa.agent.files.agent_folder import FolderConfigurationLoader, read_agent
from tests.fakes.agent_folder import AGENT, PROMPTS, REGISTRY, write_agent
from tests.fakes.nightly import scale_examples

_FULL_AGENT: dict[str, Any] = {
    **AGENT,
    "behavior": {
        "systemPromptPath": "prompts/system.md",
        "completionType": "composite",
        "completionConfig": {
            "operator": "and",
            "conditions": [
                {"type": "count:iteration", "config": {"maxIterations": 3}},
                {"type": "keywordSignal", "completionKeyword": "DONE"},
                {"type": "custom", "config": {"name": "ours", "config": {}}},
            ],
        },
        "allowedTools": ["Read"],
        "permissionMode": "plan",
        "speaks": False,
    },
    "parameters": {
        "topic": {
            "type": "string",
            "required": True,
            "default": "x",
            "cli": "--topic",
            "validation": {"pattern": "[a-z]+", "enum": ["x", "y"]},
        },
        "times": {"type": "number", "validation": {"min": 1, "max": 3}},
    },
    "prompts": {"registry": "steps_registry.json", "fallbackDir": "prompts"},
    "actions": {"enabled": True, "types": ["submit"], "outputFormat": "action"},
    "model": {"use": "canned:a.json", "url": "http://localhost", "maxTokens": 9},
    "limits": {"maxIterations": 9, "maxCost": 0.5},
    "logging": {"directory": "logs", "format": "text", "maxFiles": 2},
    "github": {},
}
_FULL_FLOW: dict[str, Any] = {
    **REGISTRY,
    "entryStepMapping": {"composite": "greet"},
    "steps": {
        **REGISTRY["steps"],
        "ask": {
            "prompt": {"path": "close.md"},
            "iterations": {"min": 1, "max": 2},
            "check": {
                "prompt": {"path": "close.md"},
                "onPass": {"complete": True},
                "onFail": {"retry": {"maxRetries": 1, "onExhausted": "skip"}},
            },
            "outputSchema": {"type": "object", "properties": {"a": {}}},
            "variables": ["uv-topic"],
        },
        "way": {
            "type": "gateway",
            "routes": [{"variable": "x", "equals": 1, "next": "ask"}],
            "next": "greet",
        },
        "look": {
            "type": "gateway",
            "check": {"keywords": ["OK"], "onPass": {"next": "all"}, "onFail": {"escalate": True}},
            "escalation": {"escalateTo": "close", "returnFlow": "abort"},
        },
        "all": {"subSteps": {"sequential": True, "subSteps": ["part"]}, "next": "way"},
        "part": {"prompt": "close.md"},
    },
}
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(["greet", "ask", "part", "composite", "..", "../x", "(", "a" * 300]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=4) | st.sampled_from(["type", "next", "path", "c1", "retry"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


def _list_paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [path, *(p for step, part in inner for p in _list_paths(part, (*path, step)))]


def _replace_at(whole: Any, path: tuple[str | int, ...], value: Any) -> Any:
    if not path:
        return value
    made = json.loads(json.dumps(whole))
    here = made
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    return made


@settings(max_examples=scale_examples(400), suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(_list_paths(_FULL_AGENT)) | st.none(),
    st.sampled_from(_list_paths(_FULL_FLOW)) | st.none(),
    _JSON,
)
def test_a_mutated_agent_is_read_or_reported(
    in_agent: tuple[str | int, ...] | None, in_flow: tuple[str | int, ...] | None, value: Any
) -> None:
    """No value in any place raises; without a definition there is an error with a location."""
    agent = _FULL_AGENT if in_agent is None else _replace_at(_FULL_AGENT, in_agent, value)
    flow = _FULL_FLOW if in_flow is None else _replace_at(_FULL_FLOW, in_flow, value)
    with tempfile.TemporaryDirectory() as folder:
        write_agent(Path(folder), agent=json.dumps(agent), registry=json.dumps(flow))
        definition, report = read_agent(folder)

    assert (definition is None) == bool(report.errors)
    assert all(each.where.file for each in report.findings)
    if definition is not None:
        assert FolderConfigurationLoader().validate(definition).valid


@settings(max_examples=scale_examples(150))
@given(st.binary(max_size=60), st.text(max_size=60))
def test_any_bytes_and_any_prompt_are_reported(content: bytes, prompt: str) -> None:
    """Files that are not documents and prompts that are not templates raise nothing."""
    with tempfile.TemporaryDirectory() as folder:
        write_agent(Path(folder), prompts={**PROMPTS, "close.md": ""})
        (Path(folder) / "prompts" / "close.md").write_bytes(prompt.encode("utf-8", "surrogatepass"))
        (Path(folder) / "config.json").write_bytes(content)
        definition, report = read_agent(folder)

    assert (definition is None) == bool(report.errors)


def test_the_whole_example_is_right(tmp_path: Path) -> None:
    """The unmutated example is read without an error, so the mutations above reach deep."""
    write_agent(tmp_path, agent=_FULL_AGENT, registry=_FULL_FLOW)
    _, report = read_agent(tmp_path)

    assert () == report.errors
