"""`saniwa story`: what a story holds, and its words in other languages."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import msgspec

from saniwa.cli.options import json_option
from saniwa.cli.render import FINDINGS, FINE, answer, show_finding, text_of, width
from saniwa.cli.tally import counted
from saniwa.core.errors import ScriptError
from saniwa.core.finding import Finding, Report
from saniwa.core.quoted import printable
from saniwa.core.there import is_there
from saniwa.core.where import Where

if TYPE_CHECKING:
    from saniwa.script.desk.stats import Size, Stats
    from saniwa.script.desk.translating.strings import Table

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")


@click.group(
    epilog="""\b
Examples:
  saniwa story stats story.md
  saniwa story strings story.md --language ja
"""
)
def story() -> None:
    """Count a story's words, and keep its translations."""


@story.command()
@click.argument("file", metavar="FILE")
@json_option
def stats(file: str, as_json: bool) -> None:
    """Count words, lines and choices, and tell how long it takes to read.

    Chinese characters and kana count letter by letter, everything else in words. People
    read 200 words or 500 Japanese letters a minute. All text counts, also what a reader
    sees only on some routes.

    \b
    Example:
      saniwa story stats story.md
    """
    from saniwa.script.desk.stats import stats as counted
    from saniwa.script.story import read_story

    read = read_story(file)
    found = counted(read.program)
    if as_json:
        answer(_stats_json(file, read.title, found))
        return
    click.echo(click.style(printable(read.title), bold=True))
    for label, told in _told(found):
        click.echo(f"  {label:<10} {printable(told)}")
    for part in found.speakers:
        name = part.name or "(narrator)"
        click.echo(f"  {printable(name)}: {_amount(part.size)}")


def _stats_json(file: str, title: str, found: "Stats") -> dict[str, Any]:
    document: dict[str, Any] = msgspec.to_builtins(found)
    return {
        "file": file,
        "title": title,
        **document,
        "reading_seconds": found.size.seconds,
    }


def _told(found: "Stats") -> list[tuple[str, str]]:
    longest = found.longest
    told = [
        ("text", _amount(found.size)),
        ("reading", _time(found.size.seconds)),
        ("sections", str(found.sections)),
        ("choices", f"{found.choices} with {found.options} options"),
        ("endings", _named(found.endings)),
        ("variables", _named(found.variables)),
    ]
    if longest is not None:
        name = longest.name or "the beginning"
        told.append(("longest", f"{name} ({_amount(longest.size)})"))
    return told


def _amount(size: "Size") -> str:
    parts = [counted(size.lines, "line")]
    if size.words or not size.letters:
        parts.append(counted(size.words, "word"))
    if size.letters:
        parts.append(counted(size.letters, "Japanese letter"))
    parts.append(counted(size.characters, "character"))
    return ", ".join(parts)


def _time(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{minutes} min {rest:02} s"


def _named(names: tuple[str, ...]) -> str:
    return f"{len(names)}: {', '.join(names)}" if names else "0"


class _State(NamedTuple):
    """How far a translation is."""

    texts: int
    missing: int
    changed: int
    gone: int


@story.command()
@click.argument("file", metavar="FILE")
@click.option("--language", required=True, metavar="CODE", help="Such as ja or pt-BR.")
@click.option(
    "-o", "--output", metavar="OUT", help="The table (else FILE.CODE.csv beside FILE)."
)
@click.option("--check", is_flag=True, help="Write nothing; fail if work is left.")
@json_option
@click.pass_context
def strings(
    ctx: click.Context,
    file: str,
    language: str,
    output: str | None,
    check: bool,
    as_json: bool,
) -> None:
    """Write a table for translators, or bring theirs up to date.

    One row a line or option, by its id. What is translated stays translated: a text that
    changed is noted, a text that is gone moves to the end.

    \b
    Examples:
      saniwa story strings story.md --language ja
      saniwa story strings story.md --language ja --check
    """
    from saniwa.script.desk.translating.strings import (
        Table,
        merged,
        table_in,
        translated_story,
    )
    from saniwa.script.story import read_story

    if not _LANGUAGE.fullmatch(language):
        message = f"{language!r} is no language tag; write one such as de, ja or pt-BR."
        raise click.BadParameter(message, ctx, param_hint="--language")
    read = read_story(file)
    out = output or str(Path(file).with_suffix(f".{language}.csv"))
    content = _content(out)
    table = Table(file=out) if content is None else table_in(content, out)
    new = merged(read.program, table, read.scenes[0].title)
    before = msgspec.structs.replace(read, report=Report())
    findings = translated_story(before, new).report.findings
    if not check:
        _keep(out, new, content)
    if as_json:
        answer(_strings_json(out, language, new, findings))
    else:
        _show_strings(out, new, findings if check else ())
    ctx.exit(FINDINGS if check and findings else FINE)


def _content(out: str) -> bytes | None:
    """What a table's file holds; None where there is no file."""
    from saniwa.script.desk.translating.strings import check_link, read_content

    check_link(out)
    return read_content(out) if is_there(Path(out)) else None


def _keep(out: str, table: "Table", before: bytes | None) -> None:
    """Write the table, unless somebody else has written there since it was read.

    Raises:
        ScriptError: `TRANSLATIONS_UNREADABLE`; then nothing was written.
    """
    from saniwa.script.desk.translating.strings import table_bytes
    from saniwa.script.desk.writing import FileChangedError, write_whole

    try:
        write_whole(out, table_bytes(table), unless=lambda: _content(out) != before)
    except FileChangedError as problem:
        raise ScriptError(
            "TRANSLATIONS_UNREADABLE",
            "the translations were changed while they were read; nothing was written",
            where=Where(file=out),
            hint="run it again",
        ) from problem


def _state(table: "Table") -> _State:
    from saniwa.script.desk.translating.strings import standing

    found = [standing(row) for row in table.rows]
    return _State(
        texts=len(found) - found.count("gone"),
        missing=found.count("missing"),
        changed=found.count("changed"),
        gone=found.count("gone"),
    )


def _strings_json(
    out: str, language: str, table: "Table", findings: tuple[Finding, ...]
) -> dict[str, Any]:
    return {
        "ok": not findings,
        "file": out,
        "language": language,
        **_state(table)._asdict(),
        "findings": [found.as_document() for found in findings],
    }


def _show_strings(out: str, table: "Table", findings: tuple[Finding, ...]) -> None:
    missing = [f for f in findings if f.code == "TRANSLATION_MISSING"]
    mistakes = [f for f in findings if f.code != "TRANSLATION_MISSING"]
    for found in sorted(mistakes, key=lambda each: each.severity != "error"):
        show_finding(found, text_of(found.where.file))
        click.echo()
    _show_missing(missing)
    state = _state(table)
    click.echo(
        f"{printable(out)}: {counted(state.texts, 'text')}, {state.missing} missing, "
        f"{state.changed} changed, {state.gone} gone"
    )


def _show_missing(findings: list[Finding]) -> None:
    """A line each: where it stands, its row, and the whole text."""
    if not findings:
        return
    places = [str(each.where) for each in findings]
    ids = [str(each.details["id"]) for each in findings]
    widest = (max(map(len, places)), max(map(width, ids)))
    label = click.style("warning", fg="yellow", bold=True)
    click.echo(f"{label}[TRANSLATION_MISSING]: not translated yet:")
    for place, id, each in zip(places, ids, findings, strict=True):
        text = " ".join(str(each.details["text"]).split("\n"))
        row = id + " " * (widest[1] - width(id))
        click.echo(printable(f"  {place:<{widest[0]}}  {row}  {text}"))
    click.echo()
