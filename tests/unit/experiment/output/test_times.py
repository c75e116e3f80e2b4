import json
from typing import Any

import msgspec
import pytest

from saniwa.core.errors import StoreError
from saniwa.experiment.output.results import CellTime, ExperimentTimes, format_moment, render_times

_TIMES = ExperimentTimes(
    generated=1_700_000_009_000,
    started=1_700_000_000_123,
    finished=1_700_000_008_000,
    cells={"k": CellTime(started=1_700_000_000_123, took_ms=5, worker="w1")},
    python="3.11.7",
    platform="Linux",
    saniwa="1.0",
    git_sha="0123456789abcdef",
)


def _render_page(before: bytes | None = None, **changed: Any) -> Any:
    return json.loads(render_times(msgspec.structs.replace(_TIMES, **changed), before))


def test_times_are_told_in_utc() -> None:
    """Moments are ISO 8601 with a Z, to the millisecond."""
    found = _render_page()
    assert "2023-11-14T22:13:29.000Z" == found["generated_at"]
    assert "2023-11-14T22:13:20.123Z" == found["started"]
    assert {"k": {"started": "2023-11-14T22:13:20.123Z", "took_ms": 5, "worker": "w1"}} == found[
        "cells"
    ]


def test_the_commit_is_told_short_too() -> None:
    """As people say it."""
    assert "0123456" == _render_page()["git_short"]


def test_an_unknown_commit_is_not_told() -> None:
    """Nothing is made up where no repository is."""
    assert {"git_sha", "git_short"}.isdisjoint(_render_page(git_sha=""))


def test_what_was_played_before_keeps_its_times() -> None:
    """A resumed experiment tells of all its cells, and when the first began."""
    later = CellTime(started=1_700_000_100_000, took_ms=1)
    found = _render_page(render_times(_TIMES), started=later.started, cells={"z": later})
    assert ["k", "z"] == sorted(found["cells"])
    assert format_moment(_TIMES.started) == found["started"]


@pytest.mark.parametrize("before", [b"", b"{", b"[]", b'{"cells": 3}', b"\xff"])
def test_a_file_that_is_none_is_said_to_be_torn(before: bytes) -> None:
    """What was told there is not thrown away without a word."""
    with pytest.raises(StoreError) as caught:
        _render_page(before)

    assert "TRACE_CORRUPT" == caught.value.code
