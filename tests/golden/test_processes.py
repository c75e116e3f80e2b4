"""Golden processes: the same definition in YAML and in JSON is the same process."""

from pathlib import Path

import pytest

from saniwa.process.definition import Process, decode_process, encode_process, hash_process
from saniwa.process.reader import read_process

FILES = sorted((Path(__file__).parent / "processes").glob("*.yaml"))


def _load_process(path: Path) -> Process:
    read = read_process(path)
    assert read.process is not None, read.report
    return read.process


def test_there_are_golden_processes() -> None:
    """The folder of golden processes is not empty."""
    assert FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_both_forms_load_equal(path: Path) -> None:
    """YAML and JSON, short forms and long ones, give one process with one hash."""
    one, other = _load_process(path), _load_process(path.with_suffix(".json"))

    assert one == other
    assert hash_process(one) == hash_process(other)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_process_survives_being_kept(path: Path) -> None:
    """A process that is stored and read back is the same and has the same hash."""
    process = _load_process(path)

    assert process == decode_process(encode_process(process))
    assert hash_process(process) == hash_process(decode_process(encode_process(process)))
