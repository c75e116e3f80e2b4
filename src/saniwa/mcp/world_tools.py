"""The world's tools: what each does, and how it is described to a model."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable

from saniwa.app.runs import RunService
from saniwa.app.scenarios import is_document_file, locate_registry
from saniwa.core.errors import ProtocolError, SchemaValidationError
from saniwa.core.text import quote_value
from saniwa.mcp import world_records
from saniwa.mcp.tool import Tool, ToolReply
from saniwa.runs.run import Run
from saniwa.scenario.registry import Registry
from saniwa.story.step_result import Say, StepResult
from saniwa.turn.narration import number_options, render_action
from saniwa.turn.record import Turn
from saniwa.world.perceived_scene import build_scene

MOST_OPEN = 16
"""Runs that are kept open; an evicted run is read again when it is named."""


class WorldTools:
    """Runs of scenarios, stored in one store."""

    def __init__(self, parts: RunService) -> None:
        """Use the store and the registry of `parts`."""
        self._parts = parts
        self._open: OrderedDict[str, Run] = OrderedDict()

    def list_scenarios(
        self,
        arguments: world_records.ListScenariosArguments,  # noqa: ARG002 - as every tool
    ) -> ToolReply:
        """List what can be played."""
        entries = Registry.open(locate_registry(self._parts.registry)).entries
        found = tuple(
            world_records.WorldScenarioEntry(
                scenario=each.scenario_id, description=each.description, tags=tuple(each.tags)
            )
            for each in entries
        )
        lines = [f"{each.scenario}: {each.description}" for each in found]
        return ToolReply(
            world_records.ScenariosAnswer(found), "\n".join(lines) or "There are none."
        )

    def begin_run(self, arguments: world_records.BeginRunArguments) -> ToolReply:
        """Begin a run of a scenario."""
        if is_document_file(arguments.scenario):
            # A client may play the scenarios on offer, but not read files.
            raise SchemaValidationError(
                "REGISTRY_MISSING",
                f"{quote_value(arguments.scenario)} is no id of the registry",
                hint="list_scenarios tells the ids",
            )
        run = self._parts.begin(
            arguments.scenario,
            language=arguments.language or None,
            actor=arguments.character or None,
        )
        return self._make_look_reply(self._hold_run(run))

    def look(self, arguments: world_records.WorldRunArguments) -> ToolReply:
        """Return what the character perceives."""
        return self._make_look_reply(self._find_run(arguments))

    def say(self, arguments: world_records.SpeakArguments) -> ToolReply:
        """Play words as a turn."""
        run = self._find_run(arguments)
        turn, step = asyncio.run(run.say(arguments.words))
        return _make_speak_reply(run, turn, _render_step(step, turn), kept=True)

    def preview(self, arguments: world_records.SpeakArguments) -> ToolReply:
        """Return how words would be understood and judged."""
        run = self._find_run(arguments)
        foreseen = asyncio.run(run.preview(arguments.words))
        return _make_speak_reply(run, foreseen.turn, foreseen.sentences, kept=False)

    def list_admissible(self, arguments: world_records.WorldRunArguments) -> ToolReply:
        """List everything that may be done."""
        run = self._find_run(arguments)
        found = tuple(
            world_records.PossibleAction(render_action(action, run.world), action)
            for action in run.list_admissible()
        )
        lines = [each.words for each in found]
        answer = world_records.AdmissibleAnswer(world_run=run.id, possible=found)
        return ToolReply(answer, "\n".join(lines) or "There is nothing to do.")

    def _make_look_reply(self, run: Run) -> ToolReply:
        lines = _render_step(run.present_opening())
        seen = world_records.LookAnswer(
            world_run=run.id,
            scenario=run.record.scenario_id,
            character=run.actor,
            turn=run.count,
            view=build_scene(run.world, run.actor),
            narration=lines,
            goal_reached=run.is_finished,
        )
        return ToolReply(seen, "\n".join((*lines, f"(world_run {run.id})")))

    def _find_run(self, arguments: world_records.WorldRunArguments) -> Run:
        if arguments.world_run in self._open:
            return self._hold_run(self._open[arguments.world_run])
        if arguments.world_run:
            return self._hold_run(self._parts.resume(arguments.world_run))
        if not self._open:
            raise ProtocolError(
                "WORLD_NOT_LOADED",
                "nothing is being played at this server yet",
                hint="call begin_run, or name world_run",
            )
        return next(reversed(self._open.values()))

    def _hold_run(self, run: Run) -> Run:
        """Keep a run open as the most recently used."""
        run = self._open.setdefault(run.id, run)
        self._open.move_to_end(run.id)
        if len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)
        return run


def _make_speak_reply(run: Run, turn: Turn, narration: tuple[str, ...], *, kept: bool) -> ToolReply:
    spoken = world_records.SpeakAnswer(
        world_run=run.id,
        turn=turn.number,
        happened=bool(turn.applied_actions),
        kept=kept,
        reason_codes=tuple(_list_reasons(turn)),
        narration=narration,
        actions=turn.normalized_actions,
        verdicts=turn.validation_results,
        rejections=turn.rejections,
        clarification=turn.clarification,
        goal_reached=run.is_finished,
    )
    lines = [*narration]
    if spoken.reason_codes:
        lines.append(f"(refused: {', '.join(spoken.reason_codes)})")
    if not kept:
        lines.append("(a preview: nothing has happened)")
    elif run.is_finished:
        lines.append("(the goal is reached)")
    return ToolReply(spoken, "\n".join(lines))


def _list_reasons(turn: Turn) -> Iterable[str]:
    found = [str(v.reason_code) for v in turn.validation_results if not v.success]
    found += [each.code for each in turn.rejections]
    if turn.clarification is not None:
        found.append(turn.clarification.code)
    return dict.fromkeys(found)


def _render_step(step: StepResult, turn: Turn | None = None) -> tuple[str, ...]:
    speeches = [each.args for each in step.directives if isinstance(each, Say)]
    lines = [f"{s.speaker}: {s.text}" if s.speaker else s.text for s in speeches]
    if turn is not None and turn.clarification is not None:
        lines += [line.text.strip() for line in number_options(turn.clarification)]
    return tuple(lines)


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


def build_world_tools(tools: WorldTools) -> tuple[Tool, ...]:
    """Return the tools of a world, in the order in which a model needs them."""
    return (
        Tool(
            "list_scenarios",
            "What can be played",
            _LIST_SCENARIOS,
            world_records.ListScenariosArguments,
            world_records.ScenariosAnswer,
            tools.list_scenarios,
            alone=True,
        ),
        Tool(
            "begin_run",
            "Begin playing a scenario",
            _BEGIN_RUN,
            world_records.BeginRunArguments,
            world_records.LookAnswer,
            tools.begin_run,
            reads=False,
            alone=True,
        ),
        Tool(
            "look",
            "What your character perceives",
            _LOOK,
            world_records.WorldRunArguments,
            world_records.LookAnswer,
            tools.look,
            alone=True,
        ),
        Tool(
            "say",
            "Say or do something",
            _SAY,
            world_records.SpeakArguments,
            world_records.SpeakAnswer,
            tools.say,
            reads=False,
            alone=True,
        ),
        Tool(
            "preview",
            "Try words without consequences",
            _PREVIEW,
            world_records.SpeakArguments,
            world_records.SpeakAnswer,
            tools.preview,
            alone=True,
        ),
        Tool(
            "admissible",
            "Everything that may be done",
            _ADMISSIBLE,
            world_records.WorldRunArguments,
            world_records.AdmissibleAnswer,
            tools.list_admissible,
            alone=True,
        ),
    )
