"""Puts the door together: one gate, one store of playings, one server."""

from collections.abc import Callable

from saniwa.mcp import gate_tools, world_tools
from saniwa.mcp.gate_desk import GateDesk
from saniwa.mcp.resource import Resources
from saniwa.mcp.server import Door
from saniwa.mcp.world_desk import WorldDesk
from saniwa.process.gate import Gate
from saniwa.process.visitor import Visitor
from saniwa.wiring import Parts


def assemble(
    gate: Gate,
    parts: Parts,
    named: Callable[[], str],
    afterwards: Callable[[], None] | None = None,
) -> Door:
    """The door to a gate and a store.

    `named` tells the run that is meant where none is named; `afterwards` is called when
    something was asked, before it is answered.
    """
    tools = (
        *gate_tools.gate_tools(GateDesk(gate, named)),
        *world_tools.world_tools(WorldDesk(parts)),
    )
    told = instructions(gate.visitor)
    return Door(tools, Resources(gate), told, afterwards or _nothing)


def instructions(visitor: Visitor) -> str:
    """What a model is told before it asks anything."""
    person = gate_tools.PERSON if visitor.person else gate_tools.AGENT
    told = gate_tools.INSTRUCTIONS.format(role=visitor.role, person=person)
    return f"{told}\n\n{world_tools.INSTRUCTIONS}"


def _nothing() -> None:
    """What is done afterwards where nothing is."""
