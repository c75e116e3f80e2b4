"""Every place of a story that names something: one index for all editor tools.

Places are exact to the character. If the text does not contain the name (an old
notation assembled from parts), the mention has no column.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Literal

import msgspec

from saniwa.story import elements
from saniwa.story.elements import StoryScene, list_element_expressions, list_labels, walk_elements
from saniwa.story.expression_parser import Expression, FunctionCall
from saniwa.story.link_parser import join_link, parse_link_target
from saniwa.story.program import EnterOp, ResolvedLink
from saniwa.story.story import Story

MentionKind = Literal["label", "file", "variable", "speaker", "option", "asset", "function"]
"""The kind of thing that is named."""
MentionRole = Literal["made", "set", "used"]
"""Declared here, set here, or only named."""


class StoryMention(msgspec.Struct, frozen=True, gc=False):
    """A name in one place."""

    kind: MentionKind
    """The kind of thing."""
    name: str
    """Its key, the same for every spelling; empty if there is no such thing."""
    role: MentionRole
    """What happens to it here."""
    file: str
    """The file."""
    line: int
    """The line, from 1."""
    column: int
    """The column, from 1; 0 if the text does not contain it."""
    written: str
    """How it is spelled here."""

    def contains(self, line: int, column: int) -> bool:
        """Whether a cursor at this place touches it."""
        return (
            self.line == line
            and self.column > 0
            and self.column <= column <= self.column + len(self.written)
        )


def find_mentions(story: Story) -> tuple[StoryMention, ...]:
    """Return all mentions, file by file, in reading order."""
    keys = _LabelKeys(story)
    found: list[StoryMention] = []
    for scene in story.scenes:
        here = list(_MentionCollector(scene, keys).collect())
        found += sorted(here, key=lambda each: (each.line, each.column))
    return tuple(found)


class _LabelKeys:
    """Resolves the labels of a story."""

    def __init__(self, story: Story) -> None:
        program = story.program
        self.aliases = program.aliases
        self.made: dict[tuple[str, int, int], str] = {}
        """Keys of labels by the place that declares them."""
        for address, op in enumerate(program.ops):
            if isinstance(op, EnterOp):
                # The beginning of a file is a label too; a heading there takes
                # precedence.
                place = (program.find_file(address), op.line, op.column)
                self.made[place] = op.label
        self.links: dict[str, list[ResolvedLink]] = {}
        """Jumps by file."""
        for link in program.links:
            self.links.setdefault(link.file, []).append(link)
        self._by_address = {at: key for key, at in program.labels.items()}
        self._files = {scene.file for scene in story.scenes}

    def find_label(self, link: ResolvedLink) -> str:
        """The key of the label that a jump leads to; empty if it has no target."""
        return "" if link.to is None else self._by_address.get(link.to, "")

    def find_file(self, link: ResolvedLink) -> str:
        """The file that a jump leads to; empty if there is none."""
        file = join_link(link.file, link.target.file)
        return file if file in self._files else ""


class _MentionCollector:
    """Collects the mentions of one file."""

    def __init__(self, scene: StoryScene, keys: _LabelKeys) -> None:
        self._scene, self._keys = scene, keys

    def collect(self) -> Iterator[StoryMention]:
        """Yield every mention in it, in no particular order."""
        yield from self._list_declarations()
        for label in list_labels(self._scene.block):
            key = self._keys.made.get((self._scene.file, label.line, label.column), "")
            place = (label.line, label.name_column)
            yield self._find_mention("label", key, "made", *place, label.name)
        for link in self._keys.links.get(self._scene.file, ()):
            yield self._make_link(link)
        for element in walk_elements(self._scene.block):
            yield from self._list_element_mentions(element)
            for asked in list_element_expressions(element):
                yield from self._list_expression_mentions(asked)

    def _list_declarations(self) -> Iterator[StoryMention]:
        front = self._scene.front
        for each in front.variables:
            yield self._find_mention("variable", each.name, "made", each.line, each.column)
        for each in front.cast or ():
            yield self._find_mention("speaker", each.name, "made", each.line, each.column)

    def _list_element_mentions(self, element: elements.Element) -> Iterator[StoryMention]:
        line, column = element.line, element.column
        match element:
            case elements.SayElement(speaker=speaker, old=old) if speaker and old != "[c]":
                at = self._find(line, column, speaker)
                if not at and old == "SAY":
                    at = self._find_say_speaker(line, column, speaker)
                yield self._make_mention("speaker", speaker, "used", line, at, speaker)
            case elements.AssignElement(name=name, name_column=at):
                yield self._find_mention("variable", name, "set", line, at)
            case elements.AskElement(name=name, name_column=at) if name:
                yield self._find_mention("variable", name, "set", line, at)
            case elements.PictureElement(name=name, name_column=at) if at:
                yield self._find_mention("asset", f"image/{name}", "used", line, at, name)
            case elements.SoundElement(kind=kind, name=name, name_column=at) if at:
                yield self._find_mention("asset", f"{kind}/{name}", "used", line, at, name)
            case elements.ChoiceElement(options=options):
                for option in options:
                    if option.id:
                        yield self._make_option(option)
            case _:
                pass

    def _make_option(self, option: elements.ChoiceOption) -> StoryMention:
        at = self._scene.get_line(option.line).rfind(f"#{option.id}", option.column - 1)
        return self._make_mention(
            "option", option.id, "made", option.line, at + 2 if at >= 0 else 0, option.id
        )

    def _list_expression_mentions(self, asked: Expression) -> Iterator[StoryMention]:
        for named in asked.names:
            yield self._find_mention("variable", named.name, "used", named.line, named.column)
        for call in asked.calls:
            yield self._find_mention("function", call.name, "used", call.line, call.column)
            if call.name in ("visits", "chosen") and isinstance(call.given[0], str):
                yield self._make_argument(call, call.given[0])

    def _make_argument(self, call: FunctionCall, given: str) -> StoryMention:
        """The label or option in quotes after a function's name."""
        raw = self._scene.get_line(call.line)
        begin = self._find(call.line, call.column, call.name)
        found = _GIVEN.match(raw, begin - 1) if begin else None
        at = found.start(2) + 1 if found and found[2] == given else 0
        kind: MentionKind = "option" if call.name == "chosen" else "label"
        key = given if kind == "option" else self._keys.aliases.get(given, "")
        return self._make_mention(kind, key, "used", call.line, at, given)

    def _make_link(self, link: ResolvedLink) -> StoryMention:
        target = link.target
        if not target.label:
            file, place = self._keys.find_file(link), (target.line, target.column)
            return self._find_mention("file", file, "used", *place, target.file)
        key = self._keys.find_label(link)
        at = self._find(target.line, target.column, target.label)
        written = target.label
        if not at and (coded := self._find_encoded_label(target)):
            at, written = target.column, coded
        return self._make_mention("label", key, "used", target.line, at, written)

    def _find_encoded_label(self, target: elements.LinkTarget) -> str:
        """Return a label as a link spells it with `%` codes."""
        found = _CODED.match(self._scene.get_line(target.line), max(target.column - 1, 0))
        coded = found[0] if found else ""
        same = parse_link_target(f"#{coded}", 0, 0).label == target.label
        return coded if same else ""

    def _find(self, line: int, column: int, written: str) -> int:
        """Return the column if it is written there; else 0."""
        there = written and self._scene.get_line(line).startswith(written, max(column - 1, 0))
        return column if there else 0

    def _find_say_speaker(self, line: int, column: int, speaker: str) -> int:
        """Return the column of the speaker in an old [SAY]; 0 if it is not written."""
        word = re.compile(rf"(?<!\w){re.escape(speaker)}(?!\w)")
        found = word.search(self._scene.get_line(line), column)
        return found.start() + 1 if found else 0

    def _find_mention(
        self,
        kind: MentionKind,
        name: str,
        role: MentionRole,
        line: int,
        column: int,
        written: str | None = None,
    ) -> StoryMention:
        """Make a mention that is written at a place; as its name, if nothing else is said."""
        text = name if written is None else written
        return self._make_mention(kind, name, role, line, self._find(line, column, text), text)

    def _make_mention(
        self, kind: MentionKind, name: str, role: MentionRole, line: int, column: int, written: str
    ) -> StoryMention:
        return StoryMention(kind, name, role, self._scene.file, line, column, written)


_GIVEN = re.compile(r"""\w++\s*+\(\s*+(["'])((?:(?!\1)[^\\])*+)\1""")
_CODED = re.compile(r"[^\s()<>]*+")


class MentionIndex:
    """All mentions of a story, by place and by name.

    Built once per story and queried often.
    """

    def __init__(self, story: Story) -> None:
        self.story = story
        """The story."""
        self.all = find_mentions(story)
        """Every mention, file by file, in reading order."""

    def find_at(self, file: str, line: int, column: int) -> StoryMention | None:
        """Return what a cursor touches; of two mentions, the one that begins there."""
        touched = (m for m in self._by_line.get((file, line), ()) if m.contains(line, column))
        return max(touched, key=lambda each: each.column, default=None)

    def list_mentions(self, kind: MentionKind, name: str) -> tuple[StoryMention, ...]:
        """Every mention of one thing, in reading order."""
        return tuple(self._by_name.get((kind, name), ()))

    def list_names(self, kind: MentionKind) -> tuple[str, ...]:
        """The names of a kind, in the order of first mention."""
        return tuple(name for sort, name in self._by_name if sort == kind)

    def find_scene(self, file: str) -> StoryScene | None:
        """Return the parsed file; None if it is not part of the story."""
        return next((s for s in self.story.scenes if s.file == file), None)

    def get_line(self, file: str, line: int) -> str:
        """Return the text of a line; empty if there is no such line."""
        scene = self.find_scene(file)
        return scene.get_line(line) if scene else ""

    @cached_property
    def _by_line(self) -> dict[tuple[str, int], list[StoryMention]]:
        found: dict[tuple[str, int], list[StoryMention]] = {}
        for each in self.all:
            found.setdefault((each.file, each.line), []).append(each)
        return found

    @cached_property
    def _by_name(self) -> dict[tuple[MentionKind, str], list[StoryMention]]:
        found: dict[tuple[MentionKind, str], list[StoryMention]] = {}
        for each in self.all:
            if each.name:
                found.setdefault((each.kind, each.name), []).append(each)
        return found


def find_definition(
    names: MentionIndex, file: str, line: int, column: int
) -> tuple[StoryMention, ...]:
    """Find where the name under the cursor is declared; empty if nowhere.

    An undeclared variable counts as declared where it is first set, an undeclared
    speaker where they first speak.
    """
    here = names.find_at(file, line, column)
    if here is None or not here.name:
        return ()
    if here.kind == "file":
        return (StoryMention("file", here.name, "made", here.name, 1, 1, ""),)
    return tuple(_list_definitions(here, names))[:1]


def _list_definitions(here: StoryMention, names: MentionIndex) -> Iterator[StoryMention]:
    everywhere = [each for each in names.list_mentions(here.kind, here.name) if each.column]
    yield from (each for each in everywhere if each.role == "made")
    yield from (each for each in everywhere if each.role == "set")
    if here.kind == "speaker":
        yield from everywhere


def find_references(
    names: MentionIndex, file: str, line: int, column: int, *, made: bool = True
) -> tuple[StoryMention, ...]:
    """Find every mention of the name under the cursor; optionally no declarations."""
    here = names.find_at(file, line, column)
    if here is None or not here.name:
        return ()
    everywhere = names.list_mentions(here.kind, here.name)
    return tuple(m for m in everywhere if m.column and (made or m.role != "made"))
