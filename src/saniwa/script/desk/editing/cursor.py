"""What an editor asks about a place in a story: what is named here, and where else.

Knows nothing of any editor's protocol. A place is a file of the story, a line and a
column, all as `Where` counts them.
"""

from collections.abc import Iterator
from functools import cached_property

from saniwa.script.desk.edit import lines_of
from saniwa.script.desk.editing.mention import Kind, Mention, mentions
from saniwa.script.node import Scene
from saniwa.script.story import Story


class Names:
    """All that is named in a story, looked up by place and by name.

    Made once for a story and asked often.
    """

    def __init__(self, story: Story) -> None:
        self.story = story
        """The story."""
        self.all = mentions(story)
        """Every mention, file by file, in reading order."""

    def at(self, file: str, line: int, column: int) -> Mention | None:
        """What a cursor there touches; of two, the one that begins there."""
        touched = (
            m for m in self._by_line.get((file, line), ()) if m.covers(line, column)
        )
        return max(touched, key=lambda each: each.column, default=None)

    def of(self, kind: Kind, name: str) -> tuple[Mention, ...]:
        """Every mention of one thing, in reading order."""
        return tuple(self._by_name.get((kind, name), ()))

    def named(self, kind: Kind) -> tuple[str, ...]:
        """The names of everything of a kind, in the order of first mention."""
        return tuple(name for sort, name in self._by_name if sort == kind)

    def scene(self, file: str) -> Scene | None:
        """The file, read; None if it is no part of the story."""
        return next((s for s in self.story.scenes if s.file == file), None)

    def line(self, file: str, line: int) -> str:
        """The text of a line; empty where there is none."""
        lines = self._lines.get(file, ())
        return lines[line - 1] if 0 < line <= len(lines) else ""

    @cached_property
    def _lines(self) -> dict[str, list[str]]:
        return {scene.file: lines_of(scene.text) for scene in self.story.scenes}

    @cached_property
    def _by_line(self) -> dict[tuple[str, int], list[Mention]]:
        found: dict[tuple[str, int], list[Mention]] = {}
        for each in self.all:
            found.setdefault((each.file, each.line), []).append(each)
        return found

    @cached_property
    def _by_name(self) -> dict[tuple[Kind, str], list[Mention]]:
        found: dict[tuple[Kind, str], list[Mention]] = {}
        for each in self.all:
            if each.name:
                found.setdefault((each.kind, each.name), []).append(each)
        return found


def definition(names: Names, file: str, line: int, column: int) -> tuple[Mention, ...]:
    """Where what stands here is made; none where nobody makes it.

    A variable nobody declares is made where it is first set, a speaker nobody declares
    where they first speak.
    """
    here = names.at(file, line, column)
    if here is None or not here.name:
        return ()
    if here.kind == "file":
        return (Mention("file", here.name, "made", here.name, 1, 1, ""),)
    return tuple(_makers(here, names))[:1]


def _makers(here: Mention, names: Names) -> Iterator[Mention]:
    everywhere = [each for each in names.of(here.kind, here.name) if each.column]
    yield from (each for each in everywhere if each.role == "made")
    yield from (each for each in everywhere if each.role == "set")
    if here.kind == "speaker":
        yield from everywhere


def references(
    names: Names, file: str, line: int, column: int, *, made: bool = True
) -> tuple[Mention, ...]:
    """Every place that names what stands here; at will without the one that makes it."""
    here = names.at(file, line, column)
    if here is None or not here.name:
        return ()
    everywhere = names.of(here.kind, here.name)
    return tuple(m for m in everywhere if m.column and (made or m.role != "made"))
