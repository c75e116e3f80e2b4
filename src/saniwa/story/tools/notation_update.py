"""Rewrite old notation in the present one; the story plays as it did before.

Works on lines: a line without changes keeps every byte. Each edit is parsed again, and
one after which the story would play differently, or has a new error, is not made.
"""

import re
from base64 import b32encode
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import count

import msgspec

from saniwa.story import elements
from saniwa.story.assets import FolderAssets
from saniwa.story.compile import compile_story
from saniwa.story.elements import list_expressions, list_targets, walk_elements
from saniwa.story.lint.linter import lint_story
from saniwa.story.parser.front_matter import RULE
from saniwa.story.parser.markdown import parse_scene
from saniwa.story.program import EnterOp, Program, list_op_texts
from saniwa.story.tools.equivalence import is_equivalent
from saniwa.story.tools.notation_update_rules import (
    RULES,
    EditGroup,
    LineEdit,
    apply_line_edits,
    select_disjoint,
)

_FENCE = re.compile(r"[ \t]*:{3,}[ \t]*(?:flags?|vars?)\b[ \t]*(.*)", re.IGNORECASE)


def make_declaration_edits(scene: elements.StoryScene, lines: list[str]) -> Iterator[EditGroup]:
    """Yield one edit that moves old declarations to the front matter.

    None if the front matter already declares variables.
    """
    front = scene.front
    below = [each for each in front.variables if each.line > front.last]
    if not below or len(below) < len(front.variables):
        return
    gone = _make_removals(below, lines, front.last)
    if gone:
        yield (*_make_front_matter_edits(below, front.last), *gone)


def _make_removals(
    below: list[elements.Declaration], lines: list[str], last: int
) -> list[LineEdit]:
    """Return the lines to remove; none if they contain more than declarations."""
    places = {each.line for each in below}
    gone: list[LineEdit] = []
    number = last
    while number < len(lines):
        number += 1
        found = _FENCE.fullmatch(lines[number - 1])
        if found is None:
            continue
        end = _find_end(number, bool(found[1].strip()), lines)
        inner = range(number if found[1].strip() else number + 1, end + 1)
        declared = [n for n in inner if lines[n - 1].strip() not in ("", ":::")]
        if not declared or not places.issuperset(declared):
            return []
        places.difference_update(declared)
        gone.append(LineEdit(number, end, ()))
        number = end
    return [] if places else gone


def _find_end(number: int, brief: bool, lines: list[str]) -> int:
    """Return the line a declaration ends on."""
    if brief:
        closed = number < len(lines) and lines[number].strip() == ":::"
        return number + 1 if closed else number
    while number < len(lines) and lines[number].strip() != ":::":
        number += 1
    return min(number + 1, len(lines))


def _make_front_matter_edits(below: list[elements.Declaration], last: int) -> list[LineEdit]:
    first = {each.name: each for each in reversed(below)}
    names = {each.name: None for each in below}
    new = ["vars:", *(f"  {name}: {_format_yaml(first[name])}" for name in names)]
    if last:
        return [LineEdit(last, last - 1, tuple(new))]
    return [LineEdit(1, 0, (RULE, *new, RULE))]


def _format_yaml(declared: elements.Declaration) -> str:
    # YAML reads the JSON of a single value as the same value.
    return msgspec.json.encode(declared.value).decode()


_BEGINNING = "start"
"""The label in ids of lines before the first section."""
_COMMENT = re.compile(r"<!--.*?(?:(-->)|$)")
_GROUP = re.compile(r"\{#[^\s{}]*+")
_UNFIT = re.compile(r"[\s{}\"'#=]+")
_NEIGHBOURS = 3
"""How many lines on either side are hashed to distinguish equal lines."""
_HASH_LENGTH = 8
"""Characters of a hash, five bits each."""


def make_id_edits(
    scene: elements.StoryScene, program: Program, others: Sequence[elements.StoryScene]
) -> Iterator[EditGroup]:
    """Yield one edit for each line that gets an id."""
    lines = scene.lines
    taken = _list_author_ids(program)
    for other in others:
        taken |= _list_author_ids(compile_story([other]))
    filled = [at for at, raw in enumerate(lines) if raw.strip()]
    order = {at + 1: nth for nth, at in enumerate(filled)}
    for number, label in sorted(_find_lines_without_id(scene, program).items()):
        raw = lines[number - 1]
        if "<!--" in raw and not _has_comment(raw):
            continue
        nth = order[number]
        around = filled[max(nth - _NEIGHBOURS, 0) : nth + _NEIGHBOURS + 1]
        content = [raw, *(lines[at] for at in around)]
        id = _make_id(_UNFIT.sub("-", label) or _BEGINNING, content, taken)
        taken.add(id)
        yield (LineEdit(number, number, (_append_id(raw, id),)),)


def _make_id(label: str, content: Iterable[str], taken: Container[str]) -> str:
    """Make an unused id from a line and the lines around it."""
    text = "\n".join(" ".join(_GROUP.sub("", line).split()) for line in content)
    for again in count():
        raw = f"{label}\n{text}\n{again}".encode("utf-8", "surrogatepass")
        digest = b32encode(sha256(raw).digest()).decode("ascii").lower()
        id = f"{label}-{digest[:_HASH_LENGTH]}"
        if id not in taken:
            return id
    raise AssertionError  # there are infinitely many numbers to try


def _find_lines_without_id(scene: elements.StoryScene, program: Program) -> dict[int, str]:
    """Map the lines that need an id to their labels; one id for each line."""
    labels = _map_sections(program)
    wanted: dict[int, str] = {}
    for element in walk_elements(scene.block):
        if isinstance(element, elements.SayElement):
            wanted.pop(element.last, None)
            if not element.id and element.words:
                wanted[element.last] = labels[element.line, element.column]
        elif isinstance(element, elements.ChoiceElement) and element.old != "BRANCH":
            for option in element.options:
                if not option.id:
                    wanted[option.line] = labels[option.line, option.column]
    return wanted


def _map_sections(program: Program) -> dict[tuple[int, int], str]:
    """Map the place of each line and option to its section."""
    labels, here = dict[tuple[int, int], str](), ""
    for op in program.ops:
        if isinstance(op, EnterOp):
            here = op.label
        labels.update({(text.line, text.column): here for text in list_op_texts(op)})
    return labels


def _list_author_ids(program: Program) -> set[str]:
    return {text.id for _, text in program.list_texts() if text.named}


def _has_comment(raw: str) -> bool:
    found = _COMMENT.search(raw)
    return found is not None and found[1] is not None


def _blank_out(comment: re.Match[str]) -> str:
    """Replace a comment by spaces; one that is not closed is text."""
    return " " * len(comment[0]) if comment[1] else comment[0]


def _append_id(raw: str, id: str) -> str:
    """Append an id to the text of a line, before any comment at its end."""
    bare = _COMMENT.sub(_blank_out, raw).rstrip()
    return f"{raw[: len(bare)]} {{#{id}}}{raw[len(bare) :].rstrip()}"


_MOST_PASSES = 50
_MOST_LETTERS = 5_000_000
_FEWEST_READINGS = 40
"""Parses allowed for a text of any length; beyond, `_MOST_LETTERS` in total."""


class NotationUpdate(msgspec.Struct, frozen=True):
    """The result of rewriting a text."""

    text: str
    """The new text; the old one if nothing had to change."""
    changes: int
    """How many changes were made."""


def update_notation(
    text: str, file: str = "", others: Sequence[elements.StoryScene] = (), *, ids: bool = False
) -> NotationUpdate:
    """Rewrite a text in the present notation; with `ids`, add missing ids.

    `others` are the story's other files: the labels they use stay as they are.
    """
    work = _FileRewriter(text, file, others)
    _rewrite_until_stable(work)
    if ids:
        work.apply_groups(make_id_edits(work.scene, work.program, others))
        _rewrite_until_stable(work)
    return NotationUpdate(work.text, work.changes)


def _rewrite_until_stable(work: "_FileRewriter") -> None:
    for _ in range(_MOST_PASSES):
        if not work.apply_groups(_list_edits(work.scene)):
            return


def _list_edits(scene: elements.StoryScene) -> Iterator[EditGroup]:
    lines = scene.lines
    for make_edits in (make_declaration_edits, *RULES):
        yield from make_edits(scene, lines)


class _FileRewriter:
    """Rewrites one file."""

    def __init__(self, text: str, file: str, others: Sequence[elements.StoryScene]) -> None:
        self._file = file
        self._calls = any(_has_calls(scene) for scene in others)
        self._named = frozenset(name for each in others for name in _list_label_names(each))
        self._refused: set[tuple[str, ...]] = set()
        self._readings = max(_FEWEST_READINGS, _MOST_LETTERS // (len(text) + 1))
        self.changes = 0
        self.text = text
        self.scene, self.program = self._parse_text(text)
        self._errors = _count_errors(self.scene, self.program)

    def apply_groups(self, groups: Iterable[EditGroup]) -> bool:
        """Make the edits that preserve the story; return whether more may follow.

        If one cannot be made, another edit of the same lines may be possible.
        """
        lines, known = self.scene.lines, len(self._refused)
        keys = {group: _make_group_key(group, lines) for group in groups}
        wanted = select_disjoint(g for g, key in keys.items() if key not in self._refused)
        waiting = [wanted]
        before, made = self.text, list[EditGroup]()
        while waiting and self._readings > 0:
            some = waiting.pop()
            if not some:
                continue
            if self._try_groups(before, [*made, *some]):
                made += some
            elif len(some) == 1:
                self._refused.add(keys[some[0]])
            else:
                half = len(some) // 2
                waiting += [some[half:], some[:half]]
        self.changes += len(made)
        more = bool(made) or len(self._refused) > known
        if made:
            # Edits that were impossible before may be possible now.
            self._refused.clear()
        return more

    def _try_groups(self, before: str, groups: list[EditGroup]) -> bool:
        self._readings -= 1
        text = apply_line_edits(before, groups)
        scene, program = self._parse_text(text)
        if not is_equivalent(self.program, program, calls=self._calls, named=self._named):
            return False
        errors = _count_errors(scene, program)
        if errors - self._errors:
            return False
        self.text, self.scene, self.program = text, scene, program
        self._errors = errors
        return True

    def _parse_text(self, text: str) -> tuple[elements.StoryScene, Program]:
        scene = parse_scene(text, self._file)
        return scene, compile_story([scene])


def _count_errors(scene: elements.StoryScene, program: Program) -> Counter[str]:
    found = [*scene.findings, *lint_story([scene], program, FolderAssets(), None)]
    return Counter(each.code for each in found if each.severity == "error")


def _make_group_key(group: EditGroup, lines: list[str]) -> tuple[str, ...]:
    """Return a key of an edit: the lines it removes and those it adds."""
    gone = (line for edit in group for line in lines[edit.first - 1 : edit.last])
    return (*gone, "\n", *(line for edit in group for line in edit.lines))


def _has_calls(scene: elements.StoryScene) -> bool:
    return any(
        (isinstance(each, elements.JumpElement) and each.call)
        or (isinstance(each, elements.ChoiceElement) and any(o.call for o in each.options))
        for each in walk_elements(scene.block)
    )


def _list_label_names(scene: elements.StoryScene) -> Iterator[str]:
    """Yield the labels that a file jumps to or reads, as written."""
    yield from (target.label for target in list_targets(scene.block))
    for each in list_expressions(scene.block):
        yield from (str(call.given[0]) for call in each.calls if call.given)
