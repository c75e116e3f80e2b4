"""What a story's deeds say to the world beneath it, looked at before anybody plays.

A deed may be refused, and a story may be about just that; so words that the world could
never understand are a warning and no error.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from saniwa.core.finding import Finding
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.script.language.words import Words
from saniwa.script.node import Choice, Deed, Scene
from saniwa.script.tree import walk
from saniwa.turn.known import Strange, introduced, strange_words
from saniwa.world.model import Id, World

MOST: Final = 100
"""How many such warnings a story is given at a time."""


class _Said(NamedTuple):
    """The words of one deed, with their place."""

    words: str
    where: Where


def check_deeds(scenes: Sequence[Scene], world: World, actor: Id) -> Iterator[Finding]:
    """A warning for every deed whose words mean nothing in the whole world.

    What is filled in while it is played is not known yet, and is let pass. No more than
    `MOST` are told: to be sure that nobody understands something takes long.
    """
    deeds = [each for scene in scenes for each in _deeds(scene)]
    new = {name for deed in deeds for name in introduced(deed.words, actor, world)}
    told = (
        _finding(strange, deed, world)
        for deed in deeds
        for strange in strange_words(deed.words, actor, world)
        if strange.words not in new
    )
    return islice(told, MOST)


def _deeds(scene: Scene) -> Iterator[_Said]:
    lines = scene.text.split("\n")
    for element in walk(scene.block):
        if isinstance(element, Deed):
            yield from _plain(scene, lines, element.words, element.line, element.column)
        elif isinstance(element, Choice):
            for option in element.options:
                deed = "" if option.deed is None else option.deed
                yield from _plain(scene, lines, deed, option.line, option.column)


def _plain(
    scene: Scene, lines: list[str], words: Words, line: int, column: int
) -> Iterator[_Said]:
    """The words, where they are always the same; at their own place, if they stand there."""
    if not isinstance(words, str) or not words.strip():
        return
    written = lines[line - 1] if line <= len(lines) else ""
    at = written.rfind(words, column - 1)
    where = Where(file=scene.file, line=line, column=column if at < 0 else at + 1)
    yield _Said(words, where)


def _finding(strange: Strange, deed: _Said, world: World) -> Finding:
    if strange.names:
        message = f"the world has nothing called {quoted(strange.words)}"
        hint = did_you_mean(strange.words, _names(world)) or (
            "name a person, a thing or a place of the scenario"
        )
    else:
        message = f"nobody in the world understands {quoted(strange.words)}"
        hint = "say it as a player would, such as: take the key"
    return Finding(
        code="NAME_UNKNOWN",
        severity="warning",
        message=message,
        where=deed.where,
        hint=hint,
        details={"name": strange.words},
    )


def _names(world: World) -> Iterator[str]:
    for each in (*world.entities.values(), *world.locations.values()):
        yield from (each.name, *each.aliases)
