"""The table of the gate's answers names every field that an answer can have."""

import re

import msgspec
import pytest

from saniwa.process.artifact import Artifact
from saniwa.process.automatic_transitions import FiredTimer
from saniwa.process.event_record import Approval, EventRecord, LogNote, RunOpening
from saniwa.process.review import Review, ReviewedArtifact
from saniwa.process.ruling import MissingGuard
from saniwa.process.run_state import PersonDecision, ProcessRunSummary
from saniwa.process.run_view import (
    DueTransition,
    PossibleTransition,
    RequiredArtifact,
    RunState,
    SendableEvent,
)
from saniwa.process.submission import SubmissionProblem
from tests.house.pages import ROOT

_PAGE = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
_TABLE = _PAGE.partition("### Answers in JSON")[2].partition("\n## ")[0]
_ROWS = {
    RunState: "`state`",
    PersonDecision: "`state`",
    MissingGuard: "… `missing_guards`",
    RequiredArtifact: "… `required_artifacts`",
    DueTransition: "… `due`",
    SendableEvent: "`events`",
    PossibleTransition: "… `transitions`",
    SubmissionProblem: "",
    Review: "`review`",
    ReviewedArtifact: "… `evidence`",
    ProcessRunSummary: "`runs`",
    EventRecord: "… an event",
    Approval: "… an event",
    RunOpening: "… an event",
    Artifact: "… `artifacts`",
    LogNote: "… a note",
    FiredTimer: "`tick`",
}


def _read_row(title: str) -> set[str]:
    rows = [line.split("|") for line in _TABLE.split("\n") if line.startswith("| ")]
    told = [row[2] for row in rows if row[1].strip() == title]
    assert 1 == len(told), title
    return set(re.findall(r"`([a-z_]+)`", told[0]))


@pytest.mark.parametrize("kind", _ROWS, ids=lambda kind: kind.__name__)
def test_every_field_of_an_answer_is_named(kind: type[msgspec.Struct]) -> None:
    """The table's row for an answer names every field that it can have."""
    names = {field.encode_name for field in msgspec.structs.fields(kind)}

    assert not names - _read_row(_ROWS[kind])
