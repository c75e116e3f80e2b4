from typing import Any

import pytest
from msgspec.structs import replace

from saniwa.process.artifact import Claim
from saniwa.process.submission import Submission, digest_request

CLAIM = Claim(type="permit", path="permit.md", hash="aa", metadata={"by": "me"})
SENT = Submission(
    run_id="run-1",
    event_name="submit",
    expected_revision=1,
    idempotency_key="key",
    payload={"a": 1, "b": 2},
    artifacts=(CLAIM,),
    approval_digest="seen",
)
CHANGES: list[dict[str, Any]] = [
    {"event_name": "approve"},
    {"payload": {"a": 1, "b": 3}},
    {"payload": {}},
    {"approval_digest": "unseen"},
    {"artifacts": ()},
    {"artifacts": (CLAIM, CLAIM)},
    {"artifacts": (replace(CLAIM, type="report"),)},
    {"artifacts": (replace(CLAIM, path="other.md"),)},
    {"artifacts": (replace(CLAIM, path="", url="permit.md"),)},
    {"artifacts": (replace(CLAIM, hash="bb"),)},
    {"artifacts": (replace(CLAIM, metadata={"by": "you"}),)},
    {"artifacts": (replace(CLAIM, content=None),)},
]


@pytest.mark.parametrize("change", CHANGES, ids=repr)
def test_whatever_is_asked_otherwise_is_another_request(change: dict[str, Any]) -> None:
    """A request that differs in any of these is another request."""
    assert digest_request(SENT) != digest_request(replace(SENT, **change))


@pytest.mark.parametrize(
    "change", [{"payload": {"b": 2, "a": 1}}, {"expected_revision": 7}], ids=repr
)
def test_the_same_request_may_be_sent_again(change: dict[str, Any]) -> None:
    """The order of keys, and a newer revision, do not make another request."""
    assert digest_request(SENT) == digest_request(replace(SENT, **change))
