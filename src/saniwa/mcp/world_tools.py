"""The world's tools: what each does; `tools.toml` describes them to a model."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable

import msgspec

from saniwa.app.host_command_execution import perform_host_command
from saniwa.app.operations import library, playing, run_inspection, runs
from saniwa.app.run_service import RunService
from saniwa.app.scenario_lookup import is_document_file, locate_registry
from saniwa.core.errors import ProtocolError, SchemaValidationError
from saniwa.core.text import quote_value
from saniwa.language.host_commands import HostCommand, find_host_command
from saniwa.mcp.tool import ToolArguments, ToolReply, declare_tool
from saniwa.rulebook.verdict import Verdict
from saniwa.runs.playing import PlayRequest
from saniwa.runs.run import Run
from saniwa.runs.scenario_playing import ScenarioPlaying
from saniwa.scenario.registry import Registry
from saniwa.story.step_result import Say, StepResult
from saniwa.turn.narration import number_options, render_action
from saniwa.turn.record import Clarification, Rejection, Turn
from saniwa.world.actions import Action
from saniwa.world.perceived_scene import Scene, build_scene


class BeginRunArguments(ToolArguments, frozen=True, kw_only=True):
    """Which scenario, and how to play it."""

    scenario: str
    language: str = ""
    character: str = ""


class WorldRunArguments(ToolArguments, frozen=True, kw_only=True):
    """A playing, and nothing else."""

    world_run: str = ""


class SpeakArguments(WorldRunArguments, frozen=True, kw_only=True):
    """Words, in a playing."""

    words: str


class WorldScenarioEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One scenario in a list."""

    scenario: str
    """Its id."""
    description: str
    """Its author's words."""
    tags: tuple[str, ...]
    """What it is good for."""


class ScenariosAnswer(msgspec.Struct, frozen=True):
    """The scenarios that can be played."""

    scenarios: tuple[WorldScenarioEntry, ...]
    """Those for beginners first."""


class LookAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What your character perceives, and no more."""

    world_run: str
    """The playing."""
    scenario: str
    """What is played."""
    character: str
    """Whom you play."""
    turn: int
    """How many turns there were."""
    view: Scene
    """Place, ways, things, people, and what is held."""
    narration: tuple[str, ...]
    """The same, as narrated."""
    goal_reached: bool
    """Whether the goal was reached."""


class SpeakAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """How words were understood and judged, and what came of them."""

    world_run: str
    """The playing."""
    turn: int
    """The turn's number; from 0."""
    happened: bool
    """Whether anything of it came true, or would in a preview."""
    kept: bool
    """Whether it is part of the record; a preview is not."""
    reason_codes: tuple[str, ...]
    """Why what did not happen did not, such as LOCKED or NOT_PRESENT."""
    narration: tuple[str, ...]
    """Its description."""
    actions: tuple[Action, ...]
    """What the words were understood to mean."""
    verdicts: tuple[Verdict, ...]
    """The rulebook's verdict on each of those."""
    rejections: tuple[Rejection, ...]
    """Words that meant no action."""
    clarification: Clarification | None
    """A question to the player; then nothing happened. Answer it with say."""
    goal_reached: bool
    """Whether the story has ended well; in a preview, whether it has already."""
    host: str = ""
    """The word for the host that this answers, such as help; empty for any other words."""


class PossibleAction(msgspec.Struct, frozen=True):
    """Something that may be done now."""

    words: str
    """How to say it."""
    action: Action
    """What that means."""


class AdmissibleAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Everything your character may do now."""

    world_run: str
    """The playing."""
    possible: tuple[PossibleAction, ...]
    """Sorted; what needs free text is not listed."""


MOST_OPEN = 16
"""Runs that are kept open; an evicted run is read again when it is named."""


class WorldTools:
    """Runs of scenarios, stored in one store."""

    def __init__(self, parts: RunService) -> None:
        """Use the store and the registry of `parts`."""
        self._parts = parts
        self._open: OrderedDict[str, Run] = OrderedDict()

    @declare_tool(library.list_scenarios, ScenariosAnswer, alone=True)
    def list_scenarios(self, _: ToolArguments) -> ToolReply:
        """List what can be played."""
        entries = Registry.open(locate_registry(self._parts.registry)).list_for_people()
        found = tuple(
            WorldScenarioEntry(
                scenario=each.scenario_id, description=each.description, tags=tuple(each.tags)
            )
            for each in entries
        )
        lines = [f"{each.scenario}: {each.description}" for each in found]
        return ToolReply(ScenariosAnswer(found), "\n".join(lines) or "There are none.")

    @declare_tool(runs.begin_run, LookAnswer, alone=True)
    def begin_run(self, arguments: BeginRunArguments) -> ToolReply:
        """Begin a run of a scenario."""
        if is_document_file(arguments.scenario):
            # A client may play the scenarios on offer, but not read files.
            raise SchemaValidationError(
                "REGISTRY_MISSING",
                f"{quote_value(arguments.scenario)} is not an id in the registry",
                hint="list_scenarios lists the ids",
            )
        run = self._parts.begin(
            arguments.scenario,
            language=arguments.language or None,
            actor=arguments.character or None,
        )
        return self._make_look_reply(self._hold_run(run))

    @declare_tool(runs.read_moment, LookAnswer, alone=True)
    def look(self, arguments: WorldRunArguments) -> ToolReply:
        """Return what the character perceives."""
        return self._make_look_reply(self._find_run(arguments))

    @declare_tool(playing.say, SpeakAnswer, alone=True)
    def say(self, arguments: SpeakArguments) -> ToolReply:
        """Play words as a turn, or carry out a word for the host."""
        run = self._find_run(arguments)
        command = find_host_command(arguments.words)
        if command is not None:
            return _make_host_reply(run, command)
        turn, step = asyncio.run(run.say(arguments.words))
        return _make_speak_reply(run, turn, _render_step(step, turn), kept=True)

    @declare_tool(playing.preview_words, SpeakAnswer, alone=True)
    def preview(self, arguments: SpeakArguments) -> ToolReply:
        """Return how words would be understood and judged."""
        run = self._find_run(arguments)
        foreseen = asyncio.run(run.preview(arguments.words))
        return _make_speak_reply(run, foreseen.turn, foreseen.sentences, kept=False)

    @declare_tool(run_inspection.list_admissible, AdmissibleAnswer, "admissible", alone=True)
    def list_admissible(self, arguments: WorldRunArguments) -> ToolReply:
        """List everything that may be done."""
        run = self._find_run(arguments)
        found = tuple(
            PossibleAction(render_action(action, run.world), action)
            for action in run.list_admissible()
        )
        lines = [each.words for each in found]
        answer = AdmissibleAnswer(world_run=run.id, possible=found)
        return ToolReply(answer, "\n".join(lines) or "There is nothing to do.")

    def _make_look_reply(self, run: Run) -> ToolReply:
        lines = _render_step(run.present_opening())
        seen = LookAnswer(
            world_run=run.id,
            scenario=run.record.scenario_id,
            character=run.actor,
            turn=run.count,
            view=build_scene(run.world, run.actor),
            narration=lines,
            goal_reached=run.is_finished,
        )
        return ToolReply(seen, "\n".join((*lines, f"(world_run {run.id})")))

    def _find_run(self, arguments: WorldRunArguments) -> Run:
        if arguments.world_run in self._open:
            return self._hold_run(self._open[arguments.world_run])
        if arguments.world_run:
            return self._hold_run(self._parts.resume(arguments.world_run))
        if not self._open:
            raise ProtocolError(
                "WORLD_NOT_LOADED",
                "no world run has been started on this server",
                hint="call begin_run, or give world_run",
            )
        return next(reversed(self._open.values()))

    def _hold_run(self, run: Run) -> Run:
        """Keep a run open as the most recently used."""
        run = self._open.setdefault(run.id, run)
        self._open.move_to_end(run.id)
        if len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)
        return run


def _make_host_reply(run: Run, command: HostCommand) -> ToolReply:
    before = run.count
    playing, request = ScenarioPlaying(run), PlayRequest(revision=before)
    state = asyncio.run(perform_host_command(command, playing, request))
    spoken = SpeakAnswer(
        world_run=run.id,
        turn=before,
        happened=False,
        kept=run.count > before,
        reason_codes=(),
        narration=_render_step(state.step),
        actions=(),
        verdicts=(),
        rejections=(),
        clarification=None,
        goal_reached=run.is_finished,
        host=command.name,
    )
    return ToolReply(spoken, "\n".join(spoken.narration))


def _make_speak_reply(run: Run, turn: Turn, narration: tuple[str, ...], *, kept: bool) -> ToolReply:
    spoken = SpeakAnswer(
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
