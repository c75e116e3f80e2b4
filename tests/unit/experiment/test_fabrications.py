import msgspec
import pytest

from saniwa.agent.tools.tool import CallResults
from saniwa.documents.document import make_document
from saniwa.experiment.fabrications import find_fabrications
from saniwa.process.artifact import Claim
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.reader import read_process_document
from saniwa.process.ruling import EventRefusal, MissingGuard
from saniwa.process.submission import SubmissionProblem

_CHECKED = {
    "process_id": "checked",
    "version": "1",
    "name": "Checked",
    "states": ["open", {"name": "done", "is_final": True}],
    "events": [{"name": "close", "allowed_roles": ["*"]}],
    "transitions": [{"from": "open", "event": "close", "to": "done", "guard": "all"}],
    "artifacts": [{"type": "report"}, {"type": "play", "lookup": "run_log"}],
    "guards": {
        "all": {"type": "all", "guards": ["made", "replayed", "tested", "formed"]},
        "made": {"type": "artifact", "artifact_type": "report", "condition": "exists"}
        | {"made_by": "gate"},
        "replayed": {"type": "check", "kind": "run_replay", "subject": "{artifact.report.run}"},
        "tested": {"type": "check", "kind": "command", "command": ["true"]},
        "formed": {"type": "check", "kind": "json_schema", "artifact_type": "report"}
        | {"schema": {"type": "object"}},
    },
}


@pytest.mark.parametrize(
    ("guard", "claim", "expected"),
    [
        ("all", Claim(path="report.json"), ("contradicted", "typed")),
        ("made", Claim(path="report.json"), ("typed",)),
        ("made", Claim(path="other.json"), ()),
        ("replayed", Claim(path="report.json"), ("contradicted",)),
        ("tested", Claim(path="report.json"), ()),
        ("formed", Claim(path="report.json"), ()),
        ("", Claim(path="report.json"), ()),
    ],
)
def test_what_a_failed_guard_says_about_evidence(
    guard: str, claim: Claim, expected: tuple[str, ...]
) -> None:
    """A failed test is not a fabrication; a report of work that was not done is."""
    refusal = EventRefusal(
        code="GUARD_FAILED", message="", missing_guards=(MissingGuard(guard, "", ""),)
    )

    assert expected == find_fabrications(_index(), [claim], refusal, CallResults())


@pytest.mark.parametrize(
    ("claim", "path", "expected"),
    [
        (Claim(path="report.json", made_by="tool", call="none"), "/artifact_paths/0", ("unmade",)),
        (Claim(path="report.json", made_by="gate"), "/artifact_paths/0", ("unmade",)),
        (Claim(type="play", content={"run": "x"}), "/artifacts/0", ("contradicted",)),
        (Claim(path="report.json"), "/artifact_paths/0", ()),
        (Claim(path="report.json", made_by="tool", call="none"), "/payload", ()),
    ],
)
def test_what_a_refused_piece_of_evidence_says(
    claim: Claim, path: str, expected: tuple[str, ...]
) -> None:
    """Refused evidence of work that was not done counts as a fabrication."""
    problem = SubmissionProblem(path, "")
    refusal = EventRefusal(code="INVALID_PAYLOAD", message="", validation_errors=(problem,))

    assert expected == find_fabrications(_index(), [claim], refusal, CallResults())


def test_a_tools_result_that_was_changed_was_not_made_by_the_tool() -> None:
    """A tool's result that was changed counts as not made by the tool."""
    made = CallResults()
    made.add_entry({"event": "toolStarted", "attempt": "a", "tool": "measure"})
    output = {"text": "6.0", "resultFrom": 0}
    made.add_entry({"event": "toolFinished", "attempt": "a", "tool": "measure", "output": output})
    problem = SubmissionProblem("/artifact_paths/0", "")
    refusal = EventRefusal(code="INVALID_PAYLOAD", message="", validation_errors=(problem,))
    said = Claim(path="report.json", made_by="tool", call="measure")
    changed = msgspec.structs.replace(said, content="8.0")

    assert () == find_fabrications(_index(), [said], refusal, made)
    assert ("unmade",) == find_fabrications(_index(), [changed], refusal, made)


def _index() -> ProcessIndex:
    process = read_process_document(make_document(_CHECKED, "checked.yaml")).process
    assert process is not None
    return ProcessIndex(process)
