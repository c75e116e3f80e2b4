"""Everything that may be written in a process is named on its page."""

import re

import pytest

from saniwa.process import format
from saniwa.process.reader import read_process
from tests.house.pages import ROOT

_PAGE = (ROOT / "docs" / "reference" / "process-format.md").read_text(encoding="utf-8")
_NAMED = set(re.findall(r"`([^`\n]+)`", _PAGE))
_KEYS = sorted(
    {
        *format.PROCESS,
        *format.STATE_KEYS,
        *format.TOOL_PERMISSION_KEYS,
        *format.EVENT_KEYS,
        *format.TRANSITION_KEYS,
        *format.ARTIFACT_KEYS,
        *format.ROLE_KEYS,
        *format.GUARD_KEYS,
        *format.HOOK_KEYS,
        *(key for each in format.GUARD_KEYS.values() for key in each),
        *(key for each in format.HOOK_KEYS.values() for key in each),
    }
)


@pytest.mark.parametrize("key", _KEYS)
def test_every_key_is_on_the_page(key: str) -> None:
    """The page names every key, and every type of guard and hook."""
    assert key in _NAMED


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples" / "processes").glob("*.yaml")), ids=lambda p: p.name
)
def test_every_example_is_without_a_finding(path: object) -> None:
    """The example processes have no findings, not even warnings."""
    assert () == read_process(str(path)).report.findings
