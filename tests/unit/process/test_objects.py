"""Processes that a program has made, instead of a file."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from saniwa.app.gate.access import open_gate
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
    """What a file says is the same as an object."""
    process = read_process(file).process
    assert process is not None

    assert process == read_process(process).process


def test_the_time_of_a_lane_is_read_too() -> None:
    """Milliseconds of an object are a time, wherever the transition is."""
    lane = LaneDefinition(
        name="beside", states=_LETTER.states, transitions=(replace(_SEND, after=1500),)
    )
    busy = replace(_LETTER.states[0], lanes=(lane,))
    process = replace(_LETTER, states=(busy, _LETTER.states[1]))

    assert process == read_process(process).process


@pytest.mark.parametrize("made", [_LETTER, _KEYS], ids=["object", "keys"])
def test_a_run_begins_with_a_process_itself(made: Process | dict[str, Any]) -> None:
    """No file is needed, and object and keys are the same process."""
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
    """A wrong object begins nothing; the error has the place, and all findings."""
    with open_gate("memory:") as gate:
        with pytest.raises(ProcessError, match="INVALID_PROCESS") as raised:
            gate.create_run(replace(_LETTER, **wrong))

        assert where == str(raised.value.where or "")
        assert message in str(raised.value)
        assert raised.value.details["findings"]
        assert [] == [*gate.list_runs()]
