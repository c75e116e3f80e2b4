import msgspec
import pytest

from saniwa.process.definition import decode_process, encode_process
from tests.fakes.gate import make_door_process


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b'{"process_id":"\xff"}', b'{"initial_context":' + b'{"a":' * 9_000],
    ids=lambda content: repr(content[:24]),
)
def test_bytes_that_are_no_definition_are_refused_in_one_way(content: bytes) -> None:
    """Any invalid definition raises DecodeError."""
    with pytest.raises(msgspec.DecodeError):
        decode_process(content)


def test_a_definition_comes_back_as_it_was() -> None:
    """A definition is equal after encoding and decoding."""
    assert make_door_process() == decode_process(encode_process(make_door_process()))
