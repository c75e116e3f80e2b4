"""The reference page and the code agree."""

from pathlib import Path

from saniwa.rulebook.conditions import VOCABULARY
from saniwa.rulebook.predicates import ROLES
from saniwa.rulebook.verdict import PLACEHOLDERS, REASONS

DOCS = Path(__file__).resolve().parents[3] / "docs"
REFERENCE = (DOCS / "reference" / "predicates.md").read_text(encoding="utf-8")
GUIDE = (DOCS / "guide" / "rulebook.md").read_text(encoding="utf-8")


def test_every_predicate_is_written_down_with_its_parameters() -> None:
    """Each predicate and its parameters are on one line of the page."""
    lines = {line.split("`")[1]: line for line in REFERENCE.split("\n") if "| `" in line}
    missing = [
        (predicate.name, param.name)
        for predicate in VOCABULARY.values()
        for param in predicate.params
        if f"`{param.name}`" not in lines.get(predicate.name, "")
    ]

    assert [] == missing
    assert set(VOCABULARY) <= set(lines)


def test_every_role_reason_and_placeholder_is_written_down() -> None:
    """Every role, reason and placeholder is on the pages about rulebooks."""
    assert [] == [name for name in (*ROLES, *REASONS) if f"`{name}`" not in REFERENCE]
    assert [] == [name for name in PLACEHOLDERS if f"`{{{name}}}`" not in GUIDE]
