import pytest

from saniwa.core.errors import StoreError
from saniwa.store.sqlite_runs_and_plays import seal_record, unseal_record


def test_what_was_sealed_comes_back() -> None:
    """Any bytes are the same after sealing and unsealing."""
    assert b"\0\xff" == unseal_record("p", 2, seal_record("p", 2, b"\0\xff"), "plays.sqlite")


def test_a_record_from_before_there_were_seals_is_taken_as_it_is() -> None:
    """A record from before there were seals is returned unchanged."""
    assert b'{"at":1}' == unseal_record("p", 1, b'{"at":1}', "plays.sqlite")


@pytest.mark.parametrize(
    ("play", "revision", "content"),
    [("p", 2, b'{"at":9}'), ("p", 3, b'{"at":1}'), ("q", 2, b'{"at":1}')],
)
def test_what_is_not_what_was_written_is_refused(play: str, revision: int, content: bytes) -> None:
    """Other content, another revision and another record are refused."""
    kept = seal_record("p", 2, b'{"at":1}')[: -len(content)] + content

    with pytest.raises(StoreError, match="TRACE_CORRUPT"):
        unseal_record(play, revision, kept, "plays.sqlite")


def test_no_single_bit_can_change_without_a_word() -> None:
    """Any flipped bit is detected, in the seal or in the content."""
    kept = seal_record("p", 2, b'{"at":1}')
    for number in range(len(kept) * 8):
        flipped = bytearray(kept)
        flipped[number // 8] ^= 1 << number % 8
        with pytest.raises(StoreError, match="TRACE_CORRUPT"):
            unseal_record("p", 2, bytes(flipped), "plays.sqlite")
