"""`saniwa fmt`: rewrite stories in the current notation."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from saniwa.cli.options import define_command
from saniwa.cli.render import exit_passed, format_count, show_text
from saniwa.core.path_checks import is_folder
from saniwa.core.text import escape_control_characters

if TYPE_CHECKING:
    from saniwa.story.elements import StoryScene


_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class _Rewrite(NamedTuple):
    """A story file before and after rewriting.

    `marked` is whether the file begins with a byte order mark.
    """

    file: str
    before: str
    after: str
    changes: int
    marked: bool

    @property
    def is_changed(self) -> bool:
        return self.before != self.after


@define_command("fmt")
def fmt(files: tuple[str, ...], check: bool, diff: bool, ids: bool, stdout: bool) -> None:
    """Rewrite old notation; the story plays as before.

    Only lines that need it are touched. Every change is read back, and one that would
    alter the play is not made. A folder stands for every *.md in it.

    \b
    Examples:
      saniwa fmt story.md
      saniwa fmt stories --check
      saniwa fmt story.md --ids --diff
    """
    if stdout and (check or diff or len(files) > 1):
        raise click.UsageError("--stdout takes one file, and no --check or --diff.")
    done = list(_rewrite_files(_find_files(files), ids=ids))
    if stdout:
        click.echo("".join(each.after for each in done), nl=False)
        return
    for each in done:
        _report_rewrite(each, wrote=not (check or diff), diff=diff)
    changed = any(each.is_changed for each in done)
    exit_passed(not (check and changed))


def _find_files(named: Sequence[str]) -> Iterator[str]:
    for name in named:
        path = Path(name)
        if path.suffix.lower() in (".json", ".yaml", ".yml"):
            raise click.UsageError(f"{name!r} is no story; stories are Markdown.")
        if is_folder(path):
            yield from (str(p) for p in sorted(path.glob("[!.]*.md")) if p.is_file())
        else:
            yield name


def _rewrite_files(files: Iterable[str], *, ids: bool) -> Iterator[_Rewrite]:
    """Rewrite the files in order; each sees the new texts of the files before it."""
    made: dict[str, str] = {}
    for file in files:
        each = _rewrite_file(file, made, ids=ids)
        made[_make_absolute(file)] = each.after
        yield each


def _rewrite_file(file: str, made: Mapping[str, str], *, ids: bool) -> _Rewrite:
    from saniwa.story.story import read_story
    from saniwa.story.tools.rewriter import rewrite_story

    # Reading the story reports an unreadable file, and also reads the linked files.
    scene, *others = read_story(file).scenes
    if ids:
        others = list(_find_other_scenes(_make_absolute(file), scene.text, made))
    marked = Path(file).read_bytes().startswith(_BYTE_ORDER_MARK)
    new = rewrite_story(scene.text, scene.file, others, ids=ids)
    return _Rewrite(file, scene.text, new.text, new.changes, marked)


def _make_absolute(file: str) -> str:
    # Not resolved: a symbolic link is read, and named, by its own path.
    return os.path.normpath(Path(file).absolute())


def _find_other_scenes(file: str, text: str, made: Mapping[str, str]) -> Iterator["StoryScene"]:
    """Yield the other files of all stories that include a file.

    Their ids are needed so that no new id repeats one of them.
    """
    from saniwa.story.story import read_story_text
    from saniwa.story.tools.parent_stories import find_parent_stories

    known = {file}
    for story in (read_story_text(text, file, made), *find_parent_stories(file, made)):
        for scene in story.scenes:
            if scene.file not in known:
                known.add(scene.file)
                yield scene


def _report_rewrite(each: _Rewrite, *, wrote: bool, diff: bool) -> None:
    from saniwa.story.tools.parent_stories import replace_file

    name = escape_control_characters(each.file)
    if diff:
        _show_diff(each)
        return
    if not each.is_changed:
        click.echo(f"{name}: nothing to rewrite")
        return
    if wrote:
        content = each.after.encode("utf-8")
        replace_file(each.file, _BYTE_ORDER_MARK + content if each.marked else content)
    number = format_count(each.changes, "change")
    click.echo(f"{name}: {number}" if wrote else f"{name}: {number} to make")


def _show_diff(each: _Rewrite) -> None:
    before, after = (text.replace("\r\n", "\n").split("\n") for text in (each.before, each.after))
    for line in unified_diff(before, after, each.file, each.file, lineterm=""):
        colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1])
        show_text(line, fg=colour)
