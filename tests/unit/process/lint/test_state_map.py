"""The states of earlier versions that a process maps to its own."""

import pytest

from saniwa.process.reader import ProcessReadResult, read_process_text

PROCESS = """\
process_id: letter
version: "2"
name: Letter
state_map: {map}
states: [{{name: drafted}}, {{name: sent, is_final: true}}]
events: [{{name: send, allowed_roles: [agent]}}]
transitions: [{{from: drafted, event: send, to: sent}}]
"""


def _read(written: str) -> ProcessReadResult:
    return read_process_text(PROCESS.format(map=written))


def test_a_map_of_states_is_read() -> None:
    """A map has old names on the left, and states of this version on the right."""
    read = _read("{begun: drafted}")

    assert read.process is not None
    assert {"begun": "drafted"} == read.process.state_map
    assert () == read.report.findings


@pytest.mark.parametrize(
    ("written", "code", "place"),
    [
        ("{begun: draftd}", "INVALID_STATE_REFERENCE", "state_map.begun"),
        ("{drafted: sent}", "STATE_MAP_UNUSED", "state_map.drafted"),
        ("{begun: 3}", "WRONG_TYPE", "state_map.begun"),
        ("[begun]", "WRONG_TYPE", "state_map"),
    ],
)
def test_a_wrong_map_is_a_finding(written: str, code: str, place: str) -> None:
    """A mistake in the map is a finding with its place."""
    (found,) = _read(written).report.findings

    assert (code, place) == (found.code, found.where.path)
