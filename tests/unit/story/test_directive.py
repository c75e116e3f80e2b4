import json
import math

import jsonschema_rs
import msgspec
import pytest

from saniwa.story.step_result import (
    Ask,
    Branch,
    BranchArgs,
    ClearLayer,
    Directive,
    Ending,
    Event,
    JumpTo,
    Next,
    Option,
    PlayBgm,
    PlayMovie,
    PlaySe,
    ReachedLabel,
    Say,
    ShowImage,
    Source,
    StepResult,
    Wait,
    read_schema_text,
)
from tests.fakes.stepresults import CONTRACT, assert_keeps_contract

ALL: list[tuple[Directive, str]] = [
    (Say.build("ハル", "やあ"), '{"type":"Say","args":{"speaker":"ハル","text":"やあ"}}'),
    (ShowImage.build("bg", None), '{"type":"ShowImage","args":{"layer":"bg","path":null}}'),
    (PlayBgm.build("a.ogg"), '{"type":"PlayBgm","args":{"path":"a.ogg"}}'),
    (Wait.build(1.5), '{"type":"Wait","args":{"seconds":1.5}}'),
    (Branch.build("右へ", "左へ"), '{"type":"Branch","args":{"choices":["右へ","左へ"]}}'),
    (ClearLayer.build("bg"), '{"type":"ClearLayer","args":{"layer":"bg"}}'),
    (PlaySe.build(None), '{"type":"PlaySe","args":{"path":null}}'),
    (PlayMovie.build("a.mp4"), '{"type":"PlayMovie","args":{"path":"a.mp4"}}'),
    (
        Event.build("shake", {"b": "1", "a": "2"}),
        '{"type":"Event","args":{"name":"shake","values":{"b":"1","a":"2"}}}',
    ),
    (Ending.build("street"), '{"type":"Ending","args":{"id":"street"}}'),
    (Ask.build(""), '{"type":"Ask","args":{"prompt":""}}'),
    (ReachedLabel.build("橋"), '{"type":"ReachedLabel","args":{"label":"橋"}}'),
    (JumpTo.build("橋"), '{"type":"JumpTo","args":{"label":"橋"}}'),
]

_PLACE = Source(8, 1)
_MORE: list[tuple[Directive, str]] = [
    (Say.build("", ""), '{"speaker":"","text":""}'),
    (
        Say.build("a", "b", id="c", tags=("d", "e"), voice="f"),
        '{"speaker":"a","text":"b","id":"c","tags":["d","e"],"voice":"f"}',
    ),
    (Say.build("a", "b", tags=("d",)), '{"speaker":"a","text":"b","tags":["d"]}'),
    (
        Branch.build_from_options((Option.build("a"), Option.build("b", False, "c", ("d",)))),
        '{"choices":["a","b"],"options":[{"text":"a","enabled":true},'
        '{"text":"b","enabled":false,"id":"c","tags":["d"]}]}',
    ),
    (Event.build("a"), '{"name":"a","values":{}}'),
    (Event.build("a", (("b", "c"),)), '{"name":"a","values":{"b":"c"}}'),
    (Ending.build("a", "b"), '{"id":"a","name":"b"}'),
    (
        Ask.build("a", Source(2, 3, "b.md")),
        '{"prompt":"a","source":{"line":2,"column":3,"file":"b.md"}}',
    ),
]
"""Directives with optional fields."""

_PLACED: list[Directive] = [
    Say.build("a", "b", source=_PLACE),
    ShowImage.build("a", None, _PLACE),
    PlayBgm.build(None, _PLACE),
    Wait.build(1, _PLACE),
    Branch.build_from_options((), _PLACE),
    ClearLayer.build("a", _PLACE),
    PlaySe.build(None, _PLACE),
    PlayMovie.build(None, _PLACE),
    Event.build("a", source=_PLACE),
    Ending.build("a", source=_PLACE),
    Ask.build("a", _PLACE),
    ReachedLabel.build("a", _PLACE),
    JumpTo.build("a", _PLACE),
]

SAMPLE = """{
  "next": "WaitBranch",
  "directives": [
    { "type": "Say", "args": { "speaker": "ハル", "text": "どっちに行く？" } },
    { "type": "Branch", "args": { "choices": ["右へ", "左へ"] } }
  ]
}"""


@pytest.mark.parametrize(("directive", "written"), ALL)
def test_a_directive_is_written_as_type_and_args(directive: Directive, written: str) -> None:
    """Every directive has exactly the contract's JSON."""
    assert written == msgspec.json.encode(directive).decode()


@pytest.mark.parametrize(("directive", "args"), _MORE)
def test_what_is_not_given_is_not_written(directive: Directive, args: str) -> None:
    """Optional fields are written only if they are set."""
    tag = directive.__struct_config__.tag

    assert f'{{"type":"{tag}","args":{args}}}' == msgspec.json.encode(directive).decode()
    assert_keeps_contract(StepResult(next=Next.NEXT, directives=(directive,)))


def test_every_directive_can_say_where_it_was_written() -> None:
    """The source is the last argument of any directive."""
    written = [msgspec.json.encode(directive).decode() for directive in _PLACED]

    place = '"source":{"line":8,"column":1}}}'
    assert [True] * len(ALL) == [text.endswith(place) for text in written]
    assert_keeps_contract(StepResult(next=Next.NEXT, directives=tuple(_PLACED)))


@pytest.mark.parametrize("seconds", [math.inf, -math.inf, math.nan])
def test_no_wait_lasts_for_ever(seconds: float) -> None:
    """An infinite wait is refused."""
    with pytest.raises(ValueError, match="a wait cannot last"):
        Wait.build(seconds)


def test_the_check_sees_options_that_are_not_the_choices() -> None:
    """The check finds options that differ from the choices, which no schema can."""
    args = BranchArgs(("a", "b"), (Option.build("b"), Option.build("a")))

    with pytest.raises(AssertionError):
        assert_keeps_contract(StepResult(next=Next.WAIT_BRANCH, directives=(Branch(args),)))


@pytest.mark.parametrize("directive", [directive for directive, _ in ALL])
@pytest.mark.parametrize("following", list(Next))
def test_every_step_keeps_the_contract(directive: Directive, following: Next) -> None:
    """Any directive with any `next` fits the schema, and is equal after decoding."""
    assert_keeps_contract(StepResult(next=following, directives=(directive,)))


def test_the_published_sample_is_understood() -> None:
    """The contract's own example is read, and written back equal."""
    step = msgspec.json.decode(SAMPLE, type=StepResult)

    expected = (Say.build("ハル", "どっちに行く？"), Branch.build("右へ", "左へ"))
    assert expected == step.directives
    assert json.loads(SAMPLE) == step.to_document()


@pytest.mark.parametrize(
    "broken",
    [
        '{"next": "Later", "directives": []}',
        '{"next": "Next"}',
        '{"next": "Next", "directives": [], "more": 1}',
        '{"next": "Next", "directives": [{"type": "Shout", "args": {}}]}',
        '{"next": "Next", "directives": [{"type": "Wait", "args": {"seconds": "1"}}]}',
        '{"next": "Next", "directives": [{"type": "Say", "args": {"speaker": "a"}}]}',
        '{"next": "Next", "directives": [{"type": "PlayBgm", "args": {"volume": 1}}]}',
        '{"next": "Next", "directives": [{"type": "ClearLayer", "args": {"layer": 1}}]}',
        '{"next": "Next", "directives": [{"type": "Branch", "args": {"choices": [1]}}]}',
        '{"next": "Next", "directives": [{"type": "PlayBgm", "args": {}, "x": 1}]}',
        '{"next": "Next", "directives": [{"type": "PlaySe", "args": {"loop": true}}]}',
        '{"next": "Next", "directives": [{"type": "Event", "args": {"name": "a"}}]}',
        '{"next": "Next", "directives": [{"type": "Event", "args": {"name": "a", "values": {"b": 1}}}]}',
        '{"next": "Next", "directives": [{"type": "Ending", "args": {"name": "a"}}]}',
        '{"next": "Next", "directives": [{"type": "Ask", "args": {}}]}',
        '{"next": "Next", "directives": [{"type": "JumpTo", "args": {"label": null}}]}',
        '{"next": "Next", "directives": [{"type": "Say", "args": {"speaker": "", "text": "", "id": null}}]}',
        '{"next": "Next", "directives": [{"type": "Say", "args": {"speaker": "", "text": "", "tags": "a"}}]}',
        '{"next": "Next", "directives": [{"type": "Ask", "args": {"prompt": "", "source": {"line": 1}}}]}',
        '{"next": "Next", "directives": [{"type": "Ask", "args": {"prompt": "", "source": {"line": 0, "column": 1}}}]}',
        '{"next": "Next", "directives": [{"type": "Branch", "args": {"choices": ["a"], "options": [{"text": "a"}]}}]}',
        '{"next": "Next", "directives": [{"type": "Branch", "args": {"choices": ["a"], "options": [{"text": "a", "enabled": 1}]}}]}',
        '{"next": "Next", "directives": [{"type": "Branch", "args": {"choices": ["a"], "options": [{"text": "a", "enabled": true, "x": 1}]}}]}',
    ],
)
def test_what_breaks_the_contract_is_refused_by_schema_and_records(broken: str) -> None:
    """The schema and the records refuse the same invalid steps."""
    assert not CONTRACT.is_valid(json.loads(broken))
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(broken, type=StepResult)


def test_the_schema_is_itself_a_schema_of_draft_2020_12() -> None:
    """The published file is a valid schema of its draft."""
    schema = json.loads(read_schema_text())

    assert "https://json-schema.org/draft/2020-12/schema" == schema["$schema"]
    assert jsonschema_rs.meta.is_valid(schema)


def test_the_schema_lists_exactly_the_directives_there_are() -> None:
    """The schema has exactly the directives that exist."""
    schema = json.loads(read_schema_text())
    listed = [
        each["properties"]["type"]["const"]
        for each in schema["properties"]["directives"]["items"]["oneOf"]
    ]

    assert [d.__struct_config__.tag for d, _ in ALL] == listed
