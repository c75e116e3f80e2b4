"""The headless door, and the JSON Schemas of what goes through any door."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from saniwa.script.directive import schema_text
from saniwa.turn.trace import Turn
from saniwa.wiring.scenario import book_layers, open_scenario

if TYPE_CHECKING:
    from saniwa.run.headless import Door, Opened


def headless_door(registry: str | Path | None = None) -> "Door":
    """The headless door to whatever scenarios the registry names."""
    from saniwa.run.headless import Door, Opened

    def opener(
        named: str | dict[str, Any], book: str | dict[str, Any] | None
    ) -> "Opened":
        scenario = open_scenario(named, registry)
        return Opened(
            scenario_id=scenario.id,
            scenario_hash=scenario.scenario_hash,
            world=scenario.world,
            layers=book_layers(scenario, book),
            warnings=tuple(f.as_document() for f in scenario.report.findings),
        )

    return Door(opener)


def published_schema(name: Literal["stepresult", "host", "world", "turn"]) -> str:
    """A JSON Schema of what is read or written, as text."""
    match name:
        case "stepresult":
            return schema_text()
        case "host":
            from saniwa.run.hosted import lines as spoken

            return _lines_schema(
                spoken.Request, spoken.ANSWERS, "host", spoken.PROTOCOL
            )
        case "world":
            from saniwa.run import lines

            return _lines_schema(lines.Request, lines.ANSWERS, "world", lines.PROTOCOL)
        case "turn":
            return _schema(Turn, "urn:saniwa:turn:1")


def _lines_schema(
    requests: Any, answers: tuple[type[Any], ...], name: str, protocol: int
) -> str:
    """A line of a door is a request; what comes back is one of the answers."""
    (request, *answered), parts = msgspec.json.schema_components(
        (requests, *answers), ref_template="#/$defs/{name}"
    )
    defined = parts | {"Request": request, "Answer": {"anyOf": answered}}
    either = [{"$ref": "#/$defs/Request"}, {"$ref": "#/$defs/Answer"}]
    whole = {"oneOf": either, "$defs": defined}
    return _published(whole, f"urn:saniwa:{name}-lines:{protocol}")


def _schema(kind: Any, urn: str) -> str:
    return _published(msgspec.json.schema(kind), urn)


def _published(schema: dict[str, Any], urn: str) -> str:
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": urn}
    return msgspec.json.format(msgspec.json.encode(head | schema), indent=2).decode()
