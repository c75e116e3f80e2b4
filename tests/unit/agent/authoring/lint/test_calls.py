from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.files.agent_folder import read_agent
from tests.fakes.agent_folder import AGENT, change_document, make_flow, write_agent

P = "close.md"
_LEADS = {"onPass": {"complete": True}, "onFail": {"next": "a"}}
_ASKS = {"type": "prompt", "prompt": P, **_LEADS}


def _list_codes(folder: Path, speaks: bool, steps: Any) -> list[str]:
    behavior = {"completionType": "stepMachine", "speaks": speaks}
    agent = change_document(AGENT, behavior=behavior)
    path = write_agent(folder, agent=agent, registry=make_flow(steps))
    return [each.code for each in read_agent(path)[1].findings]


@pytest.mark.parametrize(
    "steps",
    [
        {"a": {"prompt": P, "next": "b"}, "b": {"type": "gateway", "check": _ASKS}},
        {"a": {"subSteps": ["b"], "check": _ASKS}, "b": {"prompt": P}},
    ],
)
def test_a_characters_turn_asks_at_most_twice(tmp_path: Path, steps: Any) -> None:
    """A character's turn may call a model twice; a worker's may call it more often."""
    assert ["CALLS_TOO_MANY"] == _list_codes(tmp_path / "a", True, steps)
    assert [] == _list_codes(tmp_path / "b", False, steps)


def test_a_character_may_check_its_own_words(tmp_path: Path) -> None:
    """A character may check its own words once."""
    steps = {"a": {"prompt": P, "check": _ASKS}}

    assert [] == _list_codes(tmp_path, True, steps)
