from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.definition import (
    CheckBudget,
    CompletionDefinition,
    CompositeCompletion,
    CustomCompletion,
    ExternalState,
    IterationBudget,
    KeywordSignal,
    StepMachine,
    StructuredSignal,
)
from saniwa.agent.files.agent_file import DEEPEST_COMPLETION
from saniwa.agent.files.agent_folder import read_agent
from saniwa.core.findings import Report
from tests.fakes.agent_folder import AGENT, change_document, write_agent


def _read_completion(
    folder: Path, kind: str, config: Any = None
) -> tuple[CompletionDefinition, Report]:
    behavior = {"completionType": kind}
    behavior |= {} if config is None else {"completionConfig": config}
    agent = change_document(AGENT, behavior=behavior)
    definition, report = read_agent(write_agent(folder, agent=agent))
    return (definition.completion if definition else StepMachine()), report


@pytest.mark.parametrize(
    ("kind", "config", "expected"),
    [
        ("iterationBudget", {"maxIterations": 3}, IterationBudget(max_iterations=3)),
        ("iterationBudget", None, IterationBudget(max_iterations=100)),
        ("checkBudget", {"maxChecks": 2}, CheckBudget(max_checks=2)),
        ("keywordSignal", {"completion_keyword": "DONE"}, KeywordSignal(completion_keyword="DONE")),
        (
            "structuredSignal",
            {"signalType": "done", "requiredFields": {"ok": True}},
            StructuredSignal(signal_type="done", required_fields={"ok": True}),
        ),
        (
            "externalState",
            {"fact": "state", "equals": "sent"},
            ExternalState(fact="state", equals="sent"),
        ),
        ("externalState", {"equals": None}, ExternalState(equals=None)),
        ("stepMachine", None, StepMachine()),
        ("custom", {"name": "ours"}, CustomCompletion(name="ours")),
        (
            "composite",
            {
                "mode": "all",
                "conditions": [
                    {"type": "iterationBudget", "config": {"maxIterations": 3}},
                    {"type": "keywordSignal", "completionKeyword": "DONE"},
                ],
            },
            CompositeCompletion(
                mode="all",
                conditions=(
                    IterationBudget(max_iterations=3),
                    KeywordSignal(completion_keyword="DONE"),
                ),
            ),
        ),
    ],
)
def test_each_type_is_read(
    tmp_path: Path, kind: str, config: Any, expected: CompletionDefinition
) -> None:
    """Every completion type and its configuration are read."""
    found, report = _read_completion(tmp_path, kind, config)

    assert () == report.errors
    assert expected == found


@pytest.mark.parametrize(
    ("old", "config", "new"),
    [
        ("issue", None, "externalState"),
        ("poll:state", None, "externalState"),
        ("iterate", None, "iterationBudget"),
        ("count:iteration", None, "iterationBudget"),
        ("count:check", None, "checkBudget"),
        ("manual", {"completionKeyword": "DONE"}, "keywordSignal"),
        ("detect:keyword", {"completionKeyword": "DONE"}, "keywordSignal"),
        ("detect:structured", {"signalType": "x"}, "structuredSignal"),
        ("project", None, "stepMachine"),
        ("phaseCompletion", None, "stepMachine"),
        ("stepFlow", None, "stepMachine"),
        ("detect:graph", None, "stepMachine"),
        ("facilitator", {"conditions": [{"type": "stepMachine"}]}, "composite"),
        ("meta:composite", {"conditions": [{"type": "stepMachine"}]}, "composite"),
        ("meta:custom", {"name": "ours"}, "custom"),
    ],
)
def test_an_old_word_is_read_with_a_warning(
    tmp_path: Path, old: str, config: Any, new: str
) -> None:
    """An old name is read with a warning that has the new one."""
    _, report = _read_completion(tmp_path, old, config)
    (warning,) = [each for each in report.warnings if each.code == "OLD_NOTATION"]

    assert () == report.errors
    assert repr(new) in warning.message


@pytest.mark.parametrize(("operator", "mode"), [("and", "all"), ("or", "any"), ("first", "any")])
def test_an_old_operator_is_a_mode(tmp_path: Path, operator: str, mode: str) -> None:
    """The old `operator` is read as `mode`, with a warning."""
    config = {"operator": operator, "conditions": [{"type": "stepMachine"}]}
    found, report = _read_completion(tmp_path, "composite", config)

    assert isinstance(found, CompositeCompletion)
    assert mode == found.mode
    assert ["OLD_NOTATION"] == [each.code for each in report.warnings]


def test_an_unknown_type_is_reported_with_all_that_are_allowed(tmp_path: Path) -> None:
    """The hint for an unknown type lists all completion types."""
    _, report = _read_completion(tmp_path, "nothing")

    assert ["UNKNOWN_VALUE"] == [each.code for each in report.errors]
    assert "iterationBudget" in report.errors[0].hint
    assert "composite" in report.errors[0].hint


def test_a_path_to_code_is_refused_and_says_why(tmp_path: Path) -> None:
    """A path to code is refused, because files of an agent are never executed."""
    _, report = _read_completion(tmp_path, "custom", {"handlerPath": "./done.ts"})
    (found,) = report.errors

    assert "UNKNOWN_KEY" == found.code
    assert "files of an agent are never executed" in found.message
    assert "saniwa.completion" in found.hint


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        ("keywordSignal", {}),
        ("keywordSignal", {"completionKeyword": " "}),
        ("structuredSignal", {}),
        ("custom", {}),
        ("composite", {}),
        ("composite", {"conditions": []}),
        ("composite", {"conditions": [{}]}),
        ("composite", {"conditions": [3]}),
        ("composite", {"mode": "some", "conditions": [{"type": "stepMachine"}]}),
        ("composite", {"mode": "any", "operator": "or", "conditions": [{"type": "stepMachine"}]}),
        ("iterationBudget", {"maxIterations": 0}),
        ("iterationBudget", {"maxIterations": True}),
        ("stepMachine", {"max": 1}),
    ],
)
def test_a_completion_that_lacks_something_is_refused(
    tmp_path: Path, kind: str, config: Any
) -> None:
    """A completion that could never end, or would end at once, is refused."""
    _, report = _read_completion(tmp_path, kind, config)

    assert report.errors


def test_composites_nest_only_so_deep(tmp_path: Path) -> None:
    """The nesting of composites is limited."""
    config: Any = {"conditions": [{"type": "stepMachine"}]}
    for _ in range(DEEPEST_COMPLETION):
        config = {"conditions": [{"type": "composite", "config": config}]}
    _, report = _read_completion(tmp_path, "composite", config)

    assert ["WRONG_TYPE"] == [each.code for each in report.errors]


@pytest.mark.parametrize("fact", ["goal_reach", "flags.lamp", "state.name"])
def test_a_fact_that_is_never_supplied_is_a_warning(tmp_path: Path, fact: str) -> None:
    """A fact that neither a world nor a gate supplies is a warning."""
    _, report = _read_completion(tmp_path, "externalState", {"fact": fact})
    (found,) = report.findings

    assert ("COMPLETION_FACT_UNKNOWN", "behavior.completionConfig.fact") == (
        found.code,
        found.where.path,
    )


def test_a_fact_of_a_process_is_reported(tmp_path: Path) -> None:
    """The variables of a process are accepted as facts."""
    _, report = _read_completion(tmp_path, "externalState", {"fact": "variables.mood"})

    assert () == report.findings


def test_a_plugin_that_is_not_installed_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A completion plugin that is not installed is a warning with the nearest one."""
    monkeypatch.setattr("saniwa.agent.files.agent_file.list_installed", lambda _: ["moonrise"])
    _, report = _read_completion(tmp_path, "custom", {"name": "moonrse"})
    (found,) = report.findings

    assert ("COMPLETION_PLUGIN_UNKNOWN", "did you mean 'moonrise'?") == (found.code, found.hint)
    assert () == _read_completion(tmp_path, "custom", {"name": "moonrise"})[1].findings
