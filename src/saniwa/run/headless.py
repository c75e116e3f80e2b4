"""The truth without a story: one world, asked and acted on line by line.

Nothing is kept here; whoever wants a record opens a run. Every line gets exactly one
answer, and no line, however bad, changes the world or ends the conversation.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from saniwa.core.errors import ProtocolError, SaniwaError
from saniwa.core.near import near
from saniwa.rulebook.admissible import admissible
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.load import book_from_layers
from saniwa.turn.narrate import narrate
from saniwa.turn.parse import parse
from saniwa.turn.play import Played, mentioned_in, play_turn
from saniwa.turn.reply import claims_of, looks_like_reply, read_reply
from saniwa.turn.trace import Turn, Words
from saniwa.world.canonical import fingerprint, world_hash
from saniwa.world.model import Id, World
from saniwa.world.scene import scene
from saniwa.world.snapshot import restore, snapshot
from saniwa.world.view import goal_reached

PROTOCOL = 1
"""Raised when an old client could misread an answer; additions do not raise it."""


class _Line(
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


class Load(_Line, frozen=True, tag="load"):
    """Begin with a scenario; whatever was loaded before is let go."""

    scenario: str | dict[str, Any]
    """A registry id, a path, or the scenario document itself."""
    book: str | dict[str, Any] | None = None
    """A shipped book's name or a layer over the scenario's own; None for its own."""
    language: str | None = None
    """`en` or `ja`; None for the scenario's own."""


class Act(_Line, frozen=True, tag="act"):
    """Try one action."""

    action: dict[str, Any]
    """The action in its wire form."""


class Say(_Line, frozen=True, tag="say"):
    """Say something as somebody."""

    text: str
    """The words."""
    actor: str | None = None
    """Who speaks; None for the protagonist."""


class Preview(_Line, frozen=True, tag="preview"):
    """How words or an action would fare, without acting."""

    text: str | None = None
    """The words."""
    action: dict[str, Any] | None = None
    """Or the action."""
    actor: str | None = None
    """Who speaks; None for the protagonist."""


class Admissible(_Line, frozen=True, tag="admissible"):
    """Every action the actor is allowed now."""

    actor: str | None = None
    """Who; None for the protagonist."""


class View(_Line, frozen=True, tag="view"):
    """What the actor perceives now."""

    actor: str | None = None
    """Who; None for the protagonist."""


class Fingerprint(_Line, frozen=True, tag="fingerprint"):
    """The world's fingerprint and published hash."""


class Snapshot(_Line, frozen=True, tag="snapshot"):
    """The whole world as a document."""


class Restore(_Line, frozen=True, tag="restore"):
    """Put a snapshot in the world's place; the book stays."""

    snapshot: dict[str, Any]
    """A document that `snapshot` gave."""


class Edit(_Line, frozen=True, tag="edit"):
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

_OPS = tuple(
    sorted(
        str(c.__struct_config__.tag)
        for c in (
            Load,
            Act,
            Say,
            Preview,
            Admissible,
            View,
            Fingerprint,
            Snapshot,
            Restore,
            Edit,
        )
    )
)


class Opened(NamedTuple):
    """A scenario ready to be played headlessly."""

    scenario_id: str
    """Its name."""
    scenario_hash: str
    """Its published hash."""
    world: World
    """The world it opens with."""
    layers: tuple[dict[str, Any], ...]
    """The rulebook's layers, lowest first."""
    warnings: tuple[dict[str, Any], ...] = ()
    """What its author should know."""


Opener = Callable[[str | dict[str, Any], str | dict[str, Any] | None], Opened]
"""Finds a scenario and the layers of its book."""


class _Loaded(NamedTuple):
    world: World
    book: Rulebook
    layers: tuple[dict[str, Any], ...]
    number: int = 0
    mentioned: tuple[Id, ...] = ()


class Door:
    """One client's conversation with one world."""

    def __init__(self, opener: Opener) -> None:
        self._open = opener
        self._loaded: _Loaded | None = None

    def answer(self, line: bytes) -> dict[str, Any]:
        """The one answer to one line. Never raises for anything a client can send."""
        mark: object = None
        try:
            document = _decoded(line)
            mark = document.get("id") if isinstance(document, dict) else None
            answer = {"ok": True, **self._answer(_request(document))}
        except SaniwaError as problem:
            answer = {"ok": False, "error": problem.as_document()}
        return answer if mark is None else {"id": mark, **answer}

    def _answer(self, request: Request) -> dict[str, Any]:
        match request:
            case Load():
                return self._load(request)
            case Act(action=action):
                return self._settle(self._act(action))
            case Say(text=text, actor=actor):
                return self._settle(self._say(text, actor))
            case Preview():
                return self._told(self._preview(request))
            case Admissible(actor=actor):
                now, who = self._now(), self._actor(actor)
                return {
                    "actor": who,
                    "actions": list(admissible(now.world, who, now.book)),
                }
            case View(actor=actor):
                return {"view": scene(self._now().world, self._actor(actor))}
            case Fingerprint():
                world = self._now().world
                return {
                    "fingerprint": fingerprint(world),
                    "worldHash": world_hash(world),
                }
            case Snapshot():
                return {"snapshot": snapshot(self._now().world)}
            case Restore(snapshot=document):
                self._loaded = self._now()._replace(
                    world=restore(document), mentioned=()
                )
                return {"fingerprint": fingerprint(self._now().world)}
            case Edit(book=layer):
                layers = (*self._now().layers, layer)
                book = book_from_layers(layers)
                self._loaded = self._now()._replace(book=book, layers=layers)
                return {"book": book.fingerprint}

    def _load(self, request: Load) -> dict[str, Any]:
        opened = self._open(request.scenario, request.book)
        world = opened.world
        if request.language is not None:
            world = _in_language(world, request.language)
        book = book_from_layers(opened.layers)
        self._loaded = _Loaded(world, book, opened.layers)
        return {
            "protocol": PROTOCOL,
            "scenario": opened.scenario_id,
            "scenarioHash": opened.scenario_hash,
            "worldHash": world_hash(world),
            "fingerprint": fingerprint(world),
            "book": book.fingerprint,
            "language": world.language,
            "actors": [who.id for who in world.characters()],
            "protagonist": world.protagonist,
            "warnings": list(opened.warnings),
        }

    def _now(self) -> _Loaded:
        if self._loaded is None:
            raise ProtocolError(
                "WORLD_NOT_LOADED",
                "no world is loaded yet",
                hint='send {"op":"load","scenario":"default"} first',
            )
        return self._loaded

    def _actor(self, named: str | None) -> Id:
        world = self._now().world
        who = named if named is not None else world.protagonist
        entity = world.entities.get(Id(who)) if who is not None else None
        if entity is None or entity.kind != "character":
            cast = [c.id for c in world.characters()]
            raise ProtocolError(
                "ACTOR_UNKNOWN",
                f"there is no character {who!r}",
                hint=_offer(near(who or "", cast), cast),
            )
        return entity.id

    def _act(self, action: dict[str, Any]) -> Played:
        now = self._now()
        who = action.get("actorId", now.world.protagonist)
        actor = Id(who) if isinstance(who, str) else Id("")
        words = Words(
            actor_id=actor, text="", number=now.number, mentioned=now.mentioned
        )
        played = play_turn(words, [action], now.world, now.book)
        if played.turn.rejections:
            problem = played.turn.rejections[0]
            raise ProtocolError(problem.code, problem.message, hint=problem.hint)
        return played

    def _say(self, text: str, actor: str | None) -> Played:
        now, who = self._now(), self._actor(actor)
        words = Words(
            actor_id=who, text=text, number=now.number, mentioned=now.mentioned
        )
        if not looks_like_reply(text):
            return play_turn(words, parse(text, who, now.world), now.world, now.book)
        reply = read_reply(text)
        return play_turn(words, claims_of(reply, who, now.world), now.world, now.book)

    def _preview(self, request: Preview) -> Played:
        if (request.text is None) == (request.action is None):
            raise ProtocolError(
                "PROTOCOL_BAD_FIELD", "a preview takes either 'text' or 'action'"
            )
        if request.action is not None:
            return self._act(request.action)
        return self._say(request.text or "", request.actor)

    def _settle(self, played: Played) -> dict[str, Any]:
        told = self._told(played)
        now = self._now()
        self._loaded = now._replace(
            world=played.world,
            number=now.number + 1,
            mentioned=mentioned_in(played.turn, now.mentioned),
        )
        return told

    def _told(self, played: Played) -> dict[str, Any]:
        turn: Turn = played.turn
        before = self._now().world
        return {
            "turn": turn.number,
            "parsed": list(turn.parsed_actions),
            "actions": list(turn.normalized_actions),
            "verdicts": list(turn.validation_results),
            "applied": list(turn.applied_actions),
            "changes": list(turn.changes),
            "rejections": list(turn.rejections),
            "clarification": turn.clarification,
            "narration": list(narrate(turn, before, played.world)),
            "fingerprint": turn.world_after,
            "goalReached": goal_reached(played.world),
        }


def _decoded(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise ProtocolError(
            "PROTOCOL_SYNTAX",
            f"the line is not JSON: {problem}",
            hint="send one JSON object a line",
        ) from problem


def _request(document: Any) -> Request:
    op = document.get("op") if isinstance(document, dict) else None
    if op not in _OPS:
        raise ProtocolError(
            "PROTOCOL_UNKNOWN_OP",
            f"{op!r} is no operation" if op is not None else "the line names no 'op'",
            hint=_offer(near(op, _OPS) if isinstance(op, str) else None, _OPS),
        )
    try:
        request: Request = msgspec.convert(document, Request)
    except msgspec.ValidationError as problem:
        raise ProtocolError("PROTOCOL_BAD_FIELD", f"{op}: {problem}") from problem
    return request


def _offer(nearest: str | None, names: tuple[str, ...] | list[Any]) -> str:
    if nearest is not None:
        return f"did you mean {nearest!r}?"
    return f"there is: {', '.join(map(str, names))}"


def _in_language(world: World, language: str) -> World:
    from dataclasses import replace

    if language not in ("en", "ja"):
        raise ProtocolError(
            "PROTOCOL_BAD_FIELD", f"there is no language {language!r}", hint="en or ja"
        )
    return replace(world, language=language)
