import pytest

from saniwa.process.artifact import infer_type
from tests.fakes.gate import make_artifact

KINDS = frozenset({"document", "test_report", "report"})


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("document.md", "document"),
        ("evidence/document_test.md", "document"),
        ("Document-2.MD", "document"),
        ("my_document.md", "document"),
        ("my-document.tar.gz", ""),
        ("documents.md", ""),
        ("mydocument.md", ""),
        ("test_report.json", "test_report"),
        ("report.json", "report"),
        ("x", ""),
    ],
)
def test_a_files_kind_is_reported_by_its_name(path: str, kind: str) -> None:
    """The kind is the longest that is the file's name, or is joined to it with `_` or `-`."""
    assert kind == infer_type(path, KINDS)


def test_a_place_is_what_was_submitted_and_an_identity_what_is_meant() -> None:
    """`./a.md` is recorded as written, and has the same identity as `a.md`."""
    one, other = make_artifact("./a.md"), make_artifact("a.md")

    assert "./a.md" == one.place
    assert one.identity == other.identity


def test_what_was_submitted_directly_is_named_by_kind_and_hash() -> None:
    """Inline evidence is named by its kind and hash."""
    assert "inline:permit:aaaaaaaaaaaa" == make_artifact("", content={"a": 1}).place
