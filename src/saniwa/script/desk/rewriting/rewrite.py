"""Rewrites old notation into the plain dialect; a story plays as it did before.

Works on lines: what needs no change keeps every byte. Each change is read back, and one
after which the story would play otherwise, or has an error it had not, is not made.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from saniwa.script.asset import NoAssets
from saniwa.script.compile import compile_story
from saniwa.script.desk.edit import Group, apart, applied, lines_of
from saniwa.script.desk.rewriting.blocks import block_edits, click_edits, heading_edits
from saniwa.script.desk.rewriting.brackets import bracket_edits
from saniwa.script.desk.rewriting.declarations import declaration_edits
from saniwa.script.desk.rewriting.likeness import alike
from saniwa.script.desk.rewriting.naming import id_edits
from saniwa.script.lint import lint
from saniwa.script.node import Jump, Option, Scene
from saniwa.script.program import Program
from saniwa.script.reading.markdown import read_scene
from saniwa.script.tree import expressions, options, targets, walk

_MOST_PASSES = 50
_MOST_LETTERS = 5_000_000
_FEWEST_READINGS = 40
"""Readings a text may cost however long it is; beyond, `_MOST_LETTERS` in all."""


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
    _settle(work)
    if ids:
        work.settle(id_edits(work.scene, work.program, others))
        _settle(work)
    return Rewritten(work.text, work.changes)


def _settle(work: "_Work") -> None:
    for _ in range(_MOST_PASSES):
        if not work.settle(_edits(work.scene)):
            return


def _edits(scene: Scene) -> Iterator[Group]:
    lines = lines_of(scene.text)
    yield from declaration_edits(scene, lines)
    yield from click_edits(scene, lines)
    yield from block_edits(scene, lines)
    yield from heading_edits(scene, lines)
    yield from bracket_edits(scene, lines)


class _Work:
    """One file being rewritten."""

    def __init__(self, text: str, file: str, others: Sequence[Scene]) -> None:
        self._file = file
        self._calls = any(_calls(scene) for scene in others)
        self._named = frozenset(name for each in others for name in _names(each))
        self._refused: set[tuple[str, ...]] = set()
        self._readings = max(_FEWEST_READINGS, _MOST_LETTERS // (len(text) + 1))
        self.changes = 0
        self.text = text
        self.scene, self.program = self._read(text)
        self._errors = _errors(self.scene, self.program)

    def settle(self, groups: Iterable[Group]) -> bool:
        """Make those changes that keep the story what it is; whether more may follow.

        Where one cannot be made, another for the same lines may be.
        """
        lines, known = lines_of(self.text), len(self._refused)
        keys = {group: _key(group, lines) for group in groups}
        wanted = apart(g for g, key in keys.items() if key not in self._refused)
        waiting = [wanted]
        before, made = self.text, list[Group]()
        while waiting and self._readings > 0:
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
        more = bool(made) or len(self._refused) > known
        if made:
            # What could not be done before may be possible now.
            self._refused.clear()
        return more

    def _takes(self, before: str, groups: list[Group]) -> bool:
        self._readings -= 1
        text = applied(before, groups)
        scene, program = self._read(text)
        if not alike(self.program, program, calls=self._calls, named=self._named):
            return False
        errors = _errors(scene, program)
        if errors - self._errors:
            return False
        self.text, self.scene, self.program = text, scene, program
        self._errors = errors
        return True

    def _read(self, text: str) -> tuple[Scene, Program]:
        scene = read_scene(text, self._file)
        return scene, compile_story([scene])


def _errors(scene: Scene, program: Program) -> Counter[str]:
    found = [*scene.findings, *lint([scene], program, NoAssets(), None)]
    return Counter(each.code for each in found if each.severity == "error")


def _key(group: Group, lines: list[str]) -> tuple[str, ...]:
    """What tells one change from others: what goes and what comes."""
    gone = (line for edit in group for line in lines[edit.first - 1 : edit.last])
    return (*gone, "\n", *(line for edit in group for line in edit.lines))


def _calls(scene: Scene) -> bool:
    steps: Iterator[Jump | Option] = (
        n for n in walk(scene.block) if isinstance(n, Jump)
    )
    return any(step.call for step in (*steps, *options(scene.block)))


def _names(scene: Scene) -> Iterator[str]:
    """The labels that a file goes to or asks for, as it writes them."""
    yield from (target.label for target in targets(scene.block))
    for each in expressions(scene.block):
        yield from (str(call.given[0]) for call in each.calls if call.given)
