"""Everything that may be written in an agent is named on its page."""

import re
from collections.abc import Mapping
from typing import Any

import pytest

from saniwa.agent.files import agent_file, flow_file, parameters
from saniwa.agent.port import AgentSubmission
from saniwa.agent.prompt_resolver import (
    CHECK_VARIABLES,
    INPUT_VARIABLE,
    PORT_FACTS,
    PORT_VARIABLES,
    STANDARD_VARIABLES,
    USER_VARIABLES,
)
from saniwa.documents.record_reader import RecordForm
from saniwa.process.artifact import Claim
from tests.house.pages import ROOT

_PAGE = (ROOT / "docs" / "reference" / "agent-format.md").read_text(encoding="utf-8")
_NAMED = {
    word
    for code in re.findall(r"`([^`\n]+)`", _PAGE)
    for word in re.findall(r"[A-Za-z_][\w:]*", code)
}
_FORMS: tuple[Mapping[Any, Any], ...] = (
    *(
        each
        for module in (agent_file, flow_file, parameters)
        for each in vars(module).values()
        if isinstance(each, RecordForm)
    ),
    *agent_file.COMPLETIONS.values(),
    agent_file.COMPLETIONS,
    agent_file.LEGACY_TYPES,
    agent_file.OPERATORS,
)
_KEYS = sorted({str(key) for each in _FORMS for key in each})


@pytest.mark.parametrize("key", _KEYS)
def test_every_key_is_on_the_page(key: str) -> None:
    """The page names every key, every completion type and every legacy type."""
    assert key in _NAMED


@pytest.mark.parametrize(
    "name",
    [
        INPUT_VARIABLE,
        *USER_VARIABLES,
        *STANDARD_VARIABLES,
        *PORT_VARIABLES,
        *PORT_FACTS,
        *CHECK_VARIABLES,
    ],
)
def test_every_variable_is_on_the_page(name: str) -> None:
    """The page names every variable and every fact."""
    assert name in _NAMED


def test_every_event_of_the_journal_is_on_the_page() -> None:
    """The page names every event of the journal."""
    folder = ROOT / "src" / "saniwa" / "agent"
    source = [*(folder / "loop").glob("*.py"), folder / "journal.py"]
    noted = re.compile(r'write_entry\(\s*"(\w+)"|"event": "(\w+)"')
    events = {
        name
        for path in source
        for pair in noted.findall(path.read_text(encoding="utf-8"))
        for name in pair
        if name
    }

    assert "iterationEnd" in events
    assert set() == events - _NAMED


@pytest.mark.parametrize("struct", [AgentSubmission, Claim])
def test_every_key_of_an_action_is_on_the_page(struct: Any) -> None:
    """The page names every key of a submission."""
    assert set() == set(struct.__struct_fields__) - _NAMED
