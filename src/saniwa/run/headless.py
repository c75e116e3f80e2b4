"""The truth without a story: one world, asked and acted on line by line.

Nothing is kept here; whoever wants a record opens a run. Every line gets exactly one
answer, and no line, however bad, changes the world or ends the conversation.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from saniwa.core.errors import ProtocolError, SaniwaError
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.rulebook.admissible import admissible
from saniwa.rulebook.book import Rulebook, taught
from saniwa.rulebook.load import book_from_layers
from saniwa.run import lines
from saniwa.run.asking import Sent, offer, refused, too_deep
from saniwa.run.hearing import Understood, hear_form
from saniwa.run.lines import Answer, Refused, Request
from saniwa.run.trouble import incomplete
from saniwa.turn.narrate import narrate
from saniwa.turn.normalise import find_missing_field
from saniwa.turn.parse import parse
from saniwa.turn.play import Played, left_in, mentioned_in, play_turn
from saniwa.turn.trace import Turn, Words
from saniwa.world.canonical import fingerprint, world_hash
from saniwa.world.model import Id, World
from saniwa.world.scene import scene
from saniwa.world.snapshot import restore, snapshot
from saniwa.world.view import goal_reached

LANGUAGES = ("en", "ja")
"""The languages verdicts and narration can speak."""


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
    came_from: Mapping[Id, Id] = {}
    last: Turn | None = None


class Door:
    """One client's conversation with one world."""

    def __init__(self, opener: Opener) -> None:
        self._open = opener
        self._loaded: _Loaded | None = None

    def answer(self, line: bytes) -> Answer | Refused:
        """The one answer to one line. Never raises for anything a client can send."""
        sent = Sent(line, lines.REQUESTS)
        try:
            answer: Answer | Refused = self._answer(sent.request())
        except SaniwaError as problem:
            answer = refused(problem)
        except RecursionError:
            answer = refused(too_deep())
        return msgspec.structs.replace(answer, id=sent.mark)

    def _answer(self, request: Request) -> Answer:
        match request:
            case lines.Load():
                return self._load(request)
            case lines.Act(action=action):
                return self._settle(self._act(action))
            case lines.Say(text=text, actor=actor):
                return self._settle(self._say(text, actor))
            case lines.Preview():
                return self._told(self._preview(request))
            case lines.Admissible(actor=actor):
                now, who = self._now(), self._actor(actor)
                allowed = admissible(now.world, who, now.book)
                return lines.Allowed(actor=who, actions=list(allowed))
            case lines.View(actor=actor):
                return lines.Seen(view=scene(self._now().world, self._actor(actor)))
            case lines.Fingerprint():
                world = self._now().world
                return lines.Marked(
                    fingerprint=fingerprint(world), world_hash=world_hash(world)
                )
            case lines.Snapshot():
                return lines.Taken(snapshot=snapshot(self._now().world))
            case lines.Restore(snapshot=document):
                world = taught(restore(document), self._now().book)
                self._loaded = self._now()._replace(
                    world=world, mentioned=(), came_from={}, last=None
                )
                return lines.Restored(fingerprint=fingerprint(world))
            case lines.Edit(book=layer):
                return self._edit(layer)

    def _load(self, request: lines.Load) -> lines.Loaded:
        opened = self._open(request.scenario, request.book)
        world = _in_language(opened.world, request.language)
        book = book_from_layers(opened.layers)
        told = lines.Loaded(
            protocol=lines.PROTOCOL,
            scenario=opened.scenario_id,
            scenario_hash=opened.scenario_hash,
            world_hash=world_hash(world),
            fingerprint=fingerprint(world),
            book=book.fingerprint,
            language=world.language,
            actors=[who.id for who in world.characters()],
            protagonist=world.protagonist,
            warnings=list(opened.warnings),
        )
        self._loaded = _Loaded(taught(world, book), book, opened.layers)
        return told

    def _edit(self, layer: dict[str, Any]) -> lines.Edited:
        layers = (*self._now().layers, layer)
        book = book_from_layers(layers)
        world = taught(self._now().world, book)
        self._loaded = self._now()._replace(world=world, book=book, layers=layers)
        return lines.Edited(book=book.fingerprint)

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
                f"there is no character {quoted(who)}",
                hint=offer(who or "", cast),
            )
        return entity.id

    def _act(self, action: dict[str, Any]) -> Played:
        now = self._now()
        missing = find_missing_field(action)
        if missing:
            raise incomplete(ProtocolError, action, missing)
        who = action.get("actorId", now.world.protagonist)
        actor = Id(who) if isinstance(who, str) else Id("")
        words = self._words(actor, "")
        played = play_turn(words, [action], now.world, now.book)
        if played.turn.rejections:
            problem = played.turn.rejections[0]
            raise ProtocolError(
                problem.code,
                problem.message,
                where=Where(path="action"),
                hint=problem.hint,
            )
        return played

    def _say(self, text: str, actor: str | None) -> Played:
        now, who = self._now(), self._actor(actor)
        words = self._words(who, text)
        heard = hear_form(words, now.world, now.last)
        if heard is None:
            heard = Understood(parse(text, who, now.world))
        turn, world = play_turn(words, heard.claims, now.world, now.book)
        return Played(msgspec.structs.replace(turn, reply=heard.reply), world)

    def _words(self, actor: Id, text: str) -> Words:
        now = self._now()
        return Words(
            actor_id=actor,
            text=text,
            number=now.number,
            mentioned=now.mentioned,
            came_from=now.came_from.get(actor),
        )

    def _preview(self, request: lines.Preview) -> Played:
        if request.action is not None and request.text is None:
            return self._act(request.action)
        if request.text is not None and request.action is None:
            return self._say(request.text, request.actor)
        raise ProtocolError(
            "PROTOCOL_BAD_FIELD",
            "preview: it takes either 'text' or 'action'",
            where=Where(path="preview"),
            hint="send one of the two",
        )

    def _settle(self, played: Played) -> lines.Weighed:
        told = self._told(played)
        now = self._now()
        self._loaded = now._replace(
            world=played.world,
            number=now.number + 1,
            mentioned=mentioned_in(played.turn, now.mentioned),
            came_from=left_in(played.turn, now.came_from),
            last=played.turn,
        )
        return told

    def _told(self, played: Played) -> lines.Weighed:
        turn, before = played.turn, self._now().world
        return lines.Weighed(
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
            goal_reached=goal_reached(played.world),
            reply=turn.reply,
        )


def _in_language(world: World, language: str | None) -> World:
    if language is None:
        return world
    if language not in LANGUAGES:
        raise ProtocolError(
            "PROTOCOL_BAD_FIELD",
            f"load: there is no language {quoted(language)}",
            where=Where(path="language"),
            hint=offer(language, LANGUAGES),
        )
    return replace(world, language=language)
