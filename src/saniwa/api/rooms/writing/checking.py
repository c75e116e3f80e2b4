"""Texts checked as they are typed; nothing is kept.

A long one takes seconds: each is checked by the garden's own threads for it, and nobody
has more than a few of them waiting.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from saniwa.api.guard.limits.rate import counted_as
from saniwa.api.operation import Call, Operation
from saniwa.api.rooms.playing import Said
from saniwa.api.rooms.watching.map import WorldView, world_view
from saniwa.api.rooms.writing.marks import Mark, marks
from saniwa.api.rooms.writing.story_view import (
    OutlineLine,
    StoryCounts,
    StoryGraph,
    counts_of,
    graph_view,
    outline_of,
)
from saniwa.api.texts import Text
from saniwa.core.errors import ScriptError
from saniwa.core.finding import Finding
from saniwa.core.where import Where
from saniwa.run.hosted.understanding import Understanding, understanding
from saniwa.script.beside import joined
from saniwa.script.story import Story, story_of
from saniwa.wiring.garden.garden import Garden
from saniwa.wiring.writing.draft import drafted, first_file, loose_draft
from saniwa.wiring.writing.names import folder_of
from saniwa.wiring.writing.scenario_check import CheckedScenario, check_text
from saniwa.wiring.writing.shown import shown_error, shown_finding

Named = Annotated[str, msgspec.Meta(max_length=200)]
Answer = TypeVar("Answer")


class _Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bodies have no fields we do not know."""


class StoryText(_Body, frozen=True, kw_only=True):
    """A story's text, as it is being written."""

    text: Text
    """The text."""
    story: Named = ""
    """The story it is of; empty for none."""
    file: Named = ""
    """The file of that story; empty for the one it begins in."""


class CheckedStory(msgspec.Struct, frozen=True, kw_only=True):
    """What a story's text comes to."""

    passed: bool
    """Whether it can be played."""
    title: str
    """What people call it."""
    language: str
    """The language it is written in; empty where it does not say."""
    findings: list[Mark]
    """Everything found, in reading order."""
    outline: list[OutlineLine]
    """What the text consists of."""
    graph: StoryGraph
    """How the whole story hangs together."""
    counts: StoryCounts
    """How long the whole story is."""


class ScenarioText(_Body, frozen=True, kw_only=True):
    """A scenario's text, as it is being written."""

    text: Text
    """The text."""
    format: Literal["yaml", "json"] = "yaml"
    """What it is written in."""
    scenario: Named = ""
    """The scenario it is of; empty for none."""


class CheckedWorld(msgspec.Struct, frozen=True, kw_only=True):
    """What a scenario's text comes to."""

    passed: bool
    """Whether it can be played."""
    findings: list[Mark]
    """Everything found, in reading order."""
    world: WorldView | None = None
    """The world it opens with; null where a mistake keeps it from being one."""
    language: str = ""
    """The language its people speak."""


class TriedWords(ScenarioText, frozen=True, kw_only=True):
    """Words to be tried on a scenario's text."""

    words: Said
    """What somebody would say or do first."""
    actor: Named = ""
    """Who; empty for the one the scenario names."""


async def check_story(call: Call) -> CheckedStory:
    """Check a story's text."""
    return await _beside(call, _story)


async def _beside(call: Call, work: Callable[[Garden, Any], Answer]) -> Answer:
    """Do the work where nobody else waits for it."""
    garden, body = call.garden, call.body
    return await garden.checks.done(lambda: work(garden, body), counted_as(call.scope))


def _story(garden: Garden, body: StoryText) -> CheckedStory:
    registry = garden.parts.registry
    if not body.story:
        return _loose(body.text, registry)
    place = garden.library.find(body.story)
    folder = folder_of(place)
    try:
        story = drafted(body.text, place, body.file, registry)
    except ScriptError as problem:
        raise shown_error(problem, folder) from problem
    found = [shown_finding(each, folder) for each in story.report.findings]
    name = body.file or first_file(place, "").name
    return _checked(story, found, body.text, name)


def _loose(text: str, registry: str | Path | None) -> CheckedStory:
    more = list[Finding]()
    try:
        story = loose_draft(text, registry)
    except ScriptError as problem:
        story = story_of(text)
        more.append(_finding(problem))
    return _checked(story, [*story.report.findings, *more], text, "story.md")


def _checked(
    story: Story, findings: list[Finding], text: str, name: str
) -> CheckedStory:
    first = story.scenes[0]
    edited = joined(first.file, name)
    scene = next((each for each in story.scenes if each.file == edited), None)
    return CheckedStory(
        passed=not any(each.severity == "error" for each in findings),
        title=story.title,
        language=first.front.language,
        findings=marks(findings, text, name),
        outline=outline_of(scene) if scene else [],
        graph=graph_view(story, edited),
        counts=counts_of(story.program),
    )


def _finding(problem: ScriptError) -> Finding:
    return Finding(
        code=str(problem.code),
        message=problem.message,
        where=Where(file="story.md", line=1, column=1),
        hint=problem.hint,
    )


async def check_scenario(call: Call) -> CheckedWorld:
    """Check a scenario's text."""
    return await _beside(call, _world)


def _world(garden: Garden, body: ScenarioText) -> CheckedWorld:
    checked = _scenario(garden, body)
    run = checked.run
    return CheckedWorld(
        passed=checked.report.passed,
        findings=marks(checked.report.findings, body.text, checked.file),
        world=None if run is None else world_view(run, -1),
        language="" if run is None else run.world.language,
    )


def _scenario(garden: Garden, body: ScenarioText) -> CheckedScenario:
    registry = garden.parts.registry
    return check_text(body.text, body.format, body.scenario, registry)


async def try_words(call: Call) -> Understanding:
    """Try words on the world that a scenario's text would be."""
    return await _beside(call, _tried)


def _tried(garden: Garden, body: TriedWords) -> Understanding:
    run = _scenario(garden, body).run
    if run is None:
        return understanding(None)
    # Nothing is awaited there but the work itself, which is why it is done here.
    return understanding(asyncio.run(run.preview(body.words, body.actor or None)))


_WORLD = """\
name: hut
locations:
  hut: {name: Hut, description: One room and a window.}
characters:
  ana: {location: hut}
"""
OPERATIONS = (
    Operation(
        name="checkStory",
        method="POST",
        path="/check/story",
        summary="Check a story's text: findings, outline, graph and length",
        run=check_story,
        takes=StoryText,
        takes_text=True,
        answers=CheckedStory,
        needs="play",
        codes=("STORY_NOT_FOUND", "FILE_OUTSIDE"),
        example={"text": "# Rain\n\nIt rains.\n"},
    ),
    Operation(
        name="checkScenario",
        method="POST",
        path="/check/scenario",
        summary="Check a scenario's text: findings, and the world as a map",
        run=check_scenario,
        takes=ScenarioText,
        takes_text=True,
        answers=CheckedWorld,
        needs="play",
        codes=("REGISTRY_MISSING",),
        example={"text": _WORLD},
    ),
    Operation(
        name="tryWords",
        method="POST",
        path="/check/scenario/words",
        summary="How words would be understood in the world that a text would be",
        run=try_words,
        takes=TriedWords,
        takes_text=True,
        answers=Understanding,
        needs="play",
        codes=("REGISTRY_MISSING", "ACTOR_UNKNOWN"),
        example={"text": _WORLD, "words": "look"},
    ),
)
