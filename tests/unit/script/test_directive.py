import json

import jsonschema_rs
import msgspec
import pytest

from saniwa.script.directive import (
    Branch,
    ClearLayer,
    Directive,
    Next,
    PlayBgm,
    Say,
    ShowImage,
    StepResult,
    Wait,
    schema_text,
)
from tests.fakes.stepresults import CONTRACT, assert_keeps_contract

ALL: list[tuple[Directive, str]] = [
    (Say.of("ハル", "やあ"), '{"type":"Say","args":{"speaker":"ハル","text":"やあ"}}'),
    (
        ShowImage.of("bg", None),
        '{"type":"ShowImage","args":{"layer":"bg","path":null}}',
    ),
    (PlayBgm.of("a.ogg"), '{"type":"PlayBgm","args":{"path":"a.ogg"}}'),
    (Wait.of(1.5), '{"type":"Wait","args":{"seconds":1.5}}'),
    (Branch.of("右へ", "左へ"), '{"type":"Branch","args":{"choices":["右へ","左へ"]}}'),
    (ClearLayer.of("bg"), '{"type":"ClearLayer","args":{"layer":"bg"}}'),
]

SAMPLE = """{
  "next": "WaitBranch",
  "directives": [
    { "type": "Say", "args": { "speaker": "ハル", "text": "どっちに行く？" } },
    { "type": "Branch", "args": { "choices": ["右へ", "左へ"] } }
  ]
}"""


@pytest.mark.parametrize(("directive", "written"), ALL)
def test_a_directive_is_written_as_type_and_args(
    directive: Directive, written: str
) -> None:
    """Every directive has exactly the contract's text."""
    assert written == msgspec.json.encode(directive).decode()


@pytest.mark.parametrize("directive", [directive for directive, _ in ALL])
@pytest.mark.parametrize("following", list(Next))
def test_every_step_keeps_the_contract(directive: Directive, following: Next) -> None:
    """Any directive under any `next` fits the schema and reads back equal."""
    assert_keeps_contract(StepResult(next=following, directives=(directive,)))


def test_the_published_sample_is_understood() -> None:
    """The contract's own example reads as a line and a branch, and writes back equal."""
    step = msgspec.json.decode(SAMPLE, type=StepResult)

    expected = (Say.of("ハル", "どっちに行く？"), Branch.of("右へ", "左へ"))
    assert expected == step.directives
    assert json.loads(SAMPLE) == step.as_document()


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
    ],
)
def test_what_breaks_the_contract_is_refused_by_schema_and_records(broken: str) -> None:
    """Schema and records agree on what is no StepResult."""
    assert not CONTRACT.is_valid(json.loads(broken))
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(broken, type=StepResult)


def test_the_schema_is_itself_a_schema_of_draft_2020_12() -> None:
    """The published file is a well-formed schema that names its draft."""
    schema = json.loads(schema_text())

    assert "https://json-schema.org/draft/2020-12/schema" == schema["$schema"]
    assert jsonschema_rs.meta.is_valid(schema)


def test_the_schema_lists_exactly_the_directives_there_are() -> None:
    """A directive without its schema, or a schema without its directive, fails."""
    schema = json.loads(schema_text())
    listed = [
        each["properties"]["type"]["const"]
        for each in schema["properties"]["directives"]["items"]["oneOf"]
    ]

    assert [d.__struct_config__.tag for d, _ in ALL] == listed
