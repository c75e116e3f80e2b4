import re
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from saniwa.app.run_service import RunService
from saniwa.mcp.gate_tools import GateTools
from saniwa.mcp.tool import Tool, build_input_schema, build_output_schema, list_tools
from saniwa.mcp.world_tools import WorldTools
from saniwa.process.tool_permissions import GATE_TOOLS
from tests.fakes.paper_process import PaperGates
from tests.house.pages import ROOT

GATE = list_tools(GateTools(PaperGates().make_gate(), str))
TOOLS = (*GATE, *list_tools(WorldTools(RunService("memory:"))))
each_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


@each_tool
def test_arguments_are_a_closed_object(tool: Tool) -> None:
    """The schema of a tool allows no other arguments."""
    schema = build_input_schema(tool)

    assert "object" == schema["type"]
    assert schema["additionalProperties"] is False


@each_tool
def test_every_argument_is_explained(tool: Tool) -> None:
    """Every argument has a description."""
    arguments = build_input_schema(tool).get("properties", {})

    assert [] == [name for name, told in arguments.items() if "description" not in told]


@each_tool
def test_no_tool_takes_a_role_or_a_state(tool: Tool) -> None:
    """No tool takes a role or a state."""
    forbidden = re.compile(r"role|state|credential|token|author|visitor")

    names = build_input_schema(tool).get("properties", {})

    assert [] == [name for name in names if forbidden.search(name)]


@each_tool
def test_the_reference_names_every_tool_argument_and_answer(tool: Tool) -> None:
    """Every argument and result field is in the tool's row of the reference."""
    page = ROOT / "docs" / "reference" / "mcp.md"
    lines = page.read_text(encoding="utf-8").split("\n")
    (row,) = [line for line in lines if line.startswith(f"| `{tool.name}` |")]
    fields = [each.encode_name for each in msgspec.structs.fields(tool.gives)]

    told = set(re.findall(r"`([^`]+)`", row))

    assert set(build_input_schema(tool).get("properties", {})) <= told
    assert set(fields) <= told or "| as `" in row


@pytest.mark.parametrize("tool", GATE, ids=lambda tool: tool.name)
def test_the_reference_names_every_part_of_a_gates_answer(tool: Tool) -> None:
    """Nested fields of a gate's answers are in the reference too."""
    page = ROOT / "docs" / "reference" / "mcp.md"
    told = set(re.findall(r"`([^`]+)`", page.read_text(encoding="utf-8")))
    parts = build_output_schema(tool.gives)["$defs"].values()

    assert set() == {name for part in parts for name in part["properties"]} - told


@each_tool
def test_schemas_are_based_on_their_own(tool: Tool) -> None:
    """Every reference in a schema leads to a part of the same schema."""
    for schema in (build_input_schema(tool), build_output_schema(tool.gives)):
        told = msgspec.json.encode(schema).decode()
        parts = set(schema.get("$defs", {}))

        assert set(re.findall(r'"#/\$defs/([^"]+)"', told)) <= parts
        jsonschema_rs.validator_for(schema)


@each_tool
def test_a_refusal_fits_every_answers_schema(tool: Tool) -> None:
    """A refusal fits the output schema of every tool."""
    refusal: dict[str, Any] = {
        "success": False,
        "error": {"code": "X", "message": "no", "details": {}, "current_revision": 3},
    }

    assert jsonschema_rs.validator_for(build_output_schema(tool.gives)).is_valid(refusal)
    assert not jsonschema_rs.validator_for(build_output_schema(tool.gives)).is_valid({"success": 1})


def test_the_hooks_own_tools_are_those_the_server_offers() -> None:
    """The tools that hooks always allow are the gate's tools."""
    assert GATE_TOOLS == {tool.name for tool in GATE}


def test_the_schema_of_emit_event_states_what_a_key_may_be() -> None:
    """The schema states the length and the characters of a key."""
    (emit,) = (tool for tool in GATE if tool.name == "emit_event")
    stated = build_input_schema(emit)["properties"]["idempotency_key"]

    assert (1, 200) == (stated["minLength"], stated["maxLength"])
    assert re.search(stated["pattern"], "鍵 with spaces, =and; more")
    assert not re.search(stated["pattern"], "a\nb")
    assert "1 to 200 printable characters" in stated["description"]
