"""The world's tools, with what a model is told about each."""

from saniwa.mcp import world_shape as shape
from saniwa.mcp.tool import Tool
from saniwa.mcp.world_desk import WorldDesk

INSTRUCTIONS = """\
There is also a story world to play in: begin_run opens a scenario, look tells what your \
character perceives, say plays a turn. A rulebook decides what happens; what it refuses did \
not happen, whatever was said."""

_LIST_SCENARIOS = """\
List the scenarios that begin_run can open. Changes nothing.
"""
_BEGIN_RUN = """\
Open a scenario as a new playing and tell the first scene. Every turn of it is recorded. \
Keep world_run if you play several.
"""
_LOOK = """\
Tell what your character perceives now: the place, ways out, things, people, and what is \
held. Changes nothing.
"""
_SAY = """\
Say or do something, in plain words such as "take the brass key, then open the door". The \
words are understood, judged by the rulebook one action after the other, and what is allowed \
happens; that turn is recorded. happened tells whether anything came true; reason_codes tell \
why the rest did not (LOCKED, NOT_PRESENT, ...). A clarification is a question: answer it \
with say. Use preview to try words without consequences.
"""
_PREVIEW = """\
Tell how words would be understood and judged now. Nothing happens and nothing is recorded.
"""
_ADMISSIBLE = """\
List everything your character may do now, in words that say understands. Changes nothing.
"""


def world_tools(desk: WorldDesk) -> tuple[Tool, ...]:
    """The tools of a world, in the order a model needs them."""
    return (
        Tool(
            "list_scenarios",
            "What can be played",
            _LIST_SCENARIOS,
            shape.Nothing,
            shape.Scenarios,
            desk.scenarios,
            alone=True,
        ),
        Tool(
            "begin_run",
            "Begin playing a scenario",
            _BEGIN_RUN,
            shape.BeginRun,
            shape.Looked,
            desk.begin,
            reads=False,
            alone=True,
        ),
        Tool(
            "look",
            "What your character perceives",
            _LOOK,
            shape.OfWorld,
            shape.Looked,
            desk.look,
            alone=True,
        ),
        Tool(
            "say",
            "Say or do something",
            _SAY,
            shape.Speak,
            shape.Spoken,
            desk.say,
            reads=False,
            alone=True,
        ),
        Tool(
            "preview",
            "Try words without consequences",
            _PREVIEW,
            shape.Speak,
            shape.Spoken,
            desk.preview,
            alone=True,
        ),
        Tool(
            "admissible",
            "Everything that may be done",
            _ADMISSIBLE,
            shape.OfWorld,
            shape.Allowed,
            desk.admissible,
            alone=True,
        ),
    )
