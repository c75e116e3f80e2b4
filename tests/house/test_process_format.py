"""Whatever may be written in a process is named on its page."""

import re

import pytest

from saniwa.process.format import fields
from saniwa.process.reader import read_process
from tests.house.pages import ROOT

_PAGE = (ROOT / "docs" / "reference" / "process-format.md").read_text(encoding="utf-8")
_NAMED = set(re.findall(r"`([^`\n]+)`", _PAGE))
_KEYS = sorted(
    {
        *fields.PROCESS,
        *fields.STATE_KEYS,
        *fields.TOOL_PERMISSION_KEYS,
        *fields.EVENT_KEYS,
        *fields.TRANSITION_KEYS,
        *fields.ARTIFACT_KEYS,
        *fields.ROLE_KEYS,
        *fields.GUARD_KEYS,
        *fields.HOOK_KEYS,
        *(key for each in fields.GUARD_KEYS.values() for key in each),
        *(key for each in fields.HOOK_KEYS.values() for key in each),
    }
)


@pytest.mark.parametrize("key", _KEYS)
def test_every_key_is_on_the_page(key: str) -> None:
    """An author finds every key, and every type of guard and hook."""
    assert key in _NAMED


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples" / "processes").glob("*.yaml")), ids=lambda p: p.name
)
def test_every_example_is_without_a_finding(path: object) -> None:
    """What we show as an example is not even worth a warning."""
    assert () == read_process(str(path)).report.findings
