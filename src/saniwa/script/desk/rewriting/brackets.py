"""Lines of old bracket commands, and the lines that say the same today."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from saniwa.script import node
from saniwa.script.desk.edit import Edit, Group
from saniwa.script.desk.rewriting.spelling import speech, spelled
from saniwa.script.node import Node, Scene
from saniwa.script.reading.markdown import read_scene
from saniwa.script.tree import walk

_COMMAND = re.compile(
    r'\[([A-Z][A-Z0-9_]+)(?=[\s\]])(?:[^\]"]++|"(?:[^"\\]|\\.)*+")*+\]'
)
_RENAMED = {"PLAY_MUSIC": "PLAY_BGM", "EMIT_EVENT": "EVENT"}
_LINKED = re.compile(r"\[[^\[\]]*\]\(")


class Token(NamedTuple):
    """One command in a line."""

    name: str
    """Which."""
    column: int
    """Where its `[` stands."""
    text: str
    """As written."""


def tokens(raw: str) -> tuple[list[Token], str]:
    """The commands a line begins with, and the text behind them."""
    found_tokens: list[Token] = []
    at = len(raw) - len(raw.lstrip(" \t"))
    while (found := _COMMAND.match(raw, at)) and not _LINKED.match(raw, at):
        found_tokens.append(Token(found[1], at + 1, found[0]))
        at = found.end()
        while at < len(raw) and raw[at] in " \t":
            at += 1
    return found_tokens, raw[at:].rstrip()


def bracket_edits(scene: Scene, lines: list[str]) -> Iterator[Group]:
    """Changes of the lines that hold old commands."""
    page = _Page(scene, lines)
    for number in sorted(page.old):
        group = page.group(number)
        if group:
            yield group


class _Page:
    """A scene's elements by their places."""

    def __init__(self, scene: Scene, lines: list[str]) -> None:
        self.lines = lines
        self.cast = [declared.name for declared in scene.front.cast or ()]
        self.nodes: dict[tuple[int, int], Node] = {}
        self.top = {id(each) for each in scene.block}
        self.old: set[int] = set()
        self.turns: dict[tuple[int, int], node.When] = {}
        self.ends: dict[int, list[node.When]] = {}
        self.spoken: set[int] = set()
        self.wrong = {f.where.line for f in scene.findings if f.severity == "error"}
        for element in walk(scene.block):
            self._take(element)

    def _take(self, element: Node) -> None:
        place = (element.line, element.column)
        self.nodes.setdefault(place, element)
        if isinstance(element, node.When) and element.old == "IF":
            self.ends.setdefault(element.last, []).append(element)
            for case in element.cases[1:]:
                self.turns[case.line, case.column] = element
                self.old.add(case.line)
        if isinstance(element, node.Say):
            self.spoken.update(range(element.line, element.last + 1))
        raw = self.lines[element.line - 1]
        if "[" in raw[: element.column]:
            self.old.add(element.line)

    def group(self, number: int) -> Group:
        """The changes that rewrite one line, and whatever must change with it."""
        wanted, done = {number}, dict[int, list[Edit]]()
        while wanted - done.keys():
            line = min(wanted - done.keys())
            edits, more = self._line(line)
            done[line] = edits
            wanted |= more
        edits = [edit for each in done.values() for edit in each]
        touched = {n for e in edits for n in range(e.first, e.last + 1)}
        if touched & self.wrong or any("<!--" in self.lines[n - 1] for n in touched):
            return ()
        return tuple(edits)

    def _line(self, number: int) -> tuple[list[Edit], set[int]]:
        """The changes of one line, and the lines that belong to them."""
        raw = self.lines[number - 1]
        found, rest = tokens(raw)
        indent = raw[: len(raw) - len(raw.lstrip(" \t"))]
        out: list[str] = []
        last, after, more = number, list[Edit](), set[int]()
        changed = False
        for nth, token in enumerate(found):
            new = self._spelled(token, number)
            when = self._if(token, number)
            if when is not None:
                more |= self._lines_of(when)
                after += self._closing(when, indent)
            if token.name == "SAY" and nth == len(found) - 1:
                said = self._said(token, number, rest)
                if said is not None:
                    new, last = said
                    rest = ""
            changed |= new is not None
            out += [token.text] if new is None else new
        if not changed:
            return [], set()
        if rest:
            out.append(rest)
        lines = tuple(indent + line if line else "" for line in out)
        return [Edit(number, last, lines), *after], more

    def _spelled(self, token: Token, number: int) -> list[str] | None:
        place = (number, token.column)
        if token.name == "IF":
            when = self.nodes.get(place)
            if isinstance(when, node.When) and when.cases[0].when is not None:
                return [f":::when {when.cases[0].when.source}"]
        if token.name == "ELSE" and place in self.turns:
            return [":::else"]
        if token.name == "ENDIF" and number in self.ends:
            return [":::"]
        element = self.nodes.get(place)
        if element is None:
            return None
        if token.name in _RENAMED:
            return [token.text.replace(token.name, _RENAMED[token.name], 1)]
        if isinstance(element, node.Label) and id(element) not in self.top:
            return None
        return spelled(element)

    def _if(self, token: Token, number: int) -> node.When | None:
        element = self.nodes.get((number, token.column))
        if token.name == "IF" and isinstance(element, node.When):
            return element
        if token.name == "ELSE":
            return self.turns.get((number, token.column))
        if token.name == "ENDIF":
            return next(iter(self.ends.get(number, [])), None)
        return None

    def _lines_of(self, when: node.When) -> set[int]:
        lines = {when.line, *(case.line for case in when.cases)}
        return lines if self._brief(when) else lines | {when.last}

    def _closing(self, when: node.When, indent: str) -> list[Edit]:
        """A line that ends a condition nothing ended so far."""
        if self._brief(when):
            return [Edit(when.last + 1, when.last, (f"{indent}:::",))]
        return []

    def _brief(self, when: node.When) -> bool:
        found, _ = tokens(self.lines[when.last - 1])
        return not any(token.name == "ENDIF" for token in found)

    def _said(
        self, token: Token, number: int, rest: str
    ) -> tuple[list[str], int] | None:
        """The line of speech an old [SAY] begins, and the line its text began on."""
        element = self.nodes.get((number, token.column))
        if not isinstance(element, node.Say) or element.old != "SAY":
            return None
        last = number
        while not rest and last < element.last:
            last += 1
            rest = self.lines[last - 1].strip()
        if not rest:
            return None
        line = speech(element.speaker, rest)
        if not self._reads(line, element.speaker):
            return None
        before = number - 1 in self.spoken and self.lines[number - 2].strip()
        parted = not element.speaker and before
        return (["", line] if parted else [line]), last

    def _reads(self, line: str, speaker: str) -> bool:
        """Whether the line would be read as this speaker's."""
        first = next(iter(read_scene(line, "", self.cast).block), None)
        return isinstance(first, node.Say) and first.speaker == speaker
