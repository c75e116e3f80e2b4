"""Rename a label or a variable in every place that names it; list quick fixes.

All places or none: if one cannot be located exactly, or the new name would be read
differently, nothing is changed and the reason is given.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from saniwa.core.findings import Finding
from saniwa.core.text import quote_value
from saniwa.story.elements import StoryScene, list_labels, list_targets, split_lines
from saniwa.story.expression_parser import parse_expression
from saniwa.story.finding_collector import NotationError
from saniwa.story.link_parser import make_slug
from saniwa.story.parser.markdown import parse_scene
from saniwa.story.story import Story
from saniwa.story.tools.mention_index import MentionIndex, StoryMention

LONGEST = 200
"""The most characters of a new name."""


class TextEdit(msgspec.Struct, frozen=True):
    """A replacement of characters in one line."""

    file: str
    """The file."""
    line: int
    """The line, from 1."""
    column: int
    """The first character replaced, from 1."""
    length: int
    """How many characters are replaced."""
    text: str
    """The new text."""


class RenameRefusal(msgspec.Struct, frozen=True):
    """Why a rename was refused."""

    message: str
    """The reason, in one sentence."""


def find_renamable(names: MentionIndex, file: str, line: int, column: int) -> StoryMention | None:
    """Return the mention under the cursor if it can be renamed."""
    here = names.find_at(file, line, column)
    if here is None or not here.name or here.kind not in ("label", "variable"):
        return None
    return here


def rename_mention(
    names: MentionIndex, file: str, line: int, column: int, new: str
) -> tuple[TextEdit, ...] | RenameRefusal:
    """Return the edits, in all files, that rename what is under the cursor."""
    here = find_renamable(names, file, line, column)
    if here is None:
        return RenameRefusal("only labels and variables can be renamed")
    everywhere = names.list_mentions(here.kind, here.name)
    new = new.strip()
    why = _explain_unfit(names, here, new) or _explain_unseen(everywhere)
    if why:
        return RenameRefusal(why)
    edits = tuple(each for m in everywhere if (each := _make_edit(names, m, new)) is not None)
    if here.kind == "label" and not _is_read_alike(names, everywhere, edits, new):
        return RenameRefusal(f"{quote_value(new)} would be read as something else")
    return edits


def apply_text_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """Apply edits to a text; its line ends become line feeds."""
    lines = split_lines(text)
    for edit in sorted(edits, key=lambda e: (e.line, e.column), reverse=True):
        line, at = lines[edit.line - 1], edit.column - 1
        lines[edit.line - 1] = line[:at] + edit.text + line[at + edit.length :]
    return "\n".join(lines)


def _explain_unfit(names: MentionIndex, here: StoryMention, new: str) -> str:
    """Explain why the new name is not allowed; empty if it is."""
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
            return f"{quote_value(new)} is already the name of another label"
    return ""


def _explain_unfit_variable(names: MentionIndex, here: StoryMention, new: str) -> str:
    try:
        read = parse_expression(new).names
    except NotationError:
        read = ()
    if [new] != [each.name for each in read]:
        return f"{quote_value(new)} cannot be the name of a variable"
    if new != here.name and names.list_mentions("variable", new):
        return f"{quote_value(new)} is already the name of another variable"
    return ""


def _explain_unseen(everywhere: Sequence[StoryMention]) -> str:
    for each in everywhere:
        if not each.column:
            return f"{each.written!r} in line {each.line} of {each.file} is not in sight"
    return ""


_AS_CHOICE = re.compile(r'choice[ \t]*+=[ \t]*+"?\Z')


def _make_edit(names: MentionIndex, mention: StoryMention, new: str) -> TextEdit | None:
    raw = names.get_line(mention.file, mention.line)
    before, after = raw[: mention.column - 1], raw[mention.column - 1 :]
    after = after[len(mention.written) :]
    place = (mention.file, mention.line)
    if _AS_CHOICE.search(before):
        # The text of a [BRANCH] option is its label; players must read it unchanged.
        quote = after.startswith('"')
        at = mention.column + len(mention.written) + quote
        return TextEdit(*place, at, 0, f" label={make_slug(new)}")
    text = new if mention.kind == "variable" else _spell_name(mention, before, new)
    return TextEdit(*place, mention.column, len(mention.written), text)


def _spell_name(mention: StoryMention, before: str, new: str) -> str:
    """Return the new name as it is written in this place."""
    if mention.role == "made":
        return new
    file, mark, name = mention.written.rpartition("#")
    # A link and a route's name have no spaces; a slug stays a slug.
    bare = before.endswith(("#", "@")) or name == make_slug(name)
    return file + mark + (make_slug(new) if bare else new)


def _is_read_alike(
    names: MentionIndex, everywhere: Sequence[StoryMention], edits: Sequence[TextEdit], new: str
) -> bool:
    """Whether the edited files have the same labels and jumps, except for the name."""
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
    """A quick fix."""

    title: str
    """A short description."""
    finding: Finding
    """The finding it corrects."""
    edit: TextEdit
    """The edit."""


def list_quick_fixes(story: Story, file: str, first: int, last: int) -> Iterator[QuickFix]:
    """Yield quick fixes for the findings between two lines of a file."""
    for finding in _list_findings(story, file, first, last):
        rewrite = finding.details.get("rewrite")
        if isinstance(rewrite, dict):
            edit = TextEdit(file, **rewrite)
            yield QuickFix(f"write {quote_value(edit.text)}", finding, edit)


def has_old_notation(story: Story, file: str, first: int, last: int) -> bool:
    """Whether a finding in these lines is about old notation for `saniwa fmt`."""
    found = _list_findings(story, file, first, last)
    return any(finding.code == "OLD_NOTATION" for finding in found)


def _list_findings(story: Story, file: str, first: int, last: int) -> list[Finding]:
    found = [each for each in story.report.findings if each.where.file == file]
    return [each for each in found if first <= each.where.line <= last]
