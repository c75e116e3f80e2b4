from saniwa.app.operations.operation import FindingView, build_finding_views
from saniwa.core.findings import Finding, SourceLocation


def test_a_finding_names_its_file_and_no_folder() -> None:
    """A finding shows the file's name without its folder."""
    where = SourceLocation(file="/home/somebody/scenes/a.md", line=3, column=5, path="x.y")
    found = Finding(code="FIELD_MISSING", message="no name", where=where, hint="add it")

    assert [
        FindingView(
            code="FIELD_MISSING",
            severity="error",
            message="no name",
            file="a.md",
            line=3,
            column=5,
            path="x.y",
            hint="add it",
        )
    ] == build_finding_views([found])
