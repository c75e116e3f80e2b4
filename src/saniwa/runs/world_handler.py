"""The headless interface to one world: JSON Lines requests, without a story.

Nothing is stored here; clients that want a record open a run. Every line gets exactly
one answer. An invalid line neither changes the world nor ends the conversation.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from saniwa.core.errors import ProtocolError, SaniwaError
from saniwa.core.findings import SourceLocation
from saniwa.core.text import quote_value
from saniwa.language.parse import parse
from saniwa.rulebook.admissible import find_admissible_actions
from saniwa.rulebook.book import Rulebook, add_manners
from saniwa.rulebook.loader import build_rulebook
from saniwa.runs import world_messages
from saniwa.runs.errors import make_incomplete_action_error
from saniwa.runs.listener import Interpretation, interpret_by_form
from saniwa.runs.world_messages import (
    ErrorAnswer,
    ReceivedLine,
    WorldAnswer,
    WorldMessage,
    make_error_answer,
    make_nesting_error,
    suggest_name,
)
from saniwa.turn.narration import narrate
from saniwa.turn.normalise import find_missing_field
from saniwa.turn.play import TurnOutcome, play_turn, update_left_places, update_mentioned
from saniwa.turn.record import SpokenWords, Turn
from saniwa.world.canonical import compute_fingerprint, compute_world_hash
from saniwa.world.model import Id, World
from saniwa.world.perceived_scene import build_scene
from saniwa.world.snapshot import restore_world, take_snapshot
from saniwa.world.view import is_goal_reached

LANGUAGES = ("en", "ja")
"""The languages of verdicts and narration."""


class WorldOpening(NamedTuple):
    """A loaded scenario, ready to be played without a host."""

    scenario_id: str
    """Its name."""
    scenario_hash: str
    """Its published hash."""
    world: World
    """The world it opens with."""
    layers: tuple[dict[str, Any], ...]
    """The rulebook's layers, lowest first."""
    warnings: tuple[dict[str, Any], ...] = ()
    """Warnings for the scenario's author."""


WorldOpener = Callable[[str | dict[str, Any], str | dict[str, Any] | None], WorldOpening]
"""Loads a scenario and the layers of its rulebook."""


class _WorldState(NamedTuple):
    world: World
    book: Rulebook
    layers: tuple[dict[str, Any], ...]
    number: int = 0
    mentioned: tuple[Id, ...] = ()
    came_from: Mapping[Id, Id] = {}
    last: Turn | None = None


class WorldHandler:
    """One client's conversation with one world."""

    def __init__(self, opener: WorldOpener) -> None:
        self._open = opener
        self._loaded: _WorldState | None = None

    def handle_line(self, line: bytes) -> WorldAnswer | ErrorAnswer:
        """Answer one line. Never raises, whatever the client sends."""
        sent = ReceivedLine(line, world_messages.WORLD_REQUESTS)
        try:
            answer: WorldAnswer | ErrorAnswer = self._handle_request(sent.read_request())
        except SaniwaError as problem:
            answer = make_error_answer(problem)
        except RecursionError:
            answer = make_error_answer(make_nesting_error())
        return msgspec.structs.replace(answer, id=sent.mark)

    def _handle_request(self, request: WorldMessage) -> WorldAnswer:
        match request:
            case world_messages.WorldLoadRequest():
                return self._load(request)
            case world_messages.WorldActRequest(action=action):
                return self._apply_outcome(self._act(action))
            case world_messages.WorldSayRequest(text=text, actor=actor):
                return self._apply_outcome(self._say(text, actor))
            case world_messages.WorldPreviewRequest():
                return self._make_turn_answer(self._preview(request))
            case world_messages.WorldAdmissibleRequest(actor=actor):
                now, who = self._require_state(), self._find_actor(actor)
                allowed = find_admissible_actions(now.world, who, now.book)
                return world_messages.WorldAdmissibleAnswer(actor=who, actions=list(allowed))
            case world_messages.WorldViewRequest(actor=actor):
                return world_messages.WorldViewAnswer(
                    view=build_scene(self._require_state().world, self._find_actor(actor))
                )
            case world_messages.WorldFingerprintRequest():
                world = self._require_state().world
                return world_messages.WorldFingerprintAnswer(
                    fingerprint=compute_fingerprint(world), world_hash=compute_world_hash(world)
                )
            case world_messages.WorldSnapshotRequest():
                return world_messages.WorldSnapshotAnswer(
                    snapshot=take_snapshot(self._require_state().world)
                )
            case world_messages.WorldRestoreRequest(snapshot=document):
                world = add_manners(restore_world(document), self._require_state().book)
                self._loaded = self._require_state()._replace(
                    world=world, mentioned=(), came_from={}, last=None
                )
                return world_messages.WorldRestoreAnswer(fingerprint=compute_fingerprint(world))
            case world_messages.WorldEditRequest(book=layer):
                return self._edit(layer)

    def _load(self, request: world_messages.WorldLoadRequest) -> world_messages.WorldLoadAnswer:
        opened = self._open(request.scenario, request.book)
        world = _set_language(opened.world, request.language)
        book = build_rulebook(opened.layers)
        answer = world_messages.WorldLoadAnswer(
            protocol=world_messages.WORLD_PROTOCOL,
            scenario=opened.scenario_id,
            scenario_hash=opened.scenario_hash,
            world_hash=compute_world_hash(world),
            fingerprint=compute_fingerprint(world),
            book=book.fingerprint,
            language=world.language,
            actors=[who.id for who in world.list_characters()],
            protagonist=world.protagonist,
            warnings=list(opened.warnings),
        )
        self._loaded = _WorldState(add_manners(world, book), book, opened.layers)
        return answer

    def _edit(self, layer: dict[str, Any]) -> world_messages.WorldEditAnswer:
        layers = (*self._require_state().layers, layer)
        book = build_rulebook(layers)
        world = add_manners(self._require_state().world, book)
        self._loaded = self._require_state()._replace(world=world, book=book, layers=layers)
        return world_messages.WorldEditAnswer(book=book.fingerprint)

    def _require_state(self) -> _WorldState:
        if self._loaded is None:
            raise ProtocolError(
                "WORLD_NOT_LOADED",
                "no world is loaded yet",
                hint='send {"op":"load","scenario":"default"} first',
            )
        return self._loaded

    def _find_actor(self, named: str | None) -> Id:
        world = self._require_state().world
        who = named if named is not None else world.protagonist
        entity = world.entities.get(Id(who)) if who is not None else None
        if entity is None or entity.kind != "character":
            cast = [c.id for c in world.list_characters()]
            raise ProtocolError(
                "ACTOR_UNKNOWN",
                f"there is no character {quote_value(who)}",
                hint=suggest_name(who or "", cast),
            )
        return entity.id

    def _act(self, action: dict[str, Any]) -> TurnOutcome:
        now = self._require_state()
        missing = find_missing_field(action)
        if missing:
            raise make_incomplete_action_error(ProtocolError, action, missing)
        who = action.get("actorId", now.world.protagonist)
        actor = Id(who) if isinstance(who, str) else Id("")
        words = self._make_words(actor, "")
        played = play_turn(words, [action], now.world, now.book)
        if played.turn.rejections:
            problem = played.turn.rejections[0]
            raise ProtocolError(
                problem.code,
                problem.message,
                where=SourceLocation(path="action"),
                hint=problem.hint,
            )
        return played

    def _say(self, text: str, actor: str | None) -> TurnOutcome:
        now, who = self._require_state(), self._find_actor(actor)
        words = self._make_words(who, text)
        heard = interpret_by_form(words, now.world, now.last)
        if heard is None:
            heard = Interpretation(parse(text, who, now.world))
        turn, world = play_turn(words, heard.claims, now.world, now.book)
        return TurnOutcome(msgspec.structs.replace(turn, reply=heard.reply), world)

    def _make_words(self, actor: Id, text: str) -> SpokenWords:
        now = self._require_state()
        return SpokenWords(
            actor_id=actor,
            text=text,
            number=now.number,
            mentioned=now.mentioned,
            came_from=now.came_from.get(actor),
        )

    def _preview(self, request: world_messages.WorldPreviewRequest) -> TurnOutcome:
        if request.action is not None and request.text is None:
            return self._act(request.action)
        if request.text is not None and request.action is None:
            return self._say(request.text, request.actor)
        raise ProtocolError(
            "PROTOCOL_BAD_FIELD",
            "preview: it takes either 'text' or 'action'",
            where=SourceLocation(path="preview"),
            hint="send one of the two",
        )

    def _apply_outcome(self, played: TurnOutcome) -> world_messages.WorldTurnAnswer:
        answer = self._make_turn_answer(played)
        now = self._require_state()
        self._loaded = now._replace(
            world=played.world,
            number=now.number + 1,
            mentioned=update_mentioned(played.turn, now.mentioned),
            came_from=update_left_places(played.turn, now.came_from),
            last=played.turn,
        )
        return answer

    def _make_turn_answer(self, played: TurnOutcome) -> world_messages.WorldTurnAnswer:
        turn, before = played.turn, self._require_state().world
        return world_messages.WorldTurnAnswer(
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
        raise ProtocolError(
            "PROTOCOL_BAD_FIELD",
            f"load: there is no language {quote_value(language)}",
            where=SourceLocation(path="language"),
            hint=suggest_name(language, LANGUAGES),
        )
    return replace(world, language=language)
