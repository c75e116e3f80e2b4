import msgspec
from msgspec import UNSET, UnsetType

from saniwa.app.operations.operation import ResultPage
from saniwa.http.openapi import build_schemas


class InnerRecord(msgspec.Struct):
    """A record inside an answer."""

    name: str = ""


class SharedRecord(msgspec.Struct):
    """A record in requests and answers."""

    name: str = ""


class AnswerRecord(msgspec.Struct):
    """An answer."""

    inner: list[InnerRecord]
    shared: SharedRecord | None = None
    rare: int | UnsetType = UNSET


class BriefRecord(msgspec.Struct, omit_defaults=True):
    """An answer that omits defaults."""

    name: str = ""


class BodyRecord(msgspec.Struct):
    """A request body."""

    shared: SharedRecord
    limit: int = 10


def test_an_answer_is_whole_and_a_request_need_not_be() -> None:
    """A field with a default is optional in a request, and always present in an answer."""
    _, parts = build_schemas([BodyRecord], [AnswerRecord, BriefRecord, ResultPage[InnerRecord]])

    assert ["shared"] == parts["BodyRecord"]["required"]
    assert ["inner", "shared"] == parts["AnswerRecord"]["required"]
    assert ["name"] == parts["InnerRecord"]["required"]
    assert ["items", "next"] == parts["ResultPage_InnerRecord_"]["required"]


def test_what_goes_both_ways_promises_no_more_than_it_asks() -> None:
    """A record used in both directions has the requirements of a request."""
    _, parts = build_schemas([BodyRecord], [AnswerRecord])

    assert [] == parts["SharedRecord"]["required"]


def test_what_may_be_left_out_of_an_answer_is_not_promised() -> None:
    """Unset fields, and defaults of a record that omits them, are not required in an answer."""
    _, parts = build_schemas([], [AnswerRecord, BriefRecord])

    assert "rare" not in parts["AnswerRecord"]["required"]
    assert [] == parts["BriefRecord"]["required"]
