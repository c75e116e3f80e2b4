import msgspec
from msgspec import UNSET, UnsetType

from saniwa.http.contract import ResultPage
from saniwa.http.openapi import build_schemas


class Inner(msgspec.Struct):
    """Something within an answer."""

    name: str = ""


class Shared(msgspec.Struct):
    """Something that is asked and answered."""

    name: str = ""


class Told(msgspec.Struct):
    """An answer."""

    inner: list[Inner]
    shared: Shared | None = None
    rare: int | UnsetType = UNSET


class Brief(msgspec.Struct, omit_defaults=True):
    """An answer that leaves out what was not said."""

    name: str = ""


class Asks(msgspec.Struct):
    """A body."""

    shared: Shared
    limit: int = 10


def test_an_answer_is_whole_and_a_request_need_not_be() -> None:
    """What has a default may be left out by who asks, and is always told."""
    _, parts = build_schemas([Asks], [Told, Brief, ResultPage[Inner]])

    assert ["shared"] == parts["Asks"]["required"]
    assert ["inner", "shared"] == parts["Told"]["required"]
    assert ["name"] == parts["Inner"]["required"]
    assert ["items", "next"] == parts["ResultPage_Inner_"]["required"]


def test_what_goes_both_ways_promises_no_more_than_it_asks() -> None:
    """One schema stands for both."""
    _, parts = build_schemas([Asks], [Told])

    assert [] == parts["Shared"]["required"]


def test_what_may_be_left_out_of_an_answer_is_not_promised() -> None:
    """Neither an unset field, nor a default of a record that leaves them out."""
    _, parts = build_schemas([], [Told, Brief])

    assert "rare" not in parts["Told"]["required"]
    assert [] == parts["Brief"]["required"]
