"""Giving a label or a variable another name, in every place that names it.

All places or none: where one cannot be found letter for letter, or the new name would be
read otherwise, nothing is changed and the reason is told.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from saniwa.core.findings import Finding
from saniwa.core.text import quote_value
from saniwa.story.expression_parser import ExpressionSyntaxError
from saniwa.story.expressions import parse_expression
from saniwa.story.format import StoryScene, list_labels, list_targets
from saniwa.story.links import make_slug
from saniwa.story.parser.markdown import parse_scene
from saniwa.story.story import Story
from saniwa.story.tools.edits import split_lines
from saniwa.story.tools.mentions import MentionIndex, StoryMention

LONGEST = 200
"""Letters a new name may have."""


class TextEdit(msgspec.Struct, frozen=True):
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


class RenameRefusal(msgspec.Struct, frozen=True):
    """Why nothing was changed."""

    message: str
    """The reason, in one plain sentence."""


def find_renamable(
    names: MentionIndex, file: str, line: int, column: int
) -> StoryMention | None:
    """What stands here, if it can be given another name."""
    here = names.find_at(file, line, column)
    if here is None or not here.name or here.kind not in ("label", "variable"):
        return None
    return here


def rename_mention(
    names: MentionIndex, file: str, line: int, column: int, new: str
) -> tuple[TextEdit, ...] | RenameRefusal:
    """The edits, in all files, that give what stands here another name."""
    here = find_renamable(names, file, line, column)
    if here is None:
        return RenameRefusal("only labels and variables can be renamed")
    everywhere = names.list_mentions(here.kind, here.name)
    new = new.strip()
    why = _explain_unfit(names, here, new) or _explain_unseen(everywhere)
    if why:
        return RenameRefusal(why)
    edits = tuple(
        each for m in everywhere if (each := _make_edit(names, m, new)) is not None
    )
    if here.kind == "label" and not _is_read_alike(names, everywhere, edits, new):
        return RenameRefusal(f"{quote_value(new)} would be read as something else")
    return edits


def apply_text_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """A text with edits of its own applied; lines end in a plain line feed."""
    lines = split_lines(text)
    for edit in sorted(edits, key=lambda e: (e.line, e.column), reverse=True):
        line, at = lines[edit.line - 1], edit.column - 1
        lines[edit.line - 1] = line[:at] + edit.text + line[at + edit.length :]
    return "\n".join(lines)


def _explain_unfit(names: MentionIndex, here: StoryMention, new: str) -> str:
    """Why nothing can be called this; empty if something can."""
    if not new:
        return "the new name is empty"
    if len(new) > LONGEST or not new.isprintable():
        return f"{quote_value(new)} cannot be a name"
    if here.kind == "variable":
        return _explain_unfit_variable(names, here, new)
    if not make_slug(new):
        return f"{quote_value(new)} has no letter or number to link to"
    aliases = names.story.program.aliases
    for spelling in (new, make_slug(new)):
        key = aliases.get(spelling, here.name)
        if key != here.name:
            return f"{quote_value(new)} is the name of another label already"
    return ""


def _explain_unfit_variable(names: MentionIndex, here: StoryMention, new: str) -> str:
    try:
        read = parse_expression(new).names
    except ExpressionSyntaxError:
        read = ()
    if [new] != [each.name for each in read]:
        return f"{quote_value(new)} cannot be the name of a variable"
    if new != here.name and names.list_mentions("variable", new):
        return f"{quote_value(new)} is the name of another variable already"
    return ""


def _explain_unseen(everywhere: Sequence[StoryMention]) -> str:
    for each in everywhere:
        if not each.column:
            return (
                f"{each.written!r} in line {each.line} of {each.file} is not in sight"
            )
    return ""


_AS_CHOICE = re.compile(r'choice[ \t]*+=[ \t]*+"?\Z')


def _make_edit(names: MentionIndex, mention: StoryMention, new: str) -> TextEdit | None:
    raw = names.get_line(mention.file, mention.line)
    before, after = raw[: mention.column - 1], raw[mention.column - 1 :]
    after = after[len(mention.written) :]
    place = (mention.file, mention.line)
    if _AS_CHOICE.search(before):
        # The text of a [BRANCH] is its label; people go on reading it as it is.
        quote = after.startswith('"')
        at = mention.column + len(mention.written) + quote
        return TextEdit(*place, at, 0, f" label={make_slug(new)}")
    text = new if mention.kind == "variable" else _spell_name(mention, before, new)
    return TextEdit(*place, mention.column, len(mention.written), text)


def _spell_name(mention: StoryMention, before: str, new: str) -> str:
    """The new name as it is written in this place."""
    if mention.role == "made":
        return new
    file, mark, name = mention.written.rpartition("#")
    # A link has no blanks, and a route's name neither; a slug was a slug before.
    bare = before.endswith(("#", "@")) or name == make_slug(name)
    return file + mark + (make_slug(new) if bare else new)


def _is_read_alike(
    names: MentionIndex,
    everywhere: Sequence[StoryMention],
    edits: Sequence[TextEdit],
    new: str,
) -> bool:
    """Whether the edited files have the same labels and jumps, but for the name."""
    for scene in names.story.scenes:
        own = [edit for edit in edits if edit.file == scene.file]
        if not own:
            continue
        made = {m.line for m in everywhere if m.file == scene.file and m.role == "made"}
        before = parse_scene(scene.text, scene.file)
        after = parse_scene(apply_text_edits(scene.text, own), scene.file)
        expected = [(n, new if n in made else name) for n, name in _list_labels(before)]
        if expected != _list_labels(after) or not _has_same_jumps(before, after, new):
            return False
    return True


def _list_labels(scene: StoryScene) -> list[tuple[int, str]]:
    return [(label.line, label.name) for label in list_labels(scene.block)]


def _has_same_jumps(before: StoryScene, after: StoryScene, new: str) -> bool:
    old, now = tuple(list_targets(before.block)), tuple(list_targets(after.block))
    return len(old) == len(now) and all(
        a.line == b.line and b.label in (a.label, new, make_slug(new))
        for a, b in zip(old, now, strict=True)
    )


class QuickFix(msgspec.Struct, frozen=True):
    """One cure."""

    title: str
    """What it does, in a few words."""
    finding: Finding
    """What it cures."""
    edit: TextEdit
    """The change."""


def list_quick_fixes(
    story: Story, file: str, first: int, last: int
) -> Iterator[QuickFix]:
    """The cures for what was found between two lines of a file."""
    for finding in story.report.findings:
        where = finding.where
        if where.file != file or not first <= where.line <= last:
            continue
        rewrite = finding.details.get("rewrite")
        if isinstance(rewrite, dict):
            edit = TextEdit(
                file,
                rewrite["line"],
                rewrite["column"],
                rewrite["length"],
                rewrite["text"],
            )
            yield QuickFix(f"write {quote_value(edit.text)}", finding, edit)


def has_old_notation(story: Story, file: str, first: int, last: int) -> bool:
    """Whether old notation, which `saniwa fmt` rewrites, is told of in these lines."""
    return any(
        found.code == "OLD_NOTATION"
        and found.where.file == file
        and first <= found.where.line <= last
        for found in story.report.findings
    )
