"""What the check commands share: their options, the findings they print, the exit code."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, NoReturn

import click

from saniwa.cli.options import add_option
from saniwa.cli.render import (
    EXIT_ERROR,
    count_by_severity,
    exit_passed,
    exit_with,
    format_count,
    format_tally,
    is_failure,
    print_json,
    show_finding,
    show_text,
)
from saniwa.core.findings import Finding

strict_option = add_option("--strict", "Treat warnings as errors.")
"""The flag `--strict` of a check."""
quiet_option = add_option("--quiet", "Show only what makes the check fail.")
"""The flag `--quiet` of a check."""


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
