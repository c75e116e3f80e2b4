"""`saniwa gate check` and `saniwa gate graph`, as commands."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from saniwa.cli.gate.processes import check, graph
from saniwa.core.errors import ProcessError

GOOD = """\
process_id: tiny
version: "1"
name: Tiny
states: [begun, {name: over, is_final: true}]
events: [{name: go, allowed_roles: "*"}]
transitions: [{from: begun, event: go, to: over}]
"""


@pytest.fixture(autouse=True)
def _enter_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("SANIWA_GATE", "STATE_GATE_PROCESS_DIR", "STATE_GATE_PROJECT_ROOT"):
        monkeypatch.delenv(name, raising=False)


def _run_check(*words: str) -> Result:
    return CliRunner().invoke(check, list(words), catch_exceptions=False)


def _run_graph(*words: str) -> Result:
    return CliRunner().invoke(graph, list(words), catch_exceptions=False)


def _write_process(text: str, name: str = "tiny.yaml") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_a_sound_process_is_reported_with_its_size() -> None:
    """A process without findings is reported with its size, with status 0."""
    done = _run_check(_write_process(GOOD))

    assert (0, "tiny.yaml: no findings (2 states, 1 transition)\n") == (done.exit_code, done.output)


def test_findings_are_shown_with_the_line_and_a_caret() -> None:
    """Every mistake is shown with place and hint; the status is 1, and a count comes last."""
    done = _run_check(_write_process(GOOD.replace("to: over", "to: ovr")))

    assert 1 == done.exit_code
    assert (
        "error[INVALID_TRANSITION_TO]: 'to' is 'ovr', but there is no such state\n"
        "  at tiny.yaml:6:44 (transitions[0].to)\n"
        "     6 | transitions: [{from: begun, event: go, to: ovr}]\n"
        "       |                                            ^\n"
        "  hint: did you mean 'over'?\n"
    ) in done.output
    assert done.output.endswith("3 errors, 0 warnings, 0 notes in 1 file\n")


def test_warnings_count_only_when_asked() -> None:
    """With `--strict` a warning gives the same status as an error."""
    file = _write_process(GOOD + "artifacts: [seal]\n")

    assert 0 == _run_check(file).exit_code
    assert 1 == _run_check(file, "--strict").exit_code


def test_machines_get_every_field() -> None:
    """With `--json` a check has the same fields as the check of a story."""
    told = json.loads(_run_check(_write_process(GOOD + "artifacts: [seal]\n"), "--json").output)

    assert (True, "ok", ["tiny.yaml"], 0, 1) == (
        told["ok"],
        told["status"],
        told["files"],
        told["error_count"],
        told["warning_count"],
    )
    assert ("ARTIFACT_UNUSED", 7, 13) == (
        told["findings"][0]["code"],
        told["findings"][0]["line"],
        told["findings"][0]["column"],
    )


def test_what_cannot_be_read_stops() -> None:
    """A missing file is not a finding and exits with status 3."""
    assert 3 == _run_check("none.yaml").exit_code


def test_without_a_name_everything_is_checked() -> None:
    """A check without a name covers the project's processes and the shipped ones, each once."""
    Path(".state_gate/processes").mkdir(parents=True)
    _write_process(GOOD, ".state_gate/processes/tiny.yaml")

    told = json.loads(_run_check("--json").output)
    assert ["experiment", "experiment_review", "exploration", "scenario_publishing", "tiny"] == [
        Path(file).stem for file in told["files"]
    ]


def test_an_unknown_id_is_an_error() -> None:
    """An unknown process id is an error and not guessed."""
    with pytest.raises(ProcessError, match="PROCESS_NOT_FOUND"):
        _run_check("explorer")


def test_a_process_is_drawn_in_three_forms() -> None:
    """A process is drawn as Mermaid by default, as SVG into a file, and as JSON."""
    file = _write_process(GOOD)

    assert _run_graph(file).output.startswith('flowchart TD\n    n0["begun"]\n')
    assert 0 == _run_graph(file, "--format", "svg", "-o", "tiny.svg").exit_code
    assert ET.fromstring(Path("tiny.svg").read_text(encoding="utf-8")).tag
    told = json.loads(_run_graph(file, "--format", "json").output)
    assert ["begun", "over"] == [node["name"] for node in told["nodes"]]


def test_a_broken_process_is_not_drawn() -> None:
    """A process with errors is not drawn."""
    with pytest.raises(ProcessError, match="INVALID_PROCESS"):
        _run_graph(_write_process(GOOD.replace("to: over", "to: ovr")))
