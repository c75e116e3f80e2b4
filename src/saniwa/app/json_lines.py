"""The handler for a world over JSON lines, and the published JSON Schemas."""

from functools import reduce
from importlib import import_module
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from saniwa.app.scenarios import load_book_layers, open_scenario
from saniwa.documents.json_schema import DIALECT, build_schema
from saniwa.story.step_result import read_schema_text
from saniwa.turn.record import Turn

if TYPE_CHECKING:
    from saniwa.app.scenarios import BookLayers
    from saniwa.runs.world_handler import WorldHandler
    from saniwa.scenario.loader import Scenario


def open_world_handler(registry: str | Path | None = None) -> "WorldHandler":
    """Open the JSON lines handler for the scenarios of a registry."""
    from saniwa.runs.world_handler import WorldHandler

    def opener(
        named: str | dict[str, Any], book: str | dict[str, Any] | None
    ) -> tuple["Scenario", "BookLayers"]:
        scenario = open_scenario(named, registry)
        return scenario, load_book_layers(scenario, book)

    return WorldHandler(opener)


AUTHORED_FORMATS: Final = {
    "agent": ("saniwa.agent.files.agent_file", "AGENT"),
    "flow": ("saniwa.agent.files.flow_file", "FLOW"),
    "plan": ("saniwa.experiment.format.fields", "PLAN"),
    "process": ("saniwa.process.format", "PROCESS"),
    "registry": ("saniwa.scenario.format", "REGISTRY"),
    "rulebook": ("saniwa.rulebook.format", "BOOK"),
    "scenario": ("saniwa.scenario.format", "SCENARIO"),
}
"""The formats that people write, each with the module and name of its form."""


def render_authored_schema(name: str) -> str:
    """Return the JSON Schema of an authored format as text, for editors."""
    module, form = AUTHORED_FORMATS[name]
    schema = build_schema(getattr(import_module(module), form), name)
    return msgspec.json.format(msgspec.json.encode(schema), indent=2).decode()


def render_published_schema(name: Literal["stepresult", "host", "world", "turn"]) -> str:
    """Return a published JSON Schema as text."""
    match name:
        case "stepresult":
            return read_schema_text()
        case "host":
            from saniwa.app import host_playings

            return _render_lines_schema(
                host_playings.PLAY_REQUESTS,
                host_playings.PLAY_ANSWERS,
                name,
                host_playings.PLAY_PROTOCOL,
            )
        case "world":
            from saniwa.runs import world_handler

            return _render_lines_schema(
                world_handler.WORLD_REQUESTS,
                world_handler.WORLD_ANSWERS,
                name,
                world_handler.WORLD_PROTOCOL,
            )
        case "turn":
            return _add_schema_header(msgspec.json.schema(Turn), "urn:saniwa:turn:1")


def _render_lines_schema(
    requests: dict[str, type[Any]], answers: tuple[type[Any], ...], name: str, protocol: int
) -> str:
    """Build the schema of a protocol: each line is a request or an answer."""
    (request, *answered), parts = msgspec.json.schema_components(
        (reduce(or_, requests.values()), *answers), ref_template="#/$defs/{name}"
    )
    defined = parts | {"Request": request, "Answer": {"anyOf": answered}}
    either = [{"$ref": "#/$defs/Request"}, {"$ref": "#/$defs/Answer"}]
    schema = {"oneOf": either, "$defs": defined}
    return _add_schema_header(schema, f"urn:saniwa:{name}-lines:{protocol}")


def _add_schema_header(schema: dict[str, Any], urn: str) -> str:
    head = {"$schema": DIALECT, "$id": urn}
    return msgspec.json.format(msgspec.json.encode(head | schema), indent=2).decode()
