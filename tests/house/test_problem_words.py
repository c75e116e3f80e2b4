"""Whoever meets a problem on the page is told in the language of the page."""

import re

from saniwa.api.table import OPERATIONS
from tests.house.pages import ROOT

_WORDS = ROOT / "web/src/words/problems.ts"
_EVERYWHERE = ("SIGN_IN_NEEDED", "CSRF_MISSING", "REVISION_NEEDED", "BODY_TOO_LARGE")


def test_every_code_of_the_table_has_a_sentence() -> None:
    """A code has words of its own on the page, or those of its family."""
    said = set(re.findall(r"^    (\w+): ", _WORDS.read_text(encoding="utf-8"), re.M))
    codes = {str(code) for operation in OPERATIONS for code in operation.codes}

    untold = {
        code
        for code in codes.union(_EVERYWHERE)
        if not {code, code.partition("_")[0]} & said
    }

    assert set() == untold
