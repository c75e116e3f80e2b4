"""The codes in the source and the catalogue in `docs/errors` are one list."""

import ast
import re
from typing import Any, get_args

import msgspec

from saniwa.cli.explain import list_entries, locate_catalogue
from saniwa.core.errors import ValidationErrorCode
from saniwa.rulebook.verdict import ReasonCode
from saniwa.story.finding_collector import read_templates
from saniwa.turn.record import ClarificationCode, RejectionCode
from tests.house.pages import FENCED, ROOT

_SHAPE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
_ENVIRONMENT = re.compile(
    r"(SANIWA|STATE_GATE|LC)_[A-Z_]+|NO_COLOR|VIRTUAL_ENV|CLAUDE_(ENV_FILE|PROJECT_DIR)"
)
_UNREACHABLE_BY_HAND = {"INTERNAL_ERROR"}
"""Shown when Saniwa itself has a fault, so no example can produce it."""


def _list_story_words() -> set[str]:
    """Words of verdicts, questions, replies, stories and cards, which are not error codes."""
    from saniwa.experiment.answer_intents import IntentName
    from saniwa.experiment.cell_outcome import FailReason
    from saniwa.experiment.prompts import CARD_WORDS, FACT_ROWS
    from saniwa.rulebook.verdict import REASONS
    from saniwa.story.parser.commands import COMMANDS
    from saniwa.turn.model_reply import BreakType, RepairMethod

    literals: list[Any] = [get_args(t) for t in (ReasonCode, RejectionCode, ClarificationCode)]
    breaks = [get_args(t) for t in (BreakType, RepairMethod, FailReason, IntentName)]
    listed = [REASONS, COMMANDS, FACT_ROWS, CARD_WORDS]
    return {str(w) for words in [*literals, *breaks, *listed] for w in words}


def _collect_strings(tree: ast.AST) -> set[str]:
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def _collect_codes() -> set[str]:
    source = (ROOT / "src" / "saniwa").rglob("*.py")
    words = set().union(
        *(_collect_strings(ast.parse(p.read_text(encoding="utf-8"))) for p in source)
    )
    words |= {key.partition("/")[0] for key in read_templates()}
    coded = {w for w in words if _SHAPE.fullmatch(w) and not _ENVIRONMENT.fullmatch(w)}
    for catalog in (ROOT / "src" / "saniwa").rglob("messages.json"):
        names = msgspec.json.decode(catalog.read_bytes(), type=dict[str, Any])
        coded |= {code for name in names if _SHAPE.fullmatch(code := name.partition("/")[0])}
    reasons = {*get_args(ReasonCode)} - {"OK"}
    return (coded - _list_story_words()) | {c.value for c in ValidationErrorCode} | reasons


def test_every_code_has_an_entry_and_every_entry_a_code() -> None:
    """Every code in the source has an entry in `docs/errors`, and every entry has its code."""
    written = [entry.code for entry in list_entries()]

    assert set(written) | _UNREACHABLE_BY_HAND == _collect_codes() | _UNREACHABLE_BY_HAND
    assert sorted(set(written)) == sorted(written)


def test_every_entry_has_its_parts() -> None:
    """Every entry has a meaning, a cause, a cure and an example, none of them empty."""
    parts = ["meaning", "cause", "cure", "example"]
    whole = {
        entry.code: [name for name, text in entry.parts.items() if text] for entry in list_entries()
    }

    assert {} == {code: named for code, named in whole.items() if named != parts}


def test_a_page_of_the_catalogue_holds_entries_in_order() -> None:
    """A page of the catalogue has a title and a section for each code, sorted by name."""
    for page in locate_catalogue().glob("*.md"):
        prose = FENCED.sub("", page.read_text(encoding="utf-8"))
        listed = [entry.code for entry in list_entries() if entry.page == page.stem]

        assert listed
        assert sorted(listed) == re.findall(r"^#{2,} (.+)$", prose, re.MULTILINE)
        assert 1 == len(re.findall(r"^# .+$", prose, re.MULTILINE))


def test_a_missing_extra_is_said_in_one_place() -> None:
    """Only one module builds the error for a missing package."""
    sources = (ROOT / "src" / "saniwa").rglob("*.py")
    makers = [
        str(path.relative_to(ROOT))
        for path in sorted(sources)
        if '"EXTRA_MISSING"' in path.read_text(encoding="utf-8")
    ]

    assert ["src/saniwa/core/extras.py"] == makers
