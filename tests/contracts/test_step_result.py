"""The StepResult contract over time: it may grow, and old results stay valid."""

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saniwa.story.step_result import (
    Branch,
    ClearLayer,
    Next,
    PlayBgm,
    Say,
    ShowImage,
    StepResult,
    Wait,
    read_schema_text,
)
from tests.fakes.nightly import scale_examples
from tests.fakes.stepresults import CONTRACT
from tests.house.pages import ROOT, list_blocks

_KEPT = ROOT / "tests" / "golden" / "contract"
_PAGE = ROOT / "docs" / "reference" / "stepresult.md"
_TODAY: dict[str, Any] = json.loads(read_schema_text())
_FIRST: dict[str, Any] = json.loads((_KEPT / "stepresult.v1.schema.json").read_bytes())

_WRITTEN_FIRST = [
    StepResult(
        next=Next.WAIT_BRANCH,
        directives=(Say.build("ハル", "どっちに行く？"), Branch.build("右へ", "左へ")),
    ),
    StepResult(next=Next.NEXT, directives=()),
    StepResult(next=Next.WAIT_USER, directives=()),
    StepResult(next=Next.WAIT_BRANCH, directives=()),
    StepResult(next=Next.HALT, directives=()),
    StepResult(next=Next.WAIT_USER, directives=(Say.build("", ""),)),
    StepResult(next=Next.WAIT_USER, directives=(Say.build("Ben", 'Two\nlines, "quoted".'),)),
    StepResult(next=Next.NEXT, directives=(ShowImage.build("bg", "images/street.png"),)),
    StepResult(next=Next.NEXT, directives=(ShowImage.build("main", None),)),
    StepResult(next=Next.NEXT, directives=(PlayBgm.build("bgm/rain.ogg"),)),
    StepResult(next=Next.NEXT, directives=(PlayBgm.build(None),)),
    StepResult(next=Next.NEXT, directives=(Wait.build(0.0),)),
    StepResult(next=Next.NEXT, directives=(Wait.build(1.5),)),
    StepResult(next=Next.WAIT_BRANCH, directives=(Branch.build("右へ", "左へ"),)),
    StepResult(next=Next.WAIT_BRANCH, directives=(Branch.build(),)),
    StepResult(next=Next.NEXT, directives=(ClearLayer.build("bg"),)),
    StepResult(
        next=Next.HALT,
        directives=(
            ClearLayer.build("bg"),
            PlayBgm.build(None),
            ShowImage.build("bg", "a.png"),
            Wait.build(2.0),
            Say.build("ハル", "またね。"),
        ),
    ),
]
"""What each line of `written.v1.jsonl` means."""


_HAVE_PATHS = ("ShowImage", "PlayBgm", "PlaySe", "PlayMovie")


def _fill_paths(document: dict[str, Any]) -> dict[str, Any]:
    """The same step as Saniwa writes it: no path and a path of null mean the same."""
    for directive in document["directives"]:
        if directive["type"] in _HAVE_PATHS:
            directive["args"].setdefault("path", None)
    return document


def _read_lines(name: str) -> list[str]:
    return (_KEPT / name).read_text(encoding="utf-8").strip("\n").split("\n")


@pytest.mark.parametrize(
    ("line", "step"), list(zip(_read_lines("written.v1.jsonl"), _WRITTEN_FIRST, strict=True))
)
def test_what_was_written_is_still_written_the_same(line: str, step: StepResult) -> None:
    """An old result is still valid, has the same meaning, and is written with the same bytes."""
    CONTRACT.validate(json.loads(line))

    assert step == msgspec.json.decode(line, type=StepResult)
    assert line == step.to_json().decode()


@pytest.mark.parametrize("line", _read_lines("allowed.v1.jsonl"))
def test_what_was_allowed_is_still_understood(line: str) -> None:
    """A result that the first schema allowed is still valid and loses nothing."""
    document = json.loads(line)
    CONTRACT.validate(document)
    step = msgspec.json.decode(line, type=StepResult)

    assert _fill_paths(document) == step.to_document()


def test_the_kept_results_fit_the_kept_schema() -> None:
    """The kept results fit the first schema and have each of its directives."""
    first = jsonschema_rs.Draft202012Validator(_FIRST)
    kept = [json.loads(line) for line in _read_lines("written.v1.jsonl")]
    kept += [json.loads(line) for line in _read_lines("allowed.v1.jsonl")]

    assert [] == [step for step in kept if not first.is_valid(step)]
    assert set(_list_directives(_FIRST)) == {d["type"] for s in kept for d in s["directives"]}


def _list_directives(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The schema of each directive, by its type."""
    listed = schema["properties"]["directives"]["items"]["oneOf"]
    return {each["properties"]["type"]["const"]: each for each in listed}


def _find_narrowed(
    old: dict[str, Any], new: dict[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[str, ...]]:
    """Each place where the new schema forbids what the old one allowed."""
    for name, inner in old.get("properties", {}).items():
        if name not in new.get("properties", {}):
            yield (*path, name)
        else:
            yield from _find_narrowed(inner, new["properties"][name], (*path, name))
    for keyword in (old.keys() | new.keys()) - {"properties", "description"}:
        if keyword == "oneOf" or old.get(keyword) == new.get(keyword):
            continue
        if keyword == "items" and "oneOf" in old["items"]:
            continue
        yield (*path, keyword)


def test_nothing_of_the_first_schema_is_gone_or_narrower() -> None:
    """No directive, field, type or value is removed; no new field is required."""
    today = _list_directives(_TODAY)
    told = {"$comment", "$defs", "description"}
    whole = {key: value for key, value in _TODAY.items() if key not in told}

    assert [] == list(_find_narrowed(_FIRST, whole))
    for name, old in _list_directives(_FIRST).items():
        assert [] == list(_find_narrowed(old, today[name], (name,)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"properties": {"a": {}}}, {"properties": {}}),
        ({"required": []}, {"required": ["a"]}),
        ({"required": ["a"]}, {"required": []}),
        ({"enum": ["a", "b"]}, {"enum": ["a"]}),
        ({"type": ["string", "null"]}, {"type": "string"}),
        ({"type": "string"}, {"type": "string", "minLength": 1}),
        (
            {"properties": {"a": {"items": {"type": "string"}}}},
            {"properties": {"a": {"items": {"type": "number"}}}},
        ),
    ],
)
def test_the_comparison_sees_what_it_looks_for(old: dict[str, Any], new: dict[str, Any]) -> None:
    """Each way of breaking an old host is found as a difference."""
    assert [] != list(_find_narrowed(old, new))


def _find_closed(schema: Any) -> Iterator[bool]:
    """For each object with declared fields, whether it forbids others."""
    if isinstance(schema, list):
        for each in schema:
            yield from _find_closed(each)
    elif isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" in schema:
            yield schema.get("additionalProperties") is False
        for each in schema.values():
            yield from _find_closed(each)


def test_every_object_of_the_schema_is_closed() -> None:
    """Every object of the schema forbids unknown fields."""
    closed = list(_find_closed(_TODAY))

    inner = 3  # an option, a source, a span

    assert [True] * (1 + 2 * len(_list_directives(_TODAY)) + inner) == closed


def _draw_kind(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of a type that the records use."""
    match kind:
        case msgspec.inspect.StructType(cls=cls, fields=fields):
            needed = {f.name: _draw_kind(f.type) for f in fields if f.required}
            more = {f.name: _draw_kind(f.type) for f in fields if not f.required}
            given = st.fixed_dictionaries(needed, optional=more)
            return given.map(lambda values: cls(**values))
        case msgspec.inspect.UnionType(types=types):
            return st.one_of([_draw_kind(each) for each in types])
        case msgspec.inspect.VarTupleType(item_type=item):
            return st.lists(_draw_kind(item), max_size=3).map(tuple)
        case msgspec.inspect.DictType(key_type=key, value_type=value):
            return st.dictionaries(_draw_kind(key), _draw_kind(value), max_size=3)
        case msgspec.inspect.LiteralType(values=values):
            return st.sampled_from(list(values))
        case msgspec.inspect.EnumType(cls=cls):
            return st.sampled_from(list(cls))
        case msgspec.inspect.IntType(ge=least):
            return st.integers(least, 2**53)
        case msgspec.inspect.FloatType(ge=least):
            return st.floats(least, allow_infinity=False, allow_nan=False)
        case msgspec.inspect.StrType():
            return st.text(max_size=8)
        case msgspec.inspect.BoolType():
            return st.booleans()
        case msgspec.inspect.NoneType():
            return st.none()
    raise AssertionError(f"no examples of {kind!r}")


@settings(max_examples=scale_examples(300))
@given(_draw_kind(msgspec.inspect.type_info(StepResult)))
def test_whatever_the_records_hold_fits_the_schema(step: StepResult) -> None:
    """Every StepResult that can be built fits the schema."""
    written = step.to_json()

    CONTRACT.validate(json.loads(written))
    assert step == msgspec.json.decode(written, type=StepResult)


def _draw_allowed(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Any value that the schema allows, for the keywords that this schema uses."""
    match schema:
        case {"$ref": ref}:
            return _draw_allowed(_TODAY["$defs"][ref.removeprefix("#/$defs/")])
        case {"oneOf": each}:
            return st.one_of([_draw_allowed(one) for one in each])
        case {"const": value}:
            return st.just(value)
        case {"enum": values}:
            return st.sampled_from(values)
        case {"type": [*types]}:
            return st.one_of([_draw_allowed({"type": one}) for one in types])
        case {"type": "object", "properties": fields, "required": required}:
            needed = {name: _draw_allowed(fields[name]) for name in required}
            more = {n: _draw_allowed(s) for n, s in fields.items() if n not in needed}
            return st.fixed_dictionaries(needed, optional=more)
        case {"type": "object", "additionalProperties": dict() as value}:
            return st.dictionaries(st.text(max_size=8), _draw_allowed(value), max_size=3)
        case {"type": "array", "items": item}:
            return st.lists(_draw_allowed(item), max_size=3)
        case {"type": "integer", "minimum": least}:
            return st.integers(least, 2**53)
        case {"type": "number"}:
            real = st.floats(allow_infinity=False, allow_nan=False)
            return real | st.integers(-(2**53), 2**53)
        case {"type": "string"}:
            return st.text(max_size=8)
        case {"type": "boolean"}:
            return st.booleans()
        case {"type": "null"}:
            return st.none()
    raise AssertionError(f"no examples of {schema!r}")


@settings(max_examples=scale_examples(300))
@given(_draw_allowed(_TODAY))
def test_whatever_fits_the_schema_can_be_read(document: dict[str, Any]) -> None:
    """Every result that the schema allows can be read and is written back without loss."""
    CONTRACT.validate(document)
    step = msgspec.json.decode(json.dumps(document), type=StepResult)

    assert _fill_paths(document) == step.to_document()


_EXAMPLES = [b.text for b in list_blocks(_PAGE) if b.info == "json"]


@pytest.mark.parametrize("text", _EXAMPLES)
def test_an_example_of_the_page_keeps_the_contract(text: str) -> None:
    """An example on the page is valid and is exactly what Saniwa writes."""
    CONTRACT.validate(json.loads(text))
    step = msgspec.json.decode(text, type=StepResult)

    assert json.loads(text) == step.to_document()


def test_the_page_shows_every_directive_and_field() -> None:
    """The page has a heading and an example for each directive and a row for each of its fields."""
    page = _PAGE.read_text(encoding="utf-8")
    parts = re.split(r"^## (.+)$", page, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))

    for name, schema in _list_directives(_TODAY).items():
        args = schema["properties"]["args"]
        rows = re.findall(r"^\| `(\w+)` \| (\w+) \|", sections[name], re.MULTILINE)
        told = {
            field: "required" if field in args["required"] else "optional"
            for field in args["properties"]
            if field != "source"
        }
        assert told == dict(rows)
        assert f'{{"type": "{name}"' in sections[name]


def test_page_and_schema_tell_the_same_version() -> None:
    """The major version is in the schema's id, and the page has the same version."""
    page = _PAGE.read_text(encoding="utf-8")
    version = re.search(r"[Vv]ersion (\d+)\.(\d+)", _TODAY["$comment"])

    assert version is not None
    assert f"urn:saniwa:stepresult:{version[1]}" == _TODAY["$id"] == _FIRST["$id"]
    assert f"This is version {version[1]}.{version[2]}." in page
    assert f"| {version[1]}.{version[2]} |" in page
