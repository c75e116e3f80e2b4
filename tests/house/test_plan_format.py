"""Everything that may be written in a plan is named on its page."""

import re

import pytest

from saniwa.app.experiments.plan_preparation import SHIPPED_EDITIONS
from saniwa.experiment.plan import PROFILES
from saniwa.experiment.plan_fields import FACTOR_FIELDS, FAULT_FIELDS, PLAN
from saniwa.experiment.prompts import PLACEHOLDERS
from tests.house.pages import ROOT

_PAGE = (ROOT / "docs" / "reference" / "plan-format.md").read_text(encoding="utf-8")
_NAMED = {
    word for code in re.findall(r"`([^`\n]+)`", _PAGE) for word in re.findall(r"[A-Za-z_]\w*", code)
}
_WORDS = sorted({*PLAN, *FACTOR_FIELDS, *FAULT_FIELDS, *PROFILES, *PLACEHOLDERS, *SHIPPED_EDITIONS})


@pytest.mark.parametrize("word", _WORDS)
def test_every_word_of_a_plan_is_on_the_page(word: str) -> None:
    """The page names every key, factor, fault, profile, placeholder and edition."""
    assert word in _NAMED
