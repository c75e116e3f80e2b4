"""Terminal output shared by all commands: errors, findings, JSON, graphs, wrapped text.

Also the exit codes. Output of one group of commands is in that package's `render`.
"""

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

import click
import msgspec

from saniwa.core.errors import SaniwaError
from saniwa.core.findings import Finding, Severity
from saniwa.core.text import escape_control_characters, measure_width

if TYPE_CHECKING:
    from saniwa.core.graph import Graph
    from saniwa.documents.migration_log import MigrationChange


GraphFormat = Literal["mermaid", "svg", "json"]
"""The output formats of a graph."""


def write_graph(graph: "Graph", form: GraphFormat, output: str | None) -> None:
    """Write a graph to a file, or to standard output if `output` is None."""
    from saniwa.core.mermaid_and_svg import render_mermaid, render_svg

    match form:
        case "mermaid":
            drawn = render_mermaid(graph)
        case "svg":
            drawn = render_svg(graph)
        case "json":
            drawn = msgspec.json.encode(graph).decode() + "\n"
    if output is None:
        click.echo(drawn, nl=False)
    else:
        Path(output).write_text(drawn, encoding="utf-8")


EXIT_OK, EXIT_FINDINGS, EXIT_USAGE, EXIT_ERROR, EXIT_RETRY = 0, 1, 2, 3, 4
"""The exit codes of every command."""


def exit_with(code: int) -> NoReturn:
    """End the command with an exit code."""
    raise click.exceptions.Exit(code)


def exit_passed(passed: bool) -> NoReturn:
    """End a command that checks something: with 0, or with 1 for findings."""
    exit_with(EXIT_OK if passed else EXIT_FINDINGS)


_MAX_SOURCE_BYTES = 64 * 1024 * 1024
_MAX_QUOTED_CHARS = 160
"""Characters of a source line that are quoted at most."""
_CHARS_AFTER_COLUMN = 60
"""Characters after the reported column that are quoted of a longer line."""
_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}


def show_error(problem: SaniwaError, *, as_json: bool) -> int:
    """Print the error and return its exit code.

    As JSON it goes to standard output, as text to standard error.
    """
    if as_json:
        print_json({"ok": False, "error": problem.to_document(), "success": False})
    else:
        show_problem("error", problem)
    return EXIT_RETRY if problem.recoverable else EXIT_ERROR


def show_problem(label: str, problem: SaniwaError | Finding) -> None:
    """Print an error or a finding as text to standard error: `error[CODE]: message`."""
    text = str(problem).removeprefix(f"[{problem.code}] ")
    show_labelled(f"{label}[{problem.code}]", text, fg=_COLOURS.get(label, "red"))


def show_command_error(problem: click.ClickException) -> int:
    """Print what is wrong with the command line, after its usage; return the exit code."""
    ctx = problem.ctx if isinstance(problem, click.UsageError) else None
    if ctx is not None:
        click.echo(ctx.get_usage(), err=True)
        click.echo(f"Try '{ctx.command_path} --help' for help.\n", err=True)
    show_labelled("error", problem.format_message(), fg="red")
    return problem.exit_code


@lru_cache(maxsize=1)
def _find_program() -> str:
    """Return the command that starts this program here: `saniwa` if the shell finds it."""
    started, found = Path(sys.argv[0]), shutil.which("saniwa")
    if started.parts[-2:] == ("saniwa", "__main__.py"):
        return f"{_quote_path(sys.executable)} -m saniwa"
    is_typed_by_path = started.stem == "saniwa" and str(started) != started.name
    if not is_typed_by_path or (found and _resolve_program(found) == _resolve_program(started)):
        return "saniwa"
    return _quote_path(sys.argv[0])


def _resolve_program(path: str | Path) -> Path:
    return Path(path).resolve().with_suffix("")


def _quote_path(path: str) -> str:
    return f'"{path}"' if " " in path else path


_COMMAND = re.compile(r"(?<![\w./-])saniwa (?=[a-z])")


def adapt_commands(text: str) -> str:
    """Return a text whose commands can be typed here: they begin as this program was started."""
    return _COMMAND.sub(lambda _: f"{_find_program()} ", text)


def show_text(text: str, *, err: bool = False, **style: Any) -> None:
    """Print a text with its control characters escaped, except line ends."""
    shown = escape_control_characters(adapt_commands(text))
    click.echo(click.style(shown, **style) if style else shown, err=err)


def show_labelled(label: str, text: str, *, fg: str) -> None:
    """Print a text after a coloured label, to standard error."""
    styled = click.style(label, fg=fg, bold=True)
    click.echo(f"{styled}: {escape_control_characters(adapt_commands(text))}", err=True)


def show_warning(text: str) -> None:
    """Print a warning to standard error."""
    show_labelled("warning", text, fg="yellow")


def show_outcome(name: str, outcome: Literal["OK", "WARN", "FAIL"]) -> None:
    """Print whether what has this name passed its check."""
    colour = {"OK": "green", "WARN": "yellow", "FAIL": "red"}[outcome]
    click.echo(f"{click.style(outcome, fg=colour)}: {escape_control_characters(name)}")


def show_row(text: str, *, err: bool = False, **style: Any) -> None:
    """Print a text on one line, with line ends escaped too."""
    show_text(to_one_line(text), err=err, **style)


def to_one_line(text: str) -> str:
    """Return the text on one line, with line ends and control characters escaped."""
    return escape_control_characters(text).replace("\n", r"\n")


def print_result(as_json: bool, document: Any, lines: Iterable[str]) -> None:
    """Print a command's result: the document as JSON, else the lines as text."""
    if as_json:
        print_json(document)
    else:
        for line in lines:
            show_text(line)


def print_json(value: Any) -> None:
    """Print a value as one line of JSON.

    Strings that are not valid Unicode, such as a file name in another encoding, are
    printed with their surrogate characters escaped.
    """
    try:
        line = msgspec.json.encode(value)
    except UnicodeEncodeError:
        line = msgspec.json.encode(_escape_surrogates(msgspec.to_builtins(value)))
    click.echo(line)


def _escape_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_escape_surrogates(k): _escape_surrogates(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_escape_surrogates(item) for item in value]
    return value


def show_unexpected_error(problem: Exception, *, as_json: bool) -> int:
    """Print an unexpected exception as an internal error and return its exit code.

    With $SANIWA_DEBUG set, the traceback is printed too.
    """
    if os.environ.get("SANIWA_DEBUG"):
        import traceback

        traceback.print_exception(problem)
    surprise = SaniwaError(
        "INTERNAL_ERROR",
        f"{type(problem).__name__}: {problem}",
        hint="this is a bug in Saniwa; run again with SANIWA_DEBUG=1 and report the traceback",
    )
    return show_error(surprise, as_json=as_json)


def show_finding(finding: Finding, source: str | None = None) -> None:
    """Print a finding as text: code, location, quoted line with a caret, and hint."""
    label = click.style(finding.severity, fg=_COLOURS[finding.severity], bold=True)
    click.echo(f"{label}[{finding.code}]: {escape_control_characters(finding.message)}")
    if str(finding.where):
        click.echo(f"  at {escape_control_characters(str(finding.where))}")
    if source is not None and finding.where.line:
        _show_source_line(source, finding.where.line, finding.where.column)
    if finding.hint:
        click.echo(f"  hint: {escape_control_characters(adapt_commands(finding.hint))}")


def read_source_text(file: str) -> str | None:
    """Return the text of a file to quote from; None if it cannot be read.

    Only regular files up to a size limit are read, so this never blocks on a pipe.
    """
    path = Path(file)
    try:
        if not path.is_file() or path.stat().st_size > _MAX_SOURCE_BYTES:
            return None
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except (OSError, ValueError):
        return None


def _show_source_line(source: str, line: int, column: int) -> None:
    lines = _split_source(source)
    if line > len(lines):
        return
    text = lines[line - 1].rstrip("\r")
    begin = _find_quote_start(len(text), column)
    # Escaped only now: a column counts characters of the source, not of the output.
    here, end = max(begin, column - 1), begin + _MAX_QUOTED_CHARS
    before = ("…" if begin else "") + escape_control_characters(text[begin:here])
    after = escape_control_characters(text[here:end]) + ("…" if end < len(text) else "")
    click.echo(f"  {line:>4} | {before}{after}")
    if 0 < column <= len(text) + 1:
        click.echo("       | " + " " * measure_width(before) + "^")


@lru_cache(maxsize=1)
def _split_source(source: str) -> list[str]:
    """Split a text into lines; cached, because findings of one file are shown in a row."""
    # Not splitlines: it also splits at U+2028 and others, which are not line ends here.
    return source.split("\n")


def _find_quote_start(length: int, column: int) -> int:
    """Return the index of the first quoted character, so that `column` is visible."""
    if column <= _MAX_QUOTED_CHARS - _CHARS_AFTER_COLUMN or column > length + 1:
        return 0
    return max(0, min(column - _MAX_QUOTED_CHARS + _CHARS_AFTER_COLUMN, length - _MAX_QUOTED_CHARS))


def format_count(number: int, word: str) -> str:
    """Format a number with its noun: `1 file`, `2 files`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


def is_failure(finding: Finding, strict: bool) -> bool:
    """Whether a finding makes a check fail: errors do, and with `strict` warnings."""
    return finding.severity == "error" or (strict and finding.severity == "warning")


def format_tally(found: Sequence[Finding]) -> str:
    """Count the findings by severity: `1 error, 0 warnings, 2 notes`."""
    return ", ".join(format_count(_count_severity(found, kind), kind) for kind in _SEVERITIES)


def count_by_severity(found: Sequence[Finding]) -> dict[str, int]:
    """Count the findings by severity for JSON output, under `error_count` and so on."""
    return {f"{kind}_count": _count_severity(found, kind) for kind in _SEVERITIES}


def _count_severity(found: Sequence[Finding], severity: Severity) -> int:
    return sum(each.severity == severity for each in found)


class CheckedPart(NamedTuple):
    """A file, a folder or several files that were checked together."""

    name: str
    """Its name in the summary."""
    findings: Sequence[Finding]
    """Everything found in it."""
    size: str
    """Its size in words; empty if it could not be read."""
    quote: Callable[[str], str | None]
    """Returns the text of one of its files, to quote from."""


def show_check(
    parts: Sequence[CheckedPart], count: tuple[int, str], *, strict: bool, quiet: bool
) -> None:
    """Print findings and a summary as text; `count` is how many of what were checked."""
    found = [each for part in parts for each in part.findings]
    for part in parts:
        for each in part.findings:
            if not quiet or is_failure(each, strict):
                show_finding(each, part.quote(each.where.file))
                click.echo()
        if part.size and not quiet and not part.findings:
            show_text(f"{part.name}: no findings ({part.size})")
    if found and not quiet:
        click.echo(f"{format_tally(found)} in {format_count(*count)}")


def print_check(found: Sequence[Finding], strict: bool, **names: Sequence[str]) -> None:
    """Print findings as JSON, after the names of what was checked."""
    passed = not any(is_failure(each, strict) for each in found)
    report = {"ok": passed, "status": "ok" if passed else "error", **names}
    documents = [each.to_document() for each in found]
    print_json({**report, **count_by_severity(found), "findings": documents})


def exit_check(found: Sequence[Finding], strict: bool, *, unreadable: bool) -> NoReturn:
    """End a check: with 3 if something could not be read, with 1 for failures."""
    if unreadable:
        exit_with(EXIT_ERROR)
    exit_passed(not any(is_failure(each, strict) for each in found))


_MOST_PLACES = 3
"""Places of one kind of change or finding that are shown."""


def show_migration(changes: Sequence["MigrationChange"], found: Sequence[Finding]) -> None:
    """Print what a rewriting changed, and what is still wrong; each kind once."""
    for change in changes:
        label = "rewritten" if change.effect == "rewritten" else "no equivalent"
        fg = "green" if change.effect == "rewritten" else "yellow"
        show_labelled(label, f"{change.message} ({_format_places(change.places)})", fg=fg)
    for severity, code, kind in _group_findings(found):
        places = [each.where.path or each.where.file for each in kind]
        text = f"{kind[0].message} ({_format_places(places)})"
        show_labelled(f"{severity}[{code}]", text, fg="red" if severity == "error" else "yellow")


def build_migration_document(
    changes: Sequence["MigrationChange"], found: Sequence[Finding]
) -> dict[str, Any]:
    """Return what a rewriting changed, and what is still wrong, for JSON output."""
    groups = [
        {"severity": severity, "code": code, "findings": [each.to_document() for each in kind]}
        for severity, code, kind in _group_findings(found)
    ]
    passed = not any(is_failure(each, strict=False) for each in found)
    return {"ok": passed, "changes": changes, **count_by_severity(found), "groups": groups}


def _group_findings(found: Sequence[Finding]) -> list[tuple[Severity, str, list[Finding]]]:
    groups = dict[tuple[Severity, str], list[Finding]]()
    for each in found:
        groups.setdefault((each.severity, each.code), []).append(each)
    return sorted(
        ((*key, kind) for key, kind in groups.items()),
        key=lambda group: _SEVERITIES.index(group[0]),
    )


def _format_places(places: Sequence[str]) -> str:
    more = len(places) - _MOST_PLACES
    named = ", ".join(to_one_line(place) for place in places[:_MOST_PLACES])
    return f"{named} and {more} more" if more > 0 else named


_OPENING_MARKS = "「『（【〈《［｛〔“‘"
_CLOSING_MARKS = (
    "、。，．・：；！？…‥」』）】〉》］｝〕”’ーゝゞ々〜～"
    "ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ"
)
_PIECE = re.compile(rf"[{_OPENING_MARKS}]*(?:[!-~¡-ɏ]+|.)[{_CLOSING_MARKS}]*[ ]*", re.DOTALL)
"""A piece without a line break: a word, or a character with its punctuation."""


def wrap_text(text: str, columns: int) -> list[str]:
    """Wrap a paragraph into lines of at most `columns`; at least one line.

    Japanese text is broken between characters, never before closing punctuation.
    """
    if measure_width(text) <= columns:
        return [text]
    if text.isascii() or measure_width(text) == len(text):
        from textwrap import wrap

        return wrap(text, columns) or [text]
    lines, line = list[str](), ""
    for piece in _split_pieces(text, columns):
        if line and measure_width(line) + measure_width(piece.rstrip(" ")) > columns:
            lines.append(line.rstrip(" "))
            line = ""
        line += piece
    return [*lines, line.rstrip(" ")]


def _split_pieces(text: str, columns: int) -> Iterator[str]:
    for piece in _PIECE.findall(text):
        if measure_width(piece) <= columns:
            yield piece
        else:
            yield from piece  # punctuation longer than a line has no good break
