from saniwa.documents.document import Document
from saniwa.documents.finding_collector import MOST_FINDINGS, Findings


def test_findings_beyond_the_bound_are_counted() -> None:
    """A report has the first thousand findings, and the number of the others."""
    page = Findings(Document(plain=None, text="x"))
    for _ in range(MOST_FINDINGS):
        page.add_warning("UNKNOWN_KEY", "no", ())
    page.add_at_offset("error", "PROMPT_PARSE", "no", 0)

    assert not page.passed
    assert (MOST_FINDINGS + 1, {"more": 1}) == (
        len(page.build_report().findings),
        page.build_report().findings[-1].details,
    )


def test_a_typo_is_near() -> None:
    """Swapped characters in a short name are recognised as a typo."""
    page = Findings(Document(plain=None))

    assert "did you mean 'way'?" == page.suggest_nearest("wya", {"way", "other"})
    assert "" == page.suggest_nearest("wya", {"elsewhere"})
