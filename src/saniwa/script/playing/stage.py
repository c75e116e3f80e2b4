"""From operations to the directives a host is shown: assets found, sources named."""

from collections.abc import Sequence
from typing import assert_never

from msgspec import UNSET, UnsetType

from saniwa.script import directive
from saniwa.script.asset import Assets
from saniwa.script.directive import (
    Branch,
    Directive,
    Option,
    Say,
    SayArgs,
    Source,
    TextSpan,
)
from saniwa.script.language.words import Utterance
from saniwa.script.program import Clear, Program, Show, Signal, Sound, Speak, Way


class Stage:
    """Makes directives for one player; the same operation always looks the same."""

    def __init__(self, program: Program, assets: Assets, *, annotate: bool) -> None:
        """A stage; `annotate` puts ids and sources on everything."""
        self._program = program
        self._assets = assets
        self._annotate = annotate

    def line(self, op: Speak, said: Utterance, address: int) -> Say:
        """A line of text."""
        text, marked = said
        if not (self._annotate or op.named or op.tags or op.values or marked):
            return Say(SayArgs(op.speaker, text))
        id = op.id if self._annotate or op.named else ""
        voice = dict(op.values).get("voice", "")
        spans = tuple(TextSpan(*each) for each in marked)
        source = self._source(address)
        return Say.of(op.speaker, text, id, op.tags, voice, source, spans)

    def prop(self, op: Show | Sound | Clear | Signal, address: int) -> Directive:
        """A picture, a sound, an emptied layer or an event."""
        source = self._source(address)
        match op:
            case Show(name=name, layer=layer):
                path = self._assets.find("image", name)
                return directive.ShowImage.of(layer, path, source)
            case Sound():
                return _sound(op, self._assets.find(op.kind, op.name), source)
            case Clear(layer=layer):
                return directive.ClearLayer.of(layer, source)
            case Signal(name=name, values=values):
                return directive.Event.of(name, values, source)
            case _:
                assert_never(op)

    def picture(self, name: str, layer: str) -> Directive:
        """A picture that is on the stage already."""
        return directive.ShowImage.of(layer, self._assets.find("image", name))

    def music(self, name: str) -> Directive:
        """The music that plays already."""
        return directive.PlayBgm.of(self._assets.find("bgm", name))

    def pause(self, seconds: float, address: int) -> directive.Wait:
        """A pause."""
        return directive.Wait.of(seconds, self._source(address))

    def branch(self, shown: Sequence[tuple[Way, str, bool]], address: int) -> Branch:
        """The options somebody sees; with more than their texts where there is more."""
        for way, _, enabled in shown:
            if self._annotate or way.named or way.tags or not enabled:
                break
        else:
            return Branch.of(*[text for _, text, _ in shown])
        options = [self._option(*one) for one in shown]
        return Branch.offering(tuple(options), self._source(address))

    def _option(self, way: Way, text: str, enabled: bool) -> Option:
        id = way.id if self._annotate or way.named else ""
        return Option.of(text, enabled, id, way.tags)

    def question(self, prompt: str, address: int) -> directive.Ask:
        """A question that is answered in one's own words."""
        return directive.Ask.of(prompt, self._source(address))

    def ending(self, id: str, name: str, address: int) -> directive.Ending:
        """An ending."""
        return directive.Ending.of(id, name, self._source(address))

    def _source(self, address: int) -> Source | UnsetType:
        if not self._annotate:
            return UNSET
        where = self._program.where(address)
        return Source(where.line, where.column, where.file or UNSET)


def _sound(op: Sound, path: str | None, source: Source | UnsetType) -> Directive:
    match op.kind:
        case "bgm":
            return directive.PlayBgm.of(path, source)
        case "se":
            return directive.PlaySe.of(path, source)
        case "movie":
            return directive.PlayMovie.of(path, source)
