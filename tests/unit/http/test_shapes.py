import msgspec
from msgspec import UNSET, UnsetType

from saniwa.app.operations.operation import ResultPage
from saniwa.http.openapi import build_schemas


class InnerRecord(msgspec.Struct):
    """Something within an answer."""

    name: str = ""


class SharedRecord(msgspec.Struct):
    """Something that is asked and answered."""

    name: str = ""


class AnswerRecord(msgspec.Struct):
    """An answer."""

    inner: list[InnerRecord]
    shared: SharedRecord | None = None
    rare: int | UnsetType = UNSET


class BriefRecord(msgspec.Struct, omit_defaults=True):
    """An answer that leaves out what was not said."""

    name: str = ""


class BodyRecord(msgspec.Struct):
    """A body."""

    shared: SharedRecord
    limit: int = 10


def test_an_answer_is_whole_and_a_request_need_not_be() -> None:
    """What has a default may be left out by who asks, and is always told."""
    _, parts = build_schemas([BodyRecord], [AnswerRecord, BriefRecord, ResultPage[InnerRecord]])

    assert ["shared"] == parts["BodyRecord"]["required"]
    assert ["inner", "shared"] == parts["AnswerRecord"]["required"]
    assert ["name"] == parts["InnerRecord"]["required"]
    assert ["items", "next"] == parts["ResultPage_InnerRecord_"]["required"]


def test_what_goes_both_ways_promises_no_more_than_it_asks() -> None:
    """One schema stands for both."""
    _, parts = build_schemas([BodyRecord], [AnswerRecord])

    assert [] == parts["SharedRecord"]["required"]


def test_what_may_be_left_out_of_an_answer_is_not_promised() -> None:
    """Neither an unset field, nor a default of a record that leaves them out."""
    _, parts = build_schemas([], [AnswerRecord, BriefRecord])

    assert "rare" not in parts["AnswerRecord"]["required"]
    assert [] == parts["BriefRecord"]["required"]
