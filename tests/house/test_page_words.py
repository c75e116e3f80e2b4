"""The page has words for everything that the server says."""

import re

from saniwa.cli.play.terminal_input import COMMANDS
from saniwa.experiment.statistics.analysis import (
    BY_DEFINITION,
    CONFOUNDED,
    INCOMPLETE,
    TOO_MANY_LEVELS,
    UNCOUNTED,
    UNGUIDED,
    UNTESTED,
    describe_too_few_blocks,
    describe_values,
)
from saniwa.http.application import HTTP_OPERATIONS
from tests.house.pages import ROOT

_WORDS = ROOT / "web/src/words/problems.ts"
_NOTES = ROOT / "web/src/words/notes.ts"
_EVERYWHERE = ("SIGN_IN_NEEDED", "CSRF_MISSING", "REVISION_NEEDED", "BODY_TOO_LARGE")


def test_every_code_of_the_table_has_a_sentence() -> None:
    """The page has a sentence for every code, or for the first word of the code."""
    said = set(re.findall(r"^    (\w+): ", _WORDS.read_text(encoding="utf-8"), re.M))
    codes = {str(code) for operation in HTTP_OPERATIONS for code in operation.codes}

    untold = {
        code for code in codes.union(_EVERYWHERE) if not {code, code.partition("_")[0]} & said
    }

    assert set() == untold


def test_every_remark_of_an_analysis_is_translated() -> None:
    """The page has a translation for every remark of an analysis."""
    plain = (TOO_MANY_LEVELS, UNCOUNTED, CONFOUNDED, BY_DEFINITION, INCOMPLETE, UNTESTED)
    counted = [
        describe_values(row, what)
        for what in ("cell", "block")
        for row in ([], [1.0], [1.0, 1.0], [1.0, 2.0])
    ]
    patterns = re.findall(r"^  \[/(\^.+\$)/, ", _NOTES.read_text(encoding="utf-8"), re.M)

    untold = {
        note
        for note in (*plain, UNGUIDED, describe_too_few_blocks(2, 0.5), *counted)
        if not any(re.match(pattern, note) for pattern in patterns)
    }

    assert set() == untold


def test_typed_commands_are_the_same_on_the_page_and_at_the_terminal() -> None:
    """Each command of the page has the terminal's spellings, and none is missing.

    `inventory` is missing on the page, where it is understood as words of the story.
    """
    text = (ROOT / "web/src/pages/play/commands.ts").read_text(encoding="utf-8")
    known = re.findall(r"^  (\w+): \[(.*)\],$", text, re.M)
    page = {name: re.findall(r'"([^"]+)"', words) for name, words in known}

    assert {n: w for n, w in COMMANDS.items() if n != "inventory"} == page
