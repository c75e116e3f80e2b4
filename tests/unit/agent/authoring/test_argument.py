from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.definition import AgentDefinition
from saniwa.agent.files.agent_folder import read_agent
from saniwa.agent.files.parameters import resolve_arguments
from saniwa.core.errors import ConfigurationValidationError
from saniwa.core.findings import Report
from tests.fakes.agent_folder import AGENT, change_document, write_agent


def _read_with_parameters(folder: Path, parameters: Any) -> tuple[AgentDefinition | None, Report]:
    return read_agent(write_agent(folder, agent=change_document(AGENT, parameters=parameters)))


def _load_agent(folder: Path, parameters: Any) -> AgentDefinition:
    definition, report = _read_with_parameters(folder, parameters)
    assert definition is not None, report
    return definition


def _expect_refusal(agent: AgentDefinition, **given: Any) -> list[str]:
    with pytest.raises(ConfigurationValidationError) as caught:
        resolve_arguments(agent, given)
    assert "ARGUMENT_UNUSABLE" == caught.value.code
    return [each["message"] for each in caught.value.details["findings"]]


def test_an_argument_is_a_variable_of_its_name(tmp_path: Path) -> None:
    """An argument is a variable with the parameter's name."""
    agent = _load_agent(tmp_path, {"origin": {"type": "string"}})

    assert {"origin": "Tokyo"} == resolve_arguments(agent, {"origin": "Tokyo"})


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("number", 3, "3"),
        ("number", 3.0, "3"),
        ("number", "3.5", "3.5"),
        ("number", "3", "3"),
        ("boolean", True, "true"),
        ("boolean", "no", "false"),
        ("array", ["a", "b"], "a, b"),
        ("array", "a, b", "a, b"),
        ("string", "", ""),
    ],
)
def test_values_are_taken_as_their_type(
    tmp_path: Path, kind: str, given: Any, expected: str
) -> None:
    """The text of an argument is converted to its type."""
    agent = _load_agent(tmp_path, {"x": {"type": kind}})

    assert {"x": expected} == resolve_arguments(agent, {"x": given})


def test_a_default_replaces_what_is_not_given(tmp_path: Path) -> None:
    """A default replaces a missing argument; without one there is no variable."""
    agent = _load_agent(tmp_path, {"a": {"default": "x"}, "b": {}})

    assert {"a": "x"} == resolve_arguments(agent, {})


def test_every_agent_can_be_given_an_input(tmp_path: Path) -> None:
    """Any agent can have an input text, which is a variable only if it is given."""
    agent = _load_agent(tmp_path, {})

    assert {"input_text": "words"} == resolve_arguments(agent, {"input_text": "words"})
    assert {} == resolve_arguments(agent, {})


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    """All problems of the arguments are reported at once."""
    agent = _load_agent(
        tmp_path,
        {
            "needed": {"required": True},
            "times": {"type": "number", "validation": {"min": 1, "max": 3}},
            "word": {"validation": {"pattern": "[a-z]+"}},
            "size": {"validation": {"enum": ["s", "m"]}},
            "flag": {"type": "boolean"},
        },
    )
    found = _expect_refusal(agent, times=4, word="a1", size="xl", flag="perhaps", unknown="x")

    assert 6 == len(found)
    assert any("'unknown'" in each for each in found)
    assert any("more than 3" in each for each in found)
    assert any("does not match '[a-z]+'" in each for each in found)
    assert any("not one of 's', 'm'" in each for each in found)
    assert any("'needed' is required" in each for each in found)


def test_a_pattern_must_match_as_a_whole(tmp_path: Path) -> None:
    """A pattern must match the whole value."""
    agent = _load_agent(tmp_path, {"x": {"validation": {"pattern": "a|b"}}})

    assert {"x": "a"} == resolve_arguments(agent, {"x": "a"})
    assert 1 == len(_expect_refusal(agent, x="ab"))


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        ("number", 0, "less than 1"),
        ("array", ["x"] * 1_001, "more than 1000 items"),
        ("string", "x" * 100_001, "more than 100000 characters"),
        ("number", float("inf"), "not a number"),
        ("array", [1], "not a list of strings"),
    ],
)
def test_values_have_bounds(tmp_path: Path, kind: str, value: Any, said: str) -> None:
    """Values are limited in size, and numbers must be finite."""
    rule = {"min": 1} if kind == "number" else {}
    agent = _load_agent(tmp_path, {"x": {"type": kind, "validation": rule}})

    assert said in _expect_refusal(agent, x=value)[0]


def test_a_default_of_nothing_is_none(tmp_path: Path) -> None:
    """A default of `null` is no default."""
    assert {} == resolve_arguments(_load_agent(tmp_path, {"x": {"default": None}}), {})


def test_no_pattern_takes_long(tmp_path: Path) -> None:
    """A pattern is matched in linear time."""
    agent = _load_agent(tmp_path, {"x": {"validation": {"pattern": "(a+)+"}}})

    assert 1 == len(_expect_refusal(agent, x="a" * 50_000 + "!"))


@pytest.mark.parametrize(
    "parameter",
    [
        {"type": "text"},
        {"type": "number", "default": "x"},
        {"validation": {"pattern": "("}},
        {"validation": {"pattern": "a" * 1_001}},
        {"validation": {"pattern": "a)|(b"}},
        {"validation": {"pattern": "(?=a)"}},
        {"validation": {"pattern": r"(a)\1"}},
        {"validation": {"min": 1}},
        {"type": "number", "validation": {"min": 3, "max": 1}},
        {"type": "number", "validation": {"pattern": "x"}},
        {"type": "number", "validation": {"enum": ["x"]}},
        {"validation": {"enum": []}},
        {"default": "x", "validation": {"enum": ["y"]}},
        {"cli": "origin"},
        {"requird": True},
    ],
)
def test_a_parameter_that_cannot_be_is_a_finding(tmp_path: Path, parameter: Any) -> None:
    """Mistakes in parameters are findings of the agent."""
    definition, report = _read_with_parameters(tmp_path, {"x": parameter})

    assert definition is None
    assert all(each.where.path.startswith("parameters.x") for each in report.errors)


def test_two_parameters_cannot_share_an_option(tmp_path: Path) -> None:
    """Two parameters cannot have the same option."""
    _, report = _read_with_parameters(tmp_path, {"a": {"cli": "--x"}, "b": {"cli": "--x"}})

    assert ["DUPLICATE_KEY"] == [each.code for each in report.errors]


def test_a_parameter_is_named_as_variables_are(tmp_path: Path) -> None:
    """A parameter name that no prompt could use is refused."""
    _, report = _read_with_parameters(tmp_path, {"a b": {}})

    assert ["NAME_UNUSABLE"] == [each.code for each in report.errors]
