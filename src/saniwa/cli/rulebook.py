"""`saniwa rulebook`: show, check and edit the rules of a world."""

from contextlib import closing
from pathlib import Path
from typing import Any

import click

from saniwa.cli.options import json_option, store_option, store_place
from saniwa.cli.render import FINDINGS, FINE, answer, show_finding, text_of
from saniwa.core.quoted import printable


@click.group(
    epilog="""\b
Examples:
  saniwa rulebook show strict
  saniwa rulebook check my_book.yaml
  saniwa rulebook edit last my_book.yaml
"""
)
def rulebook() -> None:
    """Show, check and edit the rules of a world."""


@rulebook.command("list")
@json_option
def list_books(as_json: bool) -> None:
    """List the books that come with Saniwa."""
    from saniwa.rulebook.load import SHIPPED, shipped

    books = [shipped(name) for name in SHIPPED]
    if as_json:
        told = [
            {k: b.get(k, "") for k in ("id", "version", "name", "description")}
            for b in books
        ]
        answer({"books": told})
        return
    for book in books:
        click.echo(f"{book['id']:<9} {book.get('description') or book.get('name', '')}")


@rulebook.command()
@click.argument("book")
@json_option
def show(book: str, as_json: bool) -> None:
    """Show every check of BOOK, a shipped name or a file, in the order it is weighed."""
    from saniwa.wiring import book_named

    made = book_named(book)
    if as_json:
        answer(made.document)
        return
    for rule in made.document["rules"]:
        _show_checks(rule["actionType"], rule)
    for craft in made.document.get("crafts", ()):
        _show_checks(f"use: {craft['name']}", craft)


def _show_checks(title: str, rule: dict[str, Any]) -> None:
    off = "" if rule.get("enabled", True) else "  (switched off)"
    click.echo(click.style(printable(f"{title}{off}"), bold=True))
    for check in rule.get("checks", []):
        line = f"  {check['id']:<22} {check['failReason']:<20} {_told(check)}"
        click.echo(printable(line))


def _told(check: dict[str, Any]) -> str:
    return str(check.get("description") or "")


@rulebook.command()
@click.argument("file", type=click.Path())
@json_option
@click.pass_context
def check(ctx: click.Context, file: str, as_json: bool) -> None:
    """Check a rulebook FILE and tell every mistake, with its place and cure."""
    from saniwa.wiring import inspect_book

    report = inspect_book(Path(file))
    if as_json:
        told = {
            "file": file,
            "passed": report.passed,
            "findings": [f.as_document() for f in report.findings],
        }
        answer(told)
    else:
        source = text_of(file) if report.findings else None
        for finding in report.findings:
            show_finding(finding, source)
        click.echo(
            printable(
                f"{file}: {len(report.errors)} errors, {len(report.warnings)} warnings"
            )
        )
    ctx.exit(FINE if report.passed else FINDINGS)


@rulebook.command()
@click.argument("run")
@click.argument("file", type=click.Path())
@store_option
@json_option
def edit(run: str, file: str, store: str | None, as_json: bool) -> None:
    """Lay the rules of FILE over those of RUN; its next turn is judged by them."""
    import asyncio

    from saniwa.wiring import Parts, book_document

    layer = book_document(Path(file))
    with closing(Parts.open(store_place(store), None, must_exist=True)) as parts:
        opened = parts.resume(run)
        turn = asyncio.run(opened.edit(layer))
    if as_json:
        answer({"run": opened.record.run_id, "turn": turn.number})
    else:
        click.echo(
            printable(
                f"{opened.record.run_id}: the rules are changed from the next turn on."
            )
        )
