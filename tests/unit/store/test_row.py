from collections.abc import Callable

import pytest
from msgspec.structs import replace

from saniwa.core.errors import StoreError
from saniwa.store import run_records
from saniwa.store.sealed_log import encode_record
from tests.fakes.records import make_record, make_turn


@pytest.mark.parametrize(
    "read",
    [
        lambda content: run_records.decode_turn("run-1", 0, content, "here"),
        lambda content: run_records.decode_record("run-1", content, "here"),
    ],
    ids=["turn", "record"],
)
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'{"\xff":1}',
        b'{"id":"\xff","run_id":"\xff"}',
        b'{"scenario":' * 9_000,
        b'{"parsedActions":' + b"[" * 9_000,
    ],
    ids=lambda content: repr(content[:24]),
)
def test_bytes_that_are_no_row_are_reported(
    read: Callable[[bytes], object], content: bytes
) -> None:
    """Bytes that are not a row are reported as corrupt."""
    with pytest.raises(StoreError) as caught:
        read(content)

    assert "TRACE_CORRUPT" == caught.value.code


def test_a_row_comes_back_as_it_was() -> None:
    """A record is equal after encoding and decoding."""
    assert make_turn(3) == run_records.decode_turn("run-1", 3, encode_record(make_turn(3)), "")
    assert make_record() == run_records.decode_record("run-1", encode_record(make_record()), "")


@pytest.mark.parametrize("verdicts", [0, 2])
def test_a_turn_has_a_verdict_for_each_action(verdicts: int) -> None:
    """A turn whose verdicts and actions differ in number is corrupt."""
    judged = make_turn(0)
    other = replace(judged, validation_results=judged.validation_results * verdicts)

    with pytest.raises(StoreError, match=f"{verdicts} verdicts for 1 actions"):
        run_records.decode_turn("run-1", 0, encode_record(other), "")
