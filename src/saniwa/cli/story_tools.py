"""Stories: begun, listed, and their text counted, drawn, translated and rewritten.

The commands `saniwa graph`, `story new`, `story list`, `story stats`, `story strings` and
`fmt`.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Literal, NamedTuple

import click
import msgspec

from saniwa.cli import render
from saniwa.cli.command_definition import StoryPath, define_command
from saniwa.cli.render import exit_passed, format_count, show_text
from saniwa.core.errors import ScriptError
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.core.path_checks import does_path_exist, is_folder
from saniwa.core.redaction import to_public_path
from saniwa.core.text import escape_control_characters, measure_width

if TYPE_CHECKING:
    from saniwa.story.elements import StoryScene
    from saniwa.story.tools.overview import StoryStatistics, TextSize
    from saniwa.story.tools.translation import TranslationTable


@define_command("graph")
def graph(*, file: StoryPath, form: render.GraphFormat = "mermaid", output: str | None) -> None:
    """Draw the sections of FILE and the choices that lead from one to the other.

    Calls are dashed, endings are round, and broken links are red. A story with errors is
    drawn as far as it could be read; `saniwa check` lists the errors.
    """
    from saniwa.story.story import read_story
    from saniwa.story.tools.overview import build_graph

    story = read_story(file)
    render.write_graph(build_graph(story.program, story.title), form, output)


_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")
_WORD_BREAKS = re.compile(r"[-_]+")


@define_command("story new")
def new(*, file: StoryPath, language: Literal["en", "ja"] = "en", as_json: bool) -> None:
    """Create a small story to start from, with two choices, a variable and comments.

    An existing file is never overwritten.

    \b
    Examples:
      saniwa story new lamp.md
      saniwa story new 渡し舟.md --language ja
    """
    from saniwa.app.authored_file_content import make_exists_error
    from saniwa.app.story_files import render_first_text
    from saniwa.scenario.scaffold import create_file
    from saniwa.story.link_parser import make_slug

    path = Path(file)
    if path.suffix != ".md":
        raise click.UsageError(f"{file!r} must end in .md, because a story is a Markdown file.")
    title = _WORD_BREAKS.sub(" ", path.stem)
    text = render_first_text(
        make_slug(path.stem) or "story", title[:1].upper() + title[1:], language
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        create_file(path, text.encode())
    except FileExistsError as problem:
        raise make_exists_error("file", file) from problem
    lines = (f"wrote {file}", f"check it: saniwa check {quote(file)}")
    render.print_result(as_json, {"file": file}, (*lines, f"play it: saniwa play {quote(file)}"))


@define_command("story list")
def list_stories(stories: str | None, as_json: bool) -> None:
    """List the stories that can be played by name: your own, and those of Saniwa."""
    from saniwa.app.story_library import PROJECT_STORIES, StoryLibrary

    library = StoryLibrary.from_folder(Path(stories or PROJECT_STORIES))
    places = [library.find(each) for each in library.list_ids()]
    if as_json:
        rows = (
            {
                "id": each.id,
                "title": each.title,
                "languages": each.languages,
                "shipped": each.shipped,
                "file": None if each.shipped else to_public_path(str(each.path)),
            }
            for each in places
        )
        render.print_json({"stories": list(rows)})
        return
    for place in places:
        languages = ", ".join(place.languages)
        name = click.style(f"{place.id:<20}", bold=True)
        title = escape_control_characters(place.title)
        click.echo(f"{name} {title}{f' ({languages})' if languages else ''}")


@define_command("story stats")
def stats(file: StoryPath, as_json: bool) -> None:
    """Count words, lines and choices, and estimate the reading time.

    Kanji and kana are counted as characters, all other text as words. The estimate
    assumes 200 words or 500 Japanese characters a minute. All text counts, including
    text that only some routes show.

    \b
    Example:
      saniwa story stats story.md
    """
    from saniwa.story.story import read_story
    from saniwa.story.tools.overview import measure_story as counted

    read = read_story(file)
    found = counted(read.program)
    if as_json:
        more = {"reading_seconds": found.size.seconds}
        render.print_json({"file": file, "title": read.title, **msgspec.to_builtins(found), **more})
        return
    render.show_text(read.title, bold=True)
    for label, text in _format_stats(found):
        render.show_text(f"  {label:<10} {text}")
    for part in found.speakers:
        render.show_text(f"  {part.name or '(narrator)'}: {_format_size(part.size)}")


def _format_stats(found: "StoryStatistics") -> list[tuple[str, str]]:
    longest = found.longest
    minutes, seconds = divmod(found.size.seconds, 60)
    rows = [
        ("text", _format_size(found.size)),
        ("reading", f"{minutes} min {seconds:02} s"),
        ("sections", str(found.sections)),
        ("choices", f"{found.choices} with {found.options} options"),
        ("endings", _join_names(found.endings)),
        ("variables", _join_names(found.variables)),
    ]
    if longest is not None:
        name = longest.name or "the beginning"
        rows.append(("longest", f"{name} ({_format_size(longest.size)})"))
    return rows


def _format_size(size: "TextSize") -> str:
    counts = {"line": size.lines, "word": size.words, "Japanese character": size.letters}
    if not size.letters:
        del counts["Japanese character"]
    elif not size.words:
        del counts["word"]
    counts["character"] = size.characters
    return ", ".join(render.format_count(number, word) for word, number in counts.items())


def _join_names(names: tuple[str, ...]) -> str:
    return f"{len(names)}: {', '.join(names)}" if names else "0"


@define_command("story strings")
def strings(file: StoryPath, language: str, output: str | None, check: bool, as_json: bool) -> None:
    """Write or update a translation table.

    The table has one row for each line and option, by its id. Existing translations are
    kept: changed texts are marked, removed texts move to the end.

    \b
    Examples:
      saniwa story strings story.md --language ja
      saniwa story strings story.md --language ja --check
    """
    from saniwa.story.story import read_story
    from saniwa.story.tools.translation import (
        TranslationTable,
        decode_table,
        merge_translations,
        translate_story,
    )

    if not _LANGUAGE_TAG.fullmatch(language):
        message = f"{language!r} is not a language tag, such as de, ja or pt-BR."
        raise click.BadParameter(message, param_hint="--language")
    read = read_story(file)
    out = output or str(Path(file).with_suffix(f".{language}.csv"))
    content = _read_table(out)
    table = TranslationTable(file=out) if content is None else decode_table(content, out)
    new = merge_translations(read.program, table, read.scenes[0].title)
    before = msgspec.structs.replace(read, report=Report())
    findings = translate_story(before, new).report.findings
    if not check:
        _write_table(out, new, content)
    counts = _count_status(new)
    if as_json:
        documents = [found.to_document() for found in findings]
        about = {"ok": not findings, "file": out, "language": language}
        render.print_json({**about, **counts, "findings": documents})
    else:
        _show_strings(findings if check else ())
        state = ", ".join(f"{counts[name]} {name}" for name in ("missing", "changed", "gone"))
        render.show_text(f"{out}: {render.format_count(counts['texts'], 'text')}, {state}")
    render.exit_passed(not (check and findings))


def _read_table(out: str) -> bytes | None:
    """Read a table's file; None if it does not exist."""
    from saniwa.story.tools.translation import check_link, read_table_bytes

    check_link(out)
    return read_table_bytes(out) if does_path_exist(Path(out)) else None


def _write_table(out: str, table: "TranslationTable", before: bytes | None) -> None:
    """Write the table, unless another process has changed the file since it was read.

    Raises:
        ScriptError: `TRANSLATIONS_UNREADABLE`; nothing has been written.
    """
    from saniwa.core.atomic_files import FileChangedError, replace_file
    from saniwa.story.tools.translation import encode_table

    try:
        replace_file(out, encode_table(table), unless=lambda: _read_table(out) != before)
    except FileChangedError as problem:
        raise ScriptError(
            "TRANSLATIONS_UNREADABLE",
            "another process changed the translations at the same time; nothing was written",
            where=SourceLocation(file=out),
            hint="run it again",
        ) from problem


def _count_status(table: "TranslationTable") -> dict[str, int]:
    """Count the texts of a translation by status."""
    from saniwa.story.tools.translation import classify_row

    found = [classify_row(row) for row in table.rows]
    counts = {name: found.count(name) for name in ("missing", "changed", "gone")}
    return {"texts": len(found) - counts["gone"], **counts}


def _show_strings(findings: tuple[Finding, ...]) -> None:
    missing = [f for f in findings if f.code == "TRANSLATION_MISSING"]
    mistakes = [f for f in findings if f.code != "TRANSLATION_MISSING"]
    for found in sorted(mistakes, key=lambda each: each.severity != "error"):
        render.show_finding(found, render.read_source_text(found.where.file))
        click.echo()
    _show_missing(missing)


def _show_missing(findings: list[Finding]) -> None:
    """Print one line per missing text: its location, its id, and the full text."""
    if not findings:
        return
    places = [str(each.where) for each in findings]
    ids = [str(each.details["id"]) for each in findings]
    widest = (max(map(len, places)), max(map(measure_width, ids)))
    label = click.style("warning", fg="yellow", bold=True)
    click.echo(f"{label}[TRANSLATION_MISSING]: not translated yet:")
    for place, id, each in zip(places, ids, findings, strict=True):
        text = " ".join(str(each.details["text"]).split("\n"))
        row = id + " " * (widest[1] - measure_width(id))
        render.show_text(f"  {place:<{widest[0]}}  {row}  {text}")
    click.echo()


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
def fmt(files: tuple[StoryPath, ...], check: bool, diff: bool, ids: bool, stdout: bool) -> None:
    """Rewrite outdated notation without changing how the story plays.

    Changes only the lines that need it. Every change is verified; one that would alter
    the story is not made. For a folder, rewrites every *.md file in it.

    \b
    Examples:
      saniwa fmt story.md
      saniwa fmt stories --check
      saniwa fmt story.md --ids --diff
    """
    if stdout and (check or diff or len(files) > 1):
        raise click.UsageError("--stdout takes one file and excludes --check and --diff.")
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
    from saniwa.story.tools.notation_update import update_notation

    # Reading the story reports an unreadable file, and also reads the linked files.
    scene, *others = read_story(file).scenes
    if ids:
        others = list(_find_other_scenes(_make_absolute(file), scene.text, made))
    marked = Path(file).read_bytes().startswith(_BYTE_ORDER_MARK)
    new = update_notation(scene.text, scene.file, others, ids=ids)
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
    from saniwa.core.atomic_files import replace_file

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
