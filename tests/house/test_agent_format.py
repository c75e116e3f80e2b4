"""Whatever may be written in an agent is named on its page."""

import re

import pytest

from saniwa.agent.authoring import form
from saniwa.agent.prompting.variable import (
    CHECK_VARIABLES,
    FLOOR_VARIABLES,
    INPUT,
    STANDARD_VARIABLES,
    USER_VARIABLES,
)
from tests.house.pages import ROOT

_PAGE = (ROOT / "docs" / "reference" / "agent-format.md").read_text(encoding="utf-8")
_NAMED = {
    word
    for code in re.findall(r"`([^`\n]+)`", _PAGE)
    for word in re.findall(r"[A-Za-z_][\w:]*", code)
}
_FORMS = (
    *(getattr(form, name) for name in form.__annotations__ if name.isupper()),
    *form.COMPLETIONS.values(),
)
_KEYS = sorted({str(key) for each in _FORMS for key in each})


@pytest.mark.parametrize("key", _KEYS)
def test_every_key_is_on_the_page(key: str) -> None:
    """An author finds every key, every completion type and every old word."""
    assert key in _NAMED


@pytest.mark.parametrize(
    "name",
    [INPUT, *USER_VARIABLES, *STANDARD_VARIABLES, *FLOOR_VARIABLES, *CHECK_VARIABLES],
)
def test_every_variable_is_on_the_page(name: str) -> None:
    """An author finds every variable that a prompt may use."""
    assert name in _NAMED
