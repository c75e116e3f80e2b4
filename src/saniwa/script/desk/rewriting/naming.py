"""Writes an id behind every line and option that has none: its section and a hash.

The hash is of the line and its neighbours, so that two people who add lines to the same
section, each in a copy of their own, do not write the same id twice.
"""

import re
from base64 import b32encode
from collections.abc import Container, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import count

from saniwa.script.compile import compile_story
from saniwa.script.desk.edit import Edit, Group, lines_of
from saniwa.script.node import Choice, Say, Scene
from saniwa.script.program import Enter, Offer, Program, Speak
from saniwa.script.tree import walk

_BEGINNING = "start"
"""What lines before the first section are called by."""
_COMMENT = re.compile(r"<!--.*?(?:(-->)|$)")
_GROUP = re.compile(r"\{#[^\s{}]*+")
_UNFIT = re.compile(r"[\s{}\"'#=]+")
_NEIGHBOURS = 3
"""How many lines on either side tell a line from one of the same words."""
_HASH_LENGTH = 8
"""Letters of a hash, five bits each."""


def id_edits(
    scene: Scene, program: Program, others: Sequence[Scene]
) -> Iterator[Group]:
    """One change for each line that takes an id."""
    lines = lines_of(scene.text)
    taken = _authors(program)
    for other in others:
        taken |= _authors(compile_story([other]))
    filled = [at for at, raw in enumerate(lines) if raw.strip()]
    order = {at + 1: nth for nth, at in enumerate(filled)}
    for number, label in sorted(_wanted(scene, program).items()):
        raw = lines[number - 1]
        if "<!--" in raw and not _has_comment(raw):
            continue
        nth = order[number]
        around = filled[max(nth - _NEIGHBOURS, 0) : nth + _NEIGHBOURS + 1]
        content = [raw, *(lines[at] for at in around)]
        id = _make_id(_UNFIT.sub("-", label) or _BEGINNING, content, taken)
        taken.add(id)
        yield (Edit(number, number, (_with_id(raw, id),)),)


def _make_id(label: str, content: Iterable[str], taken: Container[str]) -> str:
    """An id that nothing has, from a line and the lines beside it."""
    text = "\n".join(" ".join(_GROUP.sub("", line).split()) for line in content)
    for again in count():
        raw = f"{label}\n{text}\n{again}".encode("utf-8", "surrogatepass")
        digest = b32encode(sha256(raw).digest()).decode("ascii").lower()
        id = f"{label}-{digest[:_HASH_LENGTH]}"
        if id not in taken:
            return id
    raise AssertionError  # there are as many hashes as numbers


def _wanted(scene: Scene, program: Program) -> dict[int, str]:
    """The labels by the lines that take an id; a line that ends two utterances has one."""
    labels = _labels(program)
    wanted: dict[int, str] = {}
    for element in walk(scene.block):
        if isinstance(element, Say):
            wanted.pop(element.last, None)
            if not element.id and element.words:
                wanted[element.last] = labels[element.line, element.column]
        elif isinstance(element, Choice) and element.old != "BRANCH":
            for option in element.options:
                if not option.id:
                    wanted[option.line] = labels[option.line, option.column]
    return wanted


def _labels(program: Program) -> dict[tuple[int, int], str]:
    """The section that each line and option is written in, by its place."""
    labels, here = dict[tuple[int, int], str](), ""
    for op in program.ops:
        if isinstance(op, Enter):
            here = op.label
        elif isinstance(op, Speak):
            labels[op.line, op.column] = here
        elif isinstance(op, Offer):
            labels.update({(way.line, way.column): here for way in op.ways})
    return labels


def _authors(program: Program) -> set[str]:
    said = {op.id for op in program.ops if isinstance(op, Speak) and op.named}
    offers = (op for op in program.ops if isinstance(op, Offer))
    return said | {way.id for op in offers for way in op.ways if way.named}


def _has_comment(raw: str) -> bool:
    found = _COMMENT.search(raw)
    return found is not None and found[1] is not None


def _blank_out(comment: re.Match[str]) -> str:
    """Return blanks for a comment; one that does not close is text."""
    return " " * len(comment[0]) if comment[1] else comment[0]


def _with_id(raw: str, id: str) -> str:
    """The line with an id behind its text, before any comment at its end."""
    bare = _COMMENT.sub(_blank_out, raw).rstrip()
    return f"{raw[: len(bare)]} {{#{id}}}{raw[len(bare) :].rstrip()}"
