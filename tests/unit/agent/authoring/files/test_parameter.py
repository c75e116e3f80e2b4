from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.files.agent_folder import read_agent
from saniwa.core.findings import Finding
from tests.fakes.agent_folder import AGENT, change_document, write_agent


def _find_in_parameters(folder: Path, parameters: Any) -> tuple[Finding, ...]:
    agent = change_document(AGENT, parameters=parameters)
    return read_agent(write_agent(folder, agent=agent))[1].findings


@pytest.mark.parametrize(
    ("parameters", "severity", "path"),
    [
        ({"run": {}}, "warning", "parameters.run"),
        ({"max_calls": {}}, "warning", "parameters.max_calls"),
        ({"x": {"cli": "--model"}}, "error", "parameters.x.cli"),
    ],
)
def test_an_option_of_the_command_itself_is_reported(
    tmp_path: Path, parameters: Any, severity: str, path: str
) -> None:
    """A parameter with an option of the command itself is a finding."""
    (found,) = _find_in_parameters(tmp_path, parameters)

    assert ("NAME_RESERVED", severity, path) == (found.code, found.severity, found.where.path)


def test_two_parameters_need_two_options(tmp_path: Path) -> None:
    """Two parameters with the same option are a finding."""
    (found,) = _find_in_parameters(tmp_path, {"a_b": {}, "a-b": {}})

    assert "DUPLICATE_KEY" == found.code


def test_of_an_unknown_type_nothing_more_is_reported(tmp_path: Path) -> None:
    """The default and the rules of a parameter of an unknown type are not checked."""
    rule = {"min": 1, "enum": [["a"]]}
    (found,) = _find_in_parameters(
        tmp_path, {"x": {"type": "list", "default": ["a"], "validation": rule}}
    )

    assert ("UNKNOWN_VALUE", "parameters.x.type", "write 'array'") == (
        found.code,
        found.where.path,
        found.hint,
    )


@pytest.mark.parametrize(
    ("parameter", "said", "hint"),
    [
        ({"type": "number", "default": "3"}, "is not a number", "without quotes"),
        ({"type": "array", "default": "a"}, "is not a list of strings", "write a list"),
        ({"default": "b", "validation": {"enum": ["a"]}}, "is not one of", "change the value"),
        ({"validation": {"pattern": "[a-z"}}, "unterminated character set", "fix it"),
        ({"validation": {"pattern": "(?=a)"}}, "look-around", "fix it"),
    ],
)
def test_a_mistake_has_a_hint(tmp_path: Path, parameter: Any, said: str, hint: str) -> None:
    """Each mistake in a parameter has a hint."""
    (found,) = _find_in_parameters(tmp_path, {"x": parameter})

    assert said in found.message
    assert hint in found.hint
