"""The headless interface to one world: JSON Lines requests, without a story.

Nothing is stored here; clients that want a record open a run. `saniwa schema world`
publishes the messages as JSON Schema. Fields may be added; none changes its meaning or
goes away within a protocol number.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from saniwa.core.errors import ProtocolError
from saniwa.core.findings import SourceLocation
from saniwa.rulebook.book import Rulebook, add_manners
from saniwa.rulebook.judge import find_admissible_actions
from saniwa.rulebook.loader import build_rulebook
from saniwa.rulebook.verdict import Verdict
from saniwa.runs import describe
from saniwa.runs.errors import make_incomplete_action_error
from saniwa.runs.json_lines import (
    ErrorAnswer,
    LineAnswer,
    LineRequest,
    ReceivedLine,
    index_requests,
    list_messages,
    suggest_name,
)
from saniwa.runs.timeline import LANGUAGES, WorldPoint
from saniwa.runs.word_interpreter import interpret_phrases
from saniwa.scenario.loader import Scenario
from saniwa.turn.answers import play_words
from saniwa.turn.claim_form import find_missing_field
from saniwa.turn.description import NarrationLine
from saniwa.turn.narration import narrate
from saniwa.turn.play import TurnOutcome
from saniwa.turn.record import Clarification, Rejection, Turn
from saniwa.world.actions import Action
from saniwa.world.changes import Change
from saniwa.world.fingerprint import compute_fingerprint, compute_world_hash
from saniwa.world.model import Id, World
from saniwa.world.perceived_scene import Scene, build_scene
from saniwa.world.queries import is_goal_reached
from saniwa.world.snapshot import restore_world, take_snapshot

WORLD_PROTOCOL = 1
"""Raised when an old client could misread an answer; additions do not raise it."""


class WorldLoadRequest(LineRequest, frozen=True, tag="load"):
    """Begin with a scenario; whatever was loaded before is let go."""

    scenario: str | dict[str, Any]
    """A registry id, a path, or the scenario document itself."""
    book: str | dict[str, Any] | None = None
    """A shipped book's name or a layer over the scenario's own; None for its own."""
    language: str | None = None
    """`en` or `ja`; None for the scenario's own."""


class WorldActRequest(LineRequest, frozen=True, tag="act"):
    """Try one action."""

    action: dict[str, Any]
    """The action in its wire form."""


class WorldSayRequest(LineRequest, frozen=True, tag="say"):
    """Say something as a character."""

    text: str
    """The words."""
    actor: str | None = None
    """Who speaks; None for the protagonist."""


class WorldPreviewRequest(LineRequest, frozen=True, tag="preview"):
    """How words or an action would fare, without acting."""

    text: str | None = None
    """The words."""
    action: dict[str, Any] | None = None
    """Or the action."""
    actor: str | None = None
    """Who speaks; None for the protagonist."""


class WorldAdmissibleRequest(LineRequest, frozen=True, tag="admissible"):
    """Every action the actor is allowed now."""

    actor: str | None = None
    """Who; None for the protagonist."""


class WorldViewRequest(LineRequest, frozen=True, tag="view"):
    """What the actor perceives now."""

    actor: str | None = None
    """Who; None for the protagonist."""


class WorldFingerprintRequest(LineRequest, frozen=True, tag="fingerprint"):
    """The world's fingerprint and published hash."""


class WorldSnapshotRequest(LineRequest, frozen=True, tag="snapshot"):
    """The whole world as a document."""


class WorldRestoreRequest(LineRequest, frozen=True, tag="restore"):
    """Put a snapshot in the world's place; the book stays."""

    snapshot: dict[str, Any]
    """A document that `snapshot` gave."""


class WorldEditRequest(LineRequest, frozen=True, tag="edit"):
    """Lay a layer over the rulebook; the next action is judged by it."""

    book: dict[str, Any]
    """The layer."""


class WorldLoadAnswer(LineAnswer, frozen=True):
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
    """Who acts if no actor is named."""
    warnings: list[dict[str, Any]]
    """What the scenario's author should know."""


class WorldTurnAnswer(LineAnswer, frozen=True):
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
    """The claims that did not become actions."""
    clarification: Clarification | None
    """A question to the player, if there is one; then nothing happened."""
    narration: list[NarrationLine]
    """The same for people."""
    fingerprint: str
    """The world's fingerprint after; in a preview, as it would be."""
    goal_reached: bool
    """Whether the story has ended well, or would."""
    reply: dict[str, Any] | None = None
    """For a model's `Thought:`/`Output:` reply: both texts and how it was repaired."""


class WorldAdmissibleAnswer(LineAnswer, frozen=True):
    """Answer to `admissible`."""

    actor: Id
    """Who may."""
    actions: list[Action]
    """Everything they may do now, sorted; what needs free text is not listed."""


class WorldViewAnswer(LineAnswer, frozen=True):
    """Answer to `view`."""

    view: Scene
    """What the actor perceives."""


class WorldFingerprintAnswer(LineAnswer, frozen=True):
    """Answer to `fingerprint`."""

    fingerprint: str
    """The world's fingerprint."""
    world_hash: str
    """The published hash of the world as it is now."""


class WorldSnapshotAnswer(LineAnswer, frozen=True):
    """Answer to `snapshot`."""

    snapshot: dict[str, Any]
    """The whole world."""


class WorldRestoreAnswer(LineAnswer, frozen=True):
    """Answer to `restore`."""

    fingerprint: str
    """The world's fingerprint."""


class WorldEditAnswer(LineAnswer, frozen=True):
    """Answer to `edit`."""

    book: str
    """The fingerprint of the rulebook from now on."""


WORLD_REQUESTS: Final = index_requests(globals())
"""Every request, by the name of its operation."""
WORLD_ANSWERS: Final[tuple[type, ...]] = (*list_messages(globals(), LineAnswer), ErrorAnswer)
"""Every answer there is."""


BookLayers = tuple[dict[str, Any], ...]
WorldOpener = Callable[
    [str | dict[str, Any], str | dict[str, Any] | None], tuple[Scenario, BookLayers]
]
"""Loads a scenario and the layers of its rulebook, lowest first."""


class _WorldState(WorldPoint, frozen=True, kw_only=True):
    book: Rulebook
    layers: BookLayers
    number: int = 0
    last: Turn | None = None


class WorldHandler:
    """One client's conversation with one world."""

    def __init__(self, opener: WorldOpener) -> None:
        self._open = opener
        self._loaded: _WorldState | None = None

    def handle_line(self, line: bytes) -> LineAnswer | ErrorAnswer:
        """Answer one line. Never raises, whatever the client sends."""
        with ReceivedLine(line, WORLD_REQUESTS) as sent:
            sent.answer = self._handle_request(sent.read_request())
        return sent.mark_answer()

    def _handle_request(self, request: LineRequest) -> LineAnswer:
        if isinstance(request, WorldLoadRequest):
            return self._load(request)
        now = self._require_state()
        match request:
            case WorldActRequest(action=action):
                return self._apply_outcome(now, _act(now, action))
            case WorldSayRequest(text=text, actor=actor):
                return self._apply_outcome(now, _say(now, text, actor))
            case WorldPreviewRequest():
                return _make_turn_answer(now, _preview(now, request))
            case WorldAdmissibleRequest(actor=actor):
                who = _find_actor(now.world, actor)
                allowed = find_admissible_actions(now.world, who, now.book)
                return WorldAdmissibleAnswer(actor=who, actions=list(allowed))
            case WorldViewRequest(actor=actor):
                return WorldViewAnswer(view=build_scene(now.world, _find_actor(now.world, actor)))
            case WorldFingerprintRequest():
                return WorldFingerprintAnswer(
                    fingerprint=compute_fingerprint(now.world),
                    world_hash=compute_world_hash(now.world),
                )
            case WorldSnapshotRequest():
                return WorldSnapshotAnswer(snapshot=take_snapshot(now.world))
            case WorldRestoreRequest(snapshot=document):
                world = add_manners(restore_world(document), now.book)
                self._loaded = msgspec.structs.replace(
                    now, world=world, mentioned=(), came_from={}, last=None
                )
                return WorldRestoreAnswer(fingerprint=compute_fingerprint(world))
            case WorldEditRequest(book=layer):
                layers = (*now.layers, layer)
                book = build_rulebook(layers)
                world = add_manners(now.world, book)
                self._loaded = msgspec.structs.replace(now, world=world, book=book, layers=layers)
                return WorldEditAnswer(book=book.fingerprint)
        raise AssertionError(request)

    def _load(self, request: WorldLoadRequest) -> WorldLoadAnswer:
        scenario, layers = self._open(request.scenario, request.book)
        world = _set_language(scenario.world, request.language)
        book = build_rulebook(layers)
        answer = WorldLoadAnswer(
            protocol=WORLD_PROTOCOL,
            scenario=scenario.id,
            scenario_hash=scenario.scenario_hash,
            world_hash=compute_world_hash(world),
            fingerprint=compute_fingerprint(world),
            book=book.fingerprint,
            language=world.language,
            actors=[who.id for who in world.list_characters()],
            protagonist=world.protagonist,
            warnings=[found.to_document() for found in scenario.report.findings],
        )
        self._loaded = _WorldState(world=add_manners(world, book), book=book, layers=layers)
        return answer

    def _require_state(self) -> _WorldState:
        if self._loaded is None:
            raise describe("WORLD_NOT_LOADED").to_error(ProtocolError)
        return self._loaded

    def _apply_outcome(self, now: _WorldState, played: TurnOutcome) -> WorldTurnAnswer:
        answer = _make_turn_answer(now, played)
        turn = played.turn
        self._loaded = now.follow(turn, played.world, number=now.number + 1, last=turn)
        return answer


def _find_actor(world: World, named: str | None) -> Id:
    who = named if named is not None else world.protagonist
    entity = world.entities.get(Id(who)) if who is not None else None
    if entity is None or entity.kind != "character":
        cast = [c.id for c in world.list_characters()]
        hint = suggest_name(who or "", cast)
        raise describe("ACTOR_UNKNOWN/world", hint=hint, actor=who).to_error(ProtocolError)
    return entity.id


def _act(now: _WorldState, action: dict[str, Any]) -> TurnOutcome:
    missing = find_missing_field(action)
    if missing:
        raise make_incomplete_action_error(ProtocolError, action, missing)
    who = action.get("actorId", now.world.protagonist)
    actor = Id(who) if isinstance(who, str) else Id("")
    words = now.make_words(actor, "", number=now.number)
    played = play_words(words, [action], now.world, now.book)
    if played.turn.rejections:
        problem = played.turn.rejections[0]
        raise ProtocolError(
            problem.code, problem.message, where=SourceLocation(path="action"), hint=problem.hint
        )
    return played


def _say(now: _WorldState, text: str, actor: str | None) -> TurnOutcome:
    who = _find_actor(now.world, actor)
    words = now.make_words(who, text, number=now.number)
    claims, reply = interpret_phrases(words, now.world, now.last)
    turn, world = play_words(words, claims, now.world, now.book)
    return TurnOutcome(msgspec.structs.replace(turn, reply=reply), world)


def _preview(now: _WorldState, request: WorldPreviewRequest) -> TurnOutcome:
    if request.action is not None and request.text is None:
        return _act(now, request.action)
    if request.text is not None and request.action is None:
        return _say(now, request.text, request.actor)
    where = SourceLocation(path="preview")
    raise describe("PROTOCOL_BAD_FIELD/preview").to_error(ProtocolError, where=where)


def _make_turn_answer(now: _WorldState, played: TurnOutcome) -> WorldTurnAnswer:
    turn, before = played.turn, now.world
    return WorldTurnAnswer(
        turn=turn.number,
        parsed=list(turn.parsed_actions),
        actions=list(turn.normalized_actions),
        verdicts=list(turn.validation_results),
        applied=list(turn.applied_actions),
        changes=list(turn.changes),
        rejections=list(turn.rejections),
        clarification=turn.clarification,
        narration=list(narrate(turn, before, played.world)),
        fingerprint=turn.world_after,
        goal_reached=is_goal_reached(played.world),
        reply=turn.reply,
    )


def _set_language(world: World, language: str | None) -> World:
    if language is None:
        return world
    if language not in LANGUAGES:
        hint = suggest_name(language, LANGUAGES)
        raise describe("PROTOCOL_BAD_FIELD/language", hint=hint, language=language).to_error(
            ProtocolError, where=SourceLocation(path="language")
        )
    return msgspec.structs.replace(world, language=language)
