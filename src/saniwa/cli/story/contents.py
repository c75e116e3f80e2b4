"""`saniwa graph` and `saniwa story`: draw a story, measure it, manage translations."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from saniwa.cli import render
from saniwa.cli.options import define_command
from saniwa.core.errors import ScriptError
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.core.path_checks import does_path_exist

if TYPE_CHECKING:
    from saniwa.story.tools.overview import StoryStatistics, TextSize
    from saniwa.story.tools.translation_table import TranslationTable


@define_command("graph")
def graph(*, file: str, form: render.GraphFormat = "mermaid", output: str | None) -> None:
    """Draw the sections of FILE and the choices that lead from one to the other.

    Calls are dashed, endings are round, and links that lead nowhere are red. A story
    with mistakes is drawn as far as it was read; `saniwa check` tells them.
    """
    from saniwa.story.story import read_story
    from saniwa.story.tools.overview import build_graph

    story = read_story(file)
    render.write_graph(build_graph(story.program, story.title), form, output)


_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")


@define_command("story stats")
def stats(file: str, as_json: bool) -> None:
    """Count words, lines and choices, and tell how long it takes to read.

    Chinese characters and kana count letter by letter, everything else in words. People
    read 200 words or 500 Japanese letters a minute. All text counts, also what a reader
    sees only on some routes.

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
    counts = {"line": size.lines, "word": size.words, "Japanese letter": size.letters}
    if not size.letters:
        del counts["Japanese letter"]
    elif not size.words:
        del counts["word"]
    counts["character"] = size.characters
    return ", ".join(render.format_count(number, word) for word, number in counts.items())


def _join_names(names: tuple[str, ...]) -> str:
    return f"{len(names)}: {', '.join(names)}" if names else "0"


@define_command("story strings")
def strings(file: str, language: str, output: str | None, check: bool, as_json: bool) -> None:
    """Write a table for translators, or bring theirs up to date.

    One row a line or option, by its id. What is translated stays translated: a text that
    changed is noted, a text that is gone moves to the end.

    \b
    Examples:
      saniwa story strings story.md --language ja
      saniwa story strings story.md --language ja --check
    """
    from saniwa.story.story import read_story
    from saniwa.story.tools.translation import merge_translations, translate_story
    from saniwa.story.tools.translation_table import TranslationTable, decode_table

    if not _LANGUAGE_TAG.fullmatch(language):
        message = f"{language!r} is no language tag; write one such as de, ja or pt-BR."
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
    from saniwa.story.tools.translation_table import check_link, read_table_bytes

    check_link(out)
    return read_table_bytes(out) if does_path_exist(Path(out)) else None


def _write_table(out: str, table: "TranslationTable", before: bytes | None) -> None:
    """Write the table, unless another process has changed the file since it was read.

    Raises:
        ScriptError: `TRANSLATIONS_UNREADABLE`; nothing has been written.
    """
    from saniwa.story.tools.parent_stories import FileChangedError, replace_file
    from saniwa.story.tools.translation_table import encode_table

    try:
        replace_file(out, encode_table(table), unless=lambda: _read_table(out) != before)
    except FileChangedError as problem:
        raise ScriptError(
            "TRANSLATIONS_UNREADABLE",
            "the translations were changed while they were read; nothing was written",
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
    widest = (max(map(len, places)), max(map(render.measure_width, ids)))
    label = click.style("warning", fg="yellow", bold=True)
    click.echo(f"{label}[TRANSLATION_MISSING]: not translated yet:")
    for place, id, each in zip(places, ids, findings, strict=True):
        text = " ".join(str(each.details["text"]).split("\n"))
        row = id + " " * (widest[1] - render.measure_width(id))
        render.show_text(f"  {place:<{widest[0]}}  {row}  {text}")
    click.echo()
