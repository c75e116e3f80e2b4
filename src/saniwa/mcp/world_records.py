"""Arguments and answers of the world's tools."""

from typing import Annotated

import msgspec
from msgspec import Meta

from saniwa.rulebook.verdict import Verdict
from saniwa.turn.record import Clarification, Rejection
from saniwa.world.actions import Action
from saniwa.world.perceived_scene import Scene

WorldRun = Annotated[
    str,
    Meta(
        description="The playing, as begin_run named it, or a part of its id. "
        "May be left out: then it is the one this server was last asked about."
    ),
]
Speech = Annotated[
    str, Meta(description="What your character says or does, in plain English or Japanese.")
]


class _Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of a tool; unknown names are refused."""


class ListScenariosArguments(_Arguments, frozen=True, kw_only=True):
    """No arguments."""


class BeginRunArguments(_Arguments, frozen=True, kw_only=True):
    """Which scenario, and how to play it."""

    scenario: Annotated[str, Meta(description="An id that list_scenarios told.")]
    language: Annotated[str, Meta(description="en or ja; else the scenario's own.")] = ""
    character: Annotated[str, Meta(description="Whom you play; else the first character.")] = ""


class WorldRunArguments(_Arguments, frozen=True, kw_only=True):
    """A playing, and nothing else."""

    world_run: WorldRun = ""


class SpeakArguments(WorldRunArguments, frozen=True, kw_only=True):
    """Words, in a playing."""

    words: Speech


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
    """In the registry's order."""


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
    """The same as it is told."""
    goal_reached: bool
    """Whether the story has ended well."""


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
    """What is told of it."""
    actions: tuple[Action, ...]
    """What the words were understood to mean."""
    verdicts: tuple[Verdict, ...]
    """The rulebook's verdict on each of those."""
    rejections: tuple[Rejection, ...]
    """Words that meant no action."""
    clarification: Clarification | None
    """A question back; then nothing happened. Answer it with say."""
    goal_reached: bool
    """Whether the story has ended well; in a preview, whether it has already."""


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
