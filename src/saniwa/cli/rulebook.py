"""`saniwa rulebook`: show, check and edit the rules of a world."""

from contextlib import closing
from pathlib import Path
from typing import Any

from saniwa.cli import render
from saniwa.cli.command_definition import define_command, resolve_store
from saniwa.core.translations import Language, open_translator


@define_command("rulebook list")
def list_books(language: Language = "en", *, as_json: bool) -> None:
    """List the rulebooks: those included with Saniwa, and the project's own with their files."""
    from saniwa.app.scenario_lookup import list_own_books
    from saniwa.rulebook.loader import SHIPPED_BOOKS, load_shipped_book

    books = [load_shipped_book(name) for name in SHIPPED_BOOKS]
    rows = [{k: b.get(k, "") for k in ("id", "version", "name", "description")} for b in books]
    about = {"version": "", "name": "", "description": ""}
    rows = open_translator(language, "rulebook").translate_fields(rows)
    rows += [{"id": k, **about, "file": str(file)} for k, file in list_own_books().items()]
    lines = (f"{row['id']:<9} {row.get('file') or row['description']}" for row in rows)
    render.print_result(as_json, {"books": rows}, lines)


@define_command("rulebook show")
def show(book: str, language: Language = "en", *, as_json: bool) -> None:
    """Show every check of BOOK, a name or a file, in the order they are made."""
    from saniwa.app.scenario_lookup import open_rulebook

    document = open_translator(language, "rulebook").translate_fields(open_rulebook(book).document)
    if as_json:
        render.print_json(document)
        return
    for rule in document["rules"]:
        _show_checks(rule["actionType"], rule)
    for craft in document.get("crafts", ()):
        _show_checks(f"use: {craft['name']}", craft)


def _show_checks(title: str, rule: dict[str, Any]) -> None:
    off = "" if rule.get("enabled", True) else "  (switched off)"
    render.show_text(f"{title}{off}", bold=True)
    for check in rule.get("checks", []):
        about = check.get("description") or ""
        render.show_text(f"  {check['id']:<22} {check['failReason']:<20} {about}")


@define_command("rulebook check")
def check(file: str, as_json: bool) -> None:
    """Check a rulebook and report every problem, its location and how to fix it."""
    from saniwa.app.scenario_lookup import inspect_book

    report = inspect_book(Path(file))
    if as_json:
        documents = [each.to_document() for each in report.findings]
        render.print_json({"file": file, "passed": report.has_passed, "findings": documents})
    else:
        source = render.read_source_text(file) if report.findings else None
        for finding in report.findings:
            render.show_finding(finding, source)
        render.show_text(f"{file}: {len(report.errors)} errors, {len(report.warnings)} warnings")
    render.exit_passed(report.has_passed)


@define_command("rulebook edit")
def edit(run: str, file: str, store: str | None, as_json: bool) -> None:
    """Change the rules of RUN with those of FILE, from the next turn on."""
    import asyncio

    from saniwa.app.run_service import RunService
    from saniwa.app.scenario_lookup import read_book_document

    layer = read_book_document(Path(file))
    with closing(RunService.open(resolve_store(store), None, must_exist=True)) as parts:
        opened = parts.resume(run)
        turn = asyncio.run(opened.edit_rulebook(layer))
    document = {"run": opened.record.run_id, "turn": turn.number}
    line = f"{opened.record.run_id}: the new rules apply from the next turn on."
    render.print_result(as_json, document, [line])
