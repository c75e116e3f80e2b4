"""What the world's tools do: they play kept runs, and nothing can be talked past the rules.

Tools are called one at a time, from any thread.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable

from saniwa.core.errors import ProtocolError, SchemaValidationError
from saniwa.core.quoted import quoted
from saniwa.mcp import world_shape as shape
from saniwa.mcp.tool import Reply
from saniwa.run.conductor import Run
from saniwa.scenario.registry import Registry
from saniwa.script.directive import Say, StepResult
from saniwa.turn.narrate import number_options, tell_action
from saniwa.turn.trace import Turn
from saniwa.wiring import Parts, is_file, registry_place
from saniwa.world.scene import scene

MOST_OPEN = 16
"""Playings that are held open; one that was let go is read again when it is named."""


class WorldDesk:
    """Playings of scenarios, kept in one store."""

    def __init__(self, parts: Parts) -> None:
        """Playings in the store of these parts."""
        self._parts = parts
        self._open: OrderedDict[str, Run] = OrderedDict()

    def scenarios(self, asked: shape.Nothing) -> Reply:  # noqa: ARG002 - as every tool
        """What can be played."""
        entries = Registry.open(registry_place(self._parts.registry)).entries
        found = tuple(
            shape.ScenarioLine(
                scenario=each.scenario_id,
                description=each.description,
                tags=tuple(each.tags),
            )
            for each in entries
        )
        lines = [f"{each.scenario}: {each.description}" for each in found]
        return Reply(shape.Scenarios(found), "\n".join(lines) or "There are none.")

    def begin(self, asked: shape.BeginRun) -> Reply:
        """Begin a playing."""
        if is_file(asked.scenario):
            # Whoever is at this door may play what is on offer, not read files.
            raise SchemaValidationError(
                "REGISTRY_MISSING",
                f"{quoted(asked.scenario)} is no id of the registry",
                hint="list_scenarios tells the ids",
            )
        run = self._parts.begin(
            asked.scenario,
            language=asked.language or None,
            actor=asked.character or None,
        )
        return self._looked(self._keep(run))

    def look(self, asked: shape.OfWorld) -> Reply:
        """What is perceived."""
        return self._looked(self._run(asked))

    def say(self, asked: shape.Speak) -> Reply:
        """Play words as a turn."""
        run = self._run(asked)
        turn, step = asyncio.run(run.say(asked.words))
        return _spoken(run, turn, _said(step, turn), kept=True)

    def preview(self, asked: shape.Speak) -> Reply:
        """How words would be understood and judged."""
        run = self._run(asked)
        foreseen = asyncio.run(run.preview(asked.words))
        return _spoken(run, foreseen.turn, foreseen.sentences, kept=False)

    def admissible(self, asked: shape.OfWorld) -> Reply:
        """Everything that may be done."""
        run = self._run(asked)
        found = tuple(
            shape.Possible(tell_action(action, run.world), action)
            for action in run.admissible()
        )
        lines = [each.words for each in found]
        told = shape.Allowed(world_run=run.id, possible=found)
        return Reply(told, "\n".join(lines) or "There is nothing to do.")

    def _looked(self, run: Run) -> Reply:
        told = _said(run.opening())
        seen = shape.Looked(
            world_run=run.id,
            scenario=run.record.scenario_id,
            character=run.actor,
            turn=run.count,
            view=scene(run.world, run.actor),
            narration=told,
            goal_reached=run.finished,
        )
        return Reply(seen, "\n".join((*told, f"(world_run {run.id})")))

    def _run(self, asked: shape.OfWorld) -> Run:
        if asked.world_run in self._open:
            return self._keep(self._open[asked.world_run])
        if asked.world_run:
            return self._keep(self._parts.resume(asked.world_run))
        if not self._open:
            raise ProtocolError(
                "WORLD_NOT_LOADED",
                "nothing is being played at this server yet",
                hint="call begin_run, or name world_run",
            )
        return next(reversed(self._open.values()))

    def _keep(self, run: Run) -> Run:
        """Hold a playing open as the last one asked about."""
        run = self._open.setdefault(run.id, run)
        self._open.move_to_end(run.id)
        if len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)
        return run


def _spoken(run: Run, turn: Turn, told: tuple[str, ...], *, kept: bool) -> Reply:
    spoken = shape.Spoken(
        world_run=run.id,
        turn=turn.number,
        happened=bool(turn.applied_actions),
        kept=kept,
        reason_codes=tuple(_reasons(turn)),
        narration=told,
        actions=turn.normalized_actions,
        verdicts=turn.validation_results,
        rejections=turn.rejections,
        clarification=turn.clarification,
        goal_reached=run.finished,
    )
    lines = [*told]
    if spoken.reason_codes:
        lines.append(f"(refused: {', '.join(spoken.reason_codes)})")
    if not kept:
        lines.append("(a preview: nothing has happened)")
    elif run.finished:
        lines.append("(the goal is reached)")
    return Reply(spoken, "\n".join(lines))


def _reasons(turn: Turn) -> Iterable[str]:
    found = [str(v.reason_code) for v in turn.validation_results if not v.success]
    found += [each.code for each in turn.rejections]
    if turn.clarification is not None:
        found.append(turn.clarification.code)
    return dict.fromkeys(found)


def _said(step: StepResult, turn: Turn | None = None) -> tuple[str, ...]:
    said = [each.args for each in step.directives if isinstance(each, Say)]
    lines = [f"{s.speaker}: {s.text}" if s.speaker else s.text for s in said]
    if turn is not None and turn.clarification is not None:
        lines += [line.text.strip() for line in number_options(turn.clarification)]
    return tuple(lines)
