"""The table of the gate's answers names every field that an answer can have."""

import re

import msgspec
import pytest

from saniwa.process.artifact import Artifact
from saniwa.process.passing.timing import Fired
from saniwa.process.record import Approval, Note, Opening, Record
from saniwa.process.ruling import MissingGuard, Problem
from saniwa.process.standing import Decision
from saniwa.process.summary import Summary
from saniwa.process.weighing.review import Piece, Review
from saniwa.process.weighing.view import (
    Due,
    Passable,
    RequiredArtifact,
    RunState,
    Sendable,
)
from tests.house.pages import ROOT

_PAGE = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
_TABLE = _PAGE.partition("### Answers in JSON")[2].partition("\n## ")[0]
_ROWS = {
    RunState: "`state`",
    Decision: "`state`",
    MissingGuard: "… `missing_guards`",
    RequiredArtifact: "… `required_artifacts`",
    Due: "… `due`",
    Sendable: "`events`",
    Passable: "… `transitions`",
    Problem: "",
    Review: "`review`",
    Piece: "… `evidence`",
    Summary: "`runs`",
    Record: "… an event",
    Approval: "… an event",
    Opening: "… an event",
    Artifact: "… `artifacts`",
    Note: "… a note",
    Fired: "`tick`",
}


def _row(title: str) -> set[str]:
    rows = [line.split("|") for line in _TABLE.split("\n") if line.startswith("| ")]
    told = [row[2] for row in rows if row[1].strip() == title]
    assert 1 == len(told), title
    return set(re.findall(r"`([a-z_]+)`", told[0]))


@pytest.mark.parametrize("kind", _ROWS, ids=lambda kind: kind.__name__)
def test_every_field_of_an_answer_is_named(kind: type[msgspec.Struct]) -> None:
    """Whatever a command can answer stands in its row."""
    names = {field.encode_name for field in msgspec.structs.fields(kind)}

    assert not names - _row(_ROWS[kind])
