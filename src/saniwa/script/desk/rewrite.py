"""Rewrites old notation into the plain dialect; a story plays as it did before.

Works on lines: what needs no change keeps every byte. Each change is read back, and one
after which the story would play otherwise, or has an error it had not, is not made.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from saniwa.script.asset import NoAssets
from saniwa.script.compile import compile_story
from saniwa.script.desk.blocks import block_edits, click_edits, heading_edits
from saniwa.script.desk.brackets import bracket_edits
from saniwa.script.desk.edit import Group, apart, applied, lines_of
from saniwa.script.desk.likeness import alike
from saniwa.script.desk.naming import id_edits
from saniwa.script.lint import lint
from saniwa.script.markdown import read_scene
from saniwa.script.node import Jump, Option, Scene
from saniwa.script.program import Program
from saniwa.script.tree import options, walk

_MOST_PASSES = 50
_MOST_READINGS = 200


class Rewritten(msgspec.Struct, frozen=True):
    """A text, rewritten."""

    text: str
    """The whole new text; the old one where nothing needed a change."""
    changes: int
    """How many changes were made."""


def rewrite(
    text: str, file: str = "", others: Sequence[Scene] = (), *, ids: bool = False
) -> Rewritten:
    """The text in the plain dialect; with `ids`, every line and option has one.

    `others` are the story's other files: what they call and ask for stays as it is.
    """
    work = _Work(text, file, others)
    for _ in range(_MOST_PASSES):
        if not work.settle(_edits(work.scene)):
            break
    if ids:
        work.settle(id_edits(work.scene, work.program, others))
    return Rewritten(work.text, work.changes)


def _edits(scene: Scene) -> Iterator[Group]:
    lines = lines_of(scene.text)
    yield from click_edits(scene, lines)
    yield from block_edits(scene, lines)
    yield from heading_edits(scene, lines)
    yield from bracket_edits(scene, lines)


class _Work:
    """One file being rewritten."""

    def __init__(self, text: str, file: str, others: Sequence[Scene]) -> None:
        self._file = file
        self._calls = any(_calls(scene) for scene in others)
        self._refused: set[tuple[str, ...]] = set()
        self._readings = 0
        self.changes = 0
        self.text = text
        self.scene, self.program, self._errors = self._read(text)

    def settle(self, groups: Iterable[Group]) -> bool:
        """Make those changes that keep the story what it is; whether more may follow.

        Where one cannot be made, another for the same lines may be.
        """
        lines, known = lines_of(self.text), len(self._refused)
        keys = {group: _key(group, lines) for group in groups}
        wanted = apart(g for g, key in keys.items() if key not in self._refused)
        waiting = [wanted]
        before, made = self.text, list[Group]()
        while waiting and self._readings < _MOST_READINGS:
            some = waiting.pop()
            if not some:
                continue
            if self._takes(before, [*made, *some]):
                made += some
            elif len(some) == 1:
                self._refused.add(keys[some[0]])
            else:
                half = len(some) // 2
                waiting += [some[half:], some[:half]]
        self.changes += len(made)
        return bool(made) or len(self._refused) > known

    def _takes(self, before: str, groups: list[Group]) -> bool:
        text = applied(before, groups)
        self._readings += 1
        scene, program, errors = self._read(text)
        if errors - self._errors or not alike(self.program, program, calls=self._calls):
            return False
        self.text, self.scene, self.program = text, scene, program
        self._errors = errors
        return True

    def _read(self, text: str) -> tuple[Scene, Program, Counter[str]]:
        scene = read_scene(text, self._file)
        program = compile_story([scene])
        found = [*scene.findings, *lint([scene], program, NoAssets(), None)]
        errors = Counter(each.code for each in found if each.severity == "error")
        return scene, program, errors


def _key(group: Group, lines: list[str]) -> tuple[str, ...]:
    """What tells one change from others: what goes and what comes."""
    gone = (line for edit in group for line in lines[edit.first - 1 : edit.last])
    return (*gone, "\n", *(line for edit in group for line in edit.lines))


def _calls(scene: Scene) -> bool:
    steps: Iterator[Jump | Option] = (
        n for n in walk(scene.block) if isinstance(n, Jump)
    )
    return any(step.call for step in (*steps, *options(scene.block)))
