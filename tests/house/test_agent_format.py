"""Whatever may be written in an agent is named on its page."""

import re
from typing import Any

import pytest

from saniwa.agent.authoring.paper import form
from saniwa.agent.floor import Handed
from saniwa.agent.prompting.variable import (
    CHECK_VARIABLES,
    FLOOR_FACTS,
    FLOOR_VARIABLES,
    INPUT,
    STANDARD_VARIABLES,
    USER_VARIABLES,
)
from saniwa.process.artifact import Claim
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
    [
        INPUT,
        *USER_VARIABLES,
        *STANDARD_VARIABLES,
        *FLOOR_VARIABLES,
        *FLOOR_FACTS,
        *CHECK_VARIABLES,
    ],
)
def test_every_variable_is_on_the_page(name: str) -> None:
    """An author finds every variable and every fact there is."""
    assert name in _NAMED


def test_every_event_of_the_journal_is_on_the_page() -> None:
    """Who reads a journal, or listens, finds what each entry means."""
    rooms = [
        ROOT / "src" / "saniwa" / "agent" / name for name in ("looping", "journal")
    ]
    source = [path for room in rooms for path in room.glob("*.py")]
    noted = re.compile(r'note\(\s*"(\w+)"|"event": "(\w+)"')
    events = {
        name
        for path in source
        for pair in noted.findall(path.read_text(encoding="utf-8"))
        for name in pair
        if name
    }

    assert "iterationEnd" in events
    assert set() == events - _NAMED


@pytest.mark.parametrize("struct", [Handed, Claim])
def test_every_key_of_an_action_is_on_the_page(struct: Any) -> None:
    """An author finds what a worker may hand in."""
    assert set() == set(struct.__struct_fields__) - _NAMED
