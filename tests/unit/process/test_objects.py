"""Processes made in Python, without a file."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from saniwa.app.gate.gate_opening import open_gate
from saniwa.core.errors import ProcessError
from saniwa.process.definition import (
    EventDefinition,
    LaneDefinition,
    Process,
    StateDefinition,
    TransitionDefinition,
)
from saniwa.process.library import BUNDLED_FOLDER
from saniwa.process.reader import read_process

_SEND = TransitionDefinition(source="draft", event="send", to="sent")
_LETTER = Process(
    process_id="letter",
    version="1",
    name="A letter",
    initial_state="draft",
    states=(StateDefinition(name="draft"), StateDefinition(name="sent", is_final=True)),
    events=(EventDefinition(name="send", allowed_roles=("agent",)),),
    transitions=(_SEND,),
)
_KEYS = {
    "process_id": "letter",
    "version": "1",
    "name": "A letter",
    "initial_state": "draft",
    "states": [{"name": "draft"}, {"name": "sent", "is_final": True}],
    "events": [{"name": "send", "allowed_roles": ["agent"]}],
    "transitions": [{"from": "draft", "event": "send", "to": "sent"}],
}


@pytest.mark.parametrize("file", sorted(BUNDLED_FOLDER.glob("*.yaml")), ids=lambda file: file.stem)
def test_an_object_is_read_as_the_file_it_came_from(file: Path) -> None:
    """An object and its file give the same process."""
    process = read_process(file).process
    assert process is not None

    assert process == read_process(process).process


def test_the_time_of_a_lane_is_read_too() -> None:
    """The time of a transition in a lane is read too."""
    lane = LaneDefinition(
        name="beside", states=_LETTER.states, transitions=(replace(_SEND, after=1500),)
    )
    busy = replace(_LETTER.states[0], lanes=(lane,))
    process = replace(_LETTER, states=(busy, _LETTER.states[1]))

    assert process == read_process(process).process


@pytest.mark.parametrize("made", [_LETTER, _KEYS], ids=["object", "keys"])
def test_a_run_begins_with_a_process_itself(made: Process | dict[str, Any]) -> None:
    """A run can be created from a process object or its keys."""
    with open_gate("memory:") as gate:
        run = gate.create_run(made)

        assert "draft" == run.state
        assert gate.create_run(_LETTER).opening.definition == run.opening.definition


@pytest.mark.parametrize(
    ("wrong", "where", "message"),
    [
        ({"initial_state": "drft"}, "initial_state", "did you mean 'draft'?"),
        ({"process_id": 3}, "process_id", "must be a name"),
        ({"states": "draft"}, "states", "must be"),
        ({"transitions": (replace(_SEND, to="gone"),)}, "transitions[0].to", "'gone'"),
        ({"states": object()}, "", "unsupported"),
    ],
)
def test_mistakes_of_an_object_are_findings(
    wrong: dict[str, Any], where: str, message: str
) -> None:
    """A mistake in an object is a finding with its place, and no run is created."""
    with open_gate("memory:") as gate:
        with pytest.raises(ProcessError, match="INVALID_PROCESS") as raised:
            gate.create_run(replace(_LETTER, **wrong))

        assert where == str(raised.value.where or "")
        assert message in str(raised.value)
        assert raised.value.details["findings"]
        assert [] == [*gate.list_runs()]
