from saniwa.core.document import Document
from saniwa.core.page import MOST, Page


def test_findings_beyond_the_bound_are_counted() -> None:
    """An author sees the first thousand, and how many more there are."""
    page = Page(Document(plain=None, text="x"))
    for _ in range(MOST):
        page.warn("UNKNOWN_KEY", "no", ())
    page.at("error", "PROMPT_PARSE", "no", 0)

    assert not page.passed
    assert (MOST + 1, {"more": 1}) == (
        len(page.report().findings),
        page.report().findings[-1].details,
    )


def test_a_slip_of_the_finger_is_near() -> None:
    """Two letters that changed places mean the short name they are in."""
    page = Page(Document(plain=None))

    assert "did you mean 'way'?" == page.near("wya", {"way", "other"})
    assert "" == page.near("wya", {"elsewhere"})
