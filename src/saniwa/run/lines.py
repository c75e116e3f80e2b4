"""The lines of the headless door: every request and every answer, as records.

`saniwa schema world` publishes them as JSON Schema. Fields may be added; none changes its
meaning or goes away within a protocol number.
"""

from typing import Any, Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType

from saniwa.rulebook.verdict import Verdict
from saniwa.turn.sight import Line
from saniwa.turn.trace import Clarification, Rejection
from saniwa.world.action import Action
from saniwa.world.change import Change
from saniwa.world.model import Id
from saniwa.world.scene import Scene

PROTOCOL = 1
"""Raised when an old client could misread an answer; additions do not raise it."""


class _Request(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="op",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """Every request names its `op`; an `id` comes back with the answer."""

    id: str | int | None = None
    """Anything the client wants back with the answer."""


class Load(_Request, frozen=True, tag="load"):
    """Begin with a scenario; whatever was loaded before is let go."""

    scenario: str | dict[str, Any]
    """A registry id, a path, or the scenario document itself."""
    book: str | dict[str, Any] | None = None
    """A shipped book's name or a layer over the scenario's own; None for its own."""
    language: str | None = None
    """`en` or `ja`; None for the scenario's own."""


class Act(_Request, frozen=True, tag="act"):
    """Try one action."""

    action: dict[str, Any]
    """The action in its wire form."""


class Say(_Request, frozen=True, tag="say"):
    """Say something as somebody."""

    text: str
    """The words."""
    actor: str | None = None
    """Who speaks; None for the protagonist."""


class Preview(_Request, frozen=True, tag="preview"):
    """How words or an action would fare, without acting."""

    text: str | None = None
    """The words."""
    action: dict[str, Any] | None = None
    """Or the action."""
    actor: str | None = None
    """Who speaks; None for the protagonist."""


class Admissible(_Request, frozen=True, tag="admissible"):
    """Every action the actor is allowed now."""

    actor: str | None = None
    """Who; None for the protagonist."""


class View(_Request, frozen=True, tag="view"):
    """What the actor perceives now."""

    actor: str | None = None
    """Who; None for the protagonist."""


class Fingerprint(_Request, frozen=True, tag="fingerprint"):
    """The world's fingerprint and published hash."""


class Snapshot(_Request, frozen=True, tag="snapshot"):
    """The whole world as a document."""


class Restore(_Request, frozen=True, tag="restore"):
    """Put a snapshot in the world's place; the book stays."""

    snapshot: dict[str, Any]
    """A document that `snapshot` gave."""


class Edit(_Request, frozen=True, tag="edit"):
    """Lay a layer over the rulebook; the next action is judged by it."""

    book: dict[str, Any]
    """The layer."""


Request = (
    Load
    | Act
    | Say
    | Preview
    | Admissible
    | View
    | Fingerprint
    | Snapshot
    | Restore
    | Edit
)

REQUESTS: dict[str, type[Request]] = {
    str(cls.__struct_config__.tag): cls for cls in get_args(Request)
}
"""Every request, by the name of its operation."""


class _Answer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Every good answer says so."""

    ok: Literal[True] = True
    """The line was understood and answered; a refusal by the rulebook is an answer too."""
    id: str | int | UnsetType = UNSET
    """The request's own `id`, if it had one."""


class Loaded(_Answer, frozen=True):
    """Answer to `load`."""

    protocol: int
    """The protocol spoken here."""
    scenario: str
    """The scenario's name."""
    scenario_hash: str
    """Its published hash."""
    world_hash: str
    """The published hash of its world."""
    fingerprint: str
    """The world's fingerprint."""
    book: str
    """The rulebook's fingerprint."""
    language: str
    """The language verdicts and narration speak."""
    actors: list[Id]
    """Every character, in order of id."""
    protagonist: Id | None
    """Who acts where nobody is named."""
    warnings: list[dict[str, Any]]
    """What the scenario's author should know."""


class Weighed(_Answer, frozen=True):
    """Answer to `act`, `say` and `preview`."""

    turn: int
    """The number of the turn, from 0; restoring does not turn it back."""
    parsed: list[Any]
    """What the parser made of the words; not trusted."""
    actions: list[Action]
    """The claims that became actions."""
    verdicts: list[Verdict]
    """One for each of those."""
    applied: list[Action]
    """Those that were allowed; in a preview, those that would be."""
    changes: list[Change]
    """What changed in the world, or would."""
    rejections: list[Rejection]
    """The claims that never became actions."""
    clarification: Clarification | None
    """The question back, if there is one; then nothing happened."""
    narration: list[Line]
    """The same for people."""
    fingerprint: str
    """The world's fingerprint after; in a preview, as it would be."""
    goal_reached: bool
    """Whether the story has ended well, or would."""
    reply: dict[str, Any] | None = None
    """For a model's `Thought:`/`Output:` reply: both texts and how it was repaired."""


class Allowed(_Answer, frozen=True):
    """Answer to `admissible`."""

    actor: Id
    """Who may."""
    actions: list[Action]
    """Everything they may do now, sorted; what needs free text is not listed."""


class Seen(_Answer, frozen=True):
    """Answer to `view`."""

    view: Scene
    """What the actor perceives."""


class Marked(_Answer, frozen=True):
    """Answer to `fingerprint`."""

    fingerprint: str
    """The world's fingerprint."""
    world_hash: str
    """The published hash of the world as it is now."""


class Taken(_Answer, frozen=True):
    """Answer to `snapshot`."""

    snapshot: dict[str, Any]
    """The whole world."""


class Restored(_Answer, frozen=True):
    """Answer to `restore`."""

    fingerprint: str
    """The world's fingerprint."""


class Edited(_Answer, frozen=True):
    """Answer to `edit`."""

    book: str
    """The fingerprint of the rulebook from now on."""


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong, where, and what to do."""

    code: str
    """Upper-case words, explained in the documentation."""
    message: str
    """What is wrong."""
    where: str
    """The place in the line or file; empty if there is none."""
    hint: str
    """What to do."""
    recoverable: bool
    """Whether the same line could succeed later."""
    details: dict[str, Any]
    """The values involved."""


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to a line that is not understood or cannot be done; nothing changed."""

    ok: Literal[False] = False
    """It is not."""
    id: str | int | UnsetType = UNSET
    """The request's own `id`, if it had one that could be read."""
    error: Problem
    """Why."""


Answer = Loaded | Weighed | Allowed | Seen | Marked | Taken | Restored | Edited

ANSWERS = (Loaded, Weighed, Allowed, Seen, Marked, Taken, Restored, Edited, Refused)
"""Every answer there is."""
