import ast

import msgspec
import pytest

from saniwa.app.operations.operation import Operation
from saniwa.cli.explain import list_entries
from saniwa.http.application import HTTP_OPERATIONS
from saniwa.http.openapi import build_document, load_examples
from tests.house.pages import ROOT

_WHOLE = build_document(HTTP_OPERATIONS)


@pytest.mark.parametrize(
    "operation",
    [each for each in HTTP_OPERATIONS if each.answers not in (None, bytes)],
    ids=lambda each: each.name,
)
def test_an_answer_that_is_shown_is_one_that_could_be_given(operation: Operation) -> None:
    """Every example answer fits the operation's type."""
    shown = load_examples()[operation.name]

    assert msgspec.convert(shown, operation.answers) is not None


@pytest.mark.parametrize(
    "operation",
    [each for each in HTTP_OPERATIONS if each.takes is not None],
    ids=lambda each: each.name,
)
def test_a_body_that_is_shown_is_one_that_could_be_sent(operation: Operation) -> None:
    """Every example body fits the operation's type."""
    assert msgspec.convert(operation.example, operation.takes) is not None


def test_what_is_in_a_path_is_shown() -> None:
    """Every path parameter has an example."""
    bare = [
        f"{name} {part['name']}"
        for methods in _WHOLE["paths"].values()
        for each in methods.values()
        for name in [each["operationId"]]
        for part in each["parameters"]
        if part["in"] == "path" and part["example"] == part["name"]
    ]

    assert [] == bare


def test_a_change_says_that_it_needs_a_revision_and_takes_a_key() -> None:
    """A change needs the If-Match header, and may have an idempotency key."""
    say = _WHOLE["paths"]["/api/v1/runs/{run}/words"]["post"]
    headers = {p["name"]: p["required"] for p in say["parameters"] if p["in"] == "header"}

    assert {"If-Match": True, "Idempotency-Key": False} == headers
    assert "412" in say["responses"]
    assert "428" in say["responses"]


def test_refusals_are_problems_and_nothing_else() -> None:
    """Every error status is documented as a problem document."""
    for methods in _WHOLE["paths"].values():
        for each in methods.values():
            for status, told in each["responses"].items():
                if not status.startswith("2"):
                    assert "#/components/responses/Refused" == told["$ref"]
    refused = _WHOLE["components"]["responses"]["Refused"]
    assert ["application/problem+json"] == list(refused["content"])


def test_a_code_that_an_operation_names_has_an_entry() -> None:
    """Every code that an operation names has an entry."""
    named = {code for each in HTTP_OPERATIONS for code in each.codes if "_" in code}

    assert named <= {entry.code for entry in list_entries()}


def test_every_view_is_made_ready_for_threads() -> None:
    """The decoder of every answer type is prepared for threads."""
    built, ready = set[str](), set(_WHOLE["components"]["schemas"])
    for path in (ROOT / "src" / "saniwa" / "http").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func).rpartition(".")[2]
                if name == "build_view":
                    built.add(ast.unparse(node.args[0]))
                if name == "warm_decoders":
                    ready |= {ast.unparse(each) for each in node.args}

    assert built <= ready
