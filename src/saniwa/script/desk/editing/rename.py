"""Giving a label or a variable another name, in every place that names it.

All places or none: where one cannot be found letter for letter, or the new name would be
read otherwise, nothing is changed and the reason is told.
"""

import re
from collections.abc import Iterable, Sequence

import msgspec

from saniwa.core.quoted import quoted
from saniwa.script.desk.edit import lines_of
from saniwa.script.desk.editing.cursor import Names
from saniwa.script.desk.editing.mention import Mention
from saniwa.script.language.expression import ExpressionProblem, parse_expression
from saniwa.script.node import Scene
from saniwa.script.reading.markdown import read_scene
from saniwa.script.slug import slug
from saniwa.script.tree import labels, targets

LONGEST = 200
"""Letters a new name may have."""


class Edit(msgspec.Struct, frozen=True):
    """Letters of one line to be replaced."""

    file: str
    """The file."""
    line: int
    """The line, from 1."""
    column: int
    """The first letter to go, from 1."""
    length: int
    """How many letters go."""
    text: str
    """What comes instead."""


class Refused(msgspec.Struct, frozen=True):
    """Why nothing was changed."""

    message: str
    """The reason, in one plain sentence."""


def renamable(names: Names, file: str, line: int, column: int) -> Mention | None:
    """What stands here, if it can be given another name."""
    here = names.at(file, line, column)
    if here is None or not here.name or here.kind not in ("label", "variable"):
        return None
    return here


def rename(
    names: Names, file: str, line: int, column: int, new: str
) -> tuple[Edit, ...] | Refused:
    """The edits, in all files, that give what stands here another name."""
    here = renamable(names, file, line, column)
    if here is None:
        return Refused("only labels and variables can be renamed")
    everywhere = names.of(here.kind, here.name)
    new = new.strip()
    why = _unfit(names, here, new) or _unseen(everywhere)
    if why:
        return Refused(why)
    edits = tuple(
        each for m in everywhere if (each := _edit(names, m, new)) is not None
    )
    if here.kind == "label" and not _reads(names, everywhere, edits, new):
        return Refused(f"{quoted(new)} would be read as something else")
    return edits


def applied(text: str, edits: Iterable[Edit]) -> str:
    """A text with edits of its own applied; lines end in a plain line feed."""
    lines = lines_of(text)
    for edit in sorted(edits, key=lambda e: (e.line, e.column), reverse=True):
        line, at = lines[edit.line - 1], edit.column - 1
        lines[edit.line - 1] = line[:at] + edit.text + line[at + edit.length :]
    return "\n".join(lines)


def _unfit(names: Names, here: Mention, new: str) -> str:
    """Why nothing can be called this; empty if something can."""
    if not new:
        return "the new name is empty"
    if len(new) > LONGEST or not new.isprintable():
        return f"{quoted(new)} cannot be a name"
    if here.kind == "variable":
        return _unfit_variable(names, here, new)
    if not slug(new):
        return f"{quoted(new)} has no letter or number to link to"
    aliases = names.story.program.aliases
    for spelling in (new, slug(new)):
        key = aliases.get(spelling, here.name)
        if key != here.name:
            return f"{quoted(new)} is the name of another label already"
    return ""


def _unfit_variable(names: Names, here: Mention, new: str) -> str:
    try:
        read = parse_expression(new).names
    except ExpressionProblem:
        read = ()
    if [new] != [each.name for each in read]:
        return f"{quoted(new)} cannot be the name of a variable"
    if new != here.name and names.of("variable", new):
        return f"{quoted(new)} is the name of another variable already"
    return ""


def _unseen(everywhere: Sequence[Mention]) -> str:
    for each in everywhere:
        if not each.column:
            return (
                f"{each.written!r} in line {each.line} of {each.file} is not in sight"
            )
    return ""


_AS_CHOICE = re.compile(r'choice[ \t]*+=[ \t]*+"?\Z')


def _edit(names: Names, mention: Mention, new: str) -> Edit | None:
    raw = names.line(mention.file, mention.line)
    before, after = raw[: mention.column - 1], raw[mention.column - 1 :]
    after = after[len(mention.written) :]
    place = (mention.file, mention.line)
    if _AS_CHOICE.search(before):
        # The text of a [BRANCH] is its label; people go on reading it as it is.
        quote = after.startswith('"')
        at = mention.column + len(mention.written) + quote
        return Edit(*place, at, 0, f" label={slug(new)}")
    text = new if mention.kind == "variable" else _spelled(mention, before, new)
    return Edit(*place, mention.column, len(mention.written), text)


def _spelled(mention: Mention, before: str, new: str) -> str:
    """The new name as it is written in this place."""
    if mention.role == "made":
        return new
    file, mark, name = mention.written.rpartition("#")
    # A link has no blanks, and a route's name neither; a slug was a slug before.
    bare = before.endswith(("#", "@")) or name == slug(name)
    return file + mark + (slug(new) if bare else new)


def _reads(
    names: Names, everywhere: Sequence[Mention], edits: Sequence[Edit], new: str
) -> bool:
    """Whether the edited files have the same labels and jumps, but for the name."""
    for scene in names.story.scenes:
        own = [edit for edit in edits if edit.file == scene.file]
        if not own:
            continue
        made = {m.line for m in everywhere if m.file == scene.file and m.role == "made"}
        before = read_scene(scene.text, scene.file)
        after = read_scene(applied(scene.text, own), scene.file)
        expected = [(n, new if n in made else name) for n, name in _labels(before)]
        if expected != _labels(after) or not _same_jumps(before, after, new):
            return False
    return True


def _labels(scene: Scene) -> list[tuple[int, str]]:
    return [(label.line, label.name) for label in labels(scene.block)]


def _same_jumps(before: Scene, after: Scene, new: str) -> bool:
    old, now = tuple(targets(before.block)), tuple(targets(after.block))
    return len(old) == len(now) and all(
        a.line == b.line and b.label in (a.label, new, slug(new))
        for a, b in zip(old, now, strict=True)
    )
