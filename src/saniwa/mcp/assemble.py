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


def assemble(gate: Gate, parts: Parts, named: Callable[[], str]) -> Door:
    """The door to a gate and a store; `named` tells the run meant where none is named."""
    desk = GateDesk(gate, named)
    tools = (
        *gate_tools.gate_tools(desk),
        *world_tools.world_tools(WorldDesk(parts)),
    )
    return Door(tools, Resources(gate, desk), instructions(gate.visitor))


def instructions(visitor: Visitor) -> str:
    """What a model is told before it asks anything."""
    person = gate_tools.PERSON if visitor.person else gate_tools.AGENT
    told = gate_tools.INSTRUCTIONS.format(role=visitor.role, person=person)
    return f"{told}\n\n{world_tools.INSTRUCTIONS}"
