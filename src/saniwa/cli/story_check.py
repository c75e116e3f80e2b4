"""`saniwa check`: report every mistake in stories, as text, JSON or SARIF."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import click

from saniwa.cli import render
from saniwa.cli.command_definition import StoryPath, define_command
from saniwa.core.errors import ScriptError
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.core.path_checks import is_folder
from saniwa.core.text import quote_value
from saniwa.core.translations import Language, use_language

if TYPE_CHECKING:
    from saniwa.cli.explain import CodeEntry
    from saniwa.story.story import Story


class _StoryCheck(NamedTuple):
    """The result of checking all named stories."""

    texts: dict[str, str]
    """The text of every file that could be read."""
    sections: int
    """The number of sections in all files."""
    findings: tuple[Finding, ...]
    """All findings in reading order, without duplicates."""
    unreadable: int
    """The number of files that could not be read at all."""


@define_command("check")
def check(
    *,
    files: tuple[StoryPath, ...],
    language: Language = "en",
    strict: bool,
    quiet: bool,
    sarif: bool,
    as_json: bool,
) -> None:
    """Check stories and report every problem, its location and how to fix it.

    For a folder, checks every story in it. Files that stories link to are checked too.
    Exits with status 1 if there are errors (with --strict also for warnings), and with
    status 3 if a file cannot be read.

    \b
    Examples:
      saniwa check story.md
      saniwa check stories --strict
      saniwa check story.md --language ja
      saniwa check story.md --sarif > story.sarif
    """
    if sarif and as_json:
        raise click.UsageError("--json and --sarif exclude each other; give one of them.")
    checked = _check_files(_find_stories(files), language)
    if sarif:
        render.print_json(build_sarif_log(checked.findings))
    elif as_json:
        render.print_check(checked.findings, strict, files=sorted(checked.texts))
    else:
        number = len(checked.texts) + checked.unreadable
        render.show_check(
            [_describe_check(checked, number)], (number, "file"), strict=strict, quiet=quiet
        )
    render.exit_check(checked.findings, strict, unreadable=bool(checked.unreadable))


def _find_stories(named: Sequence[str]) -> list[str]:
    """Return the first file of every story, each once."""
    begins: dict[str, str] = {}
    for name in named:
        for file in _list_folder_stories(name) if is_folder(Path(name)) else [name]:
            begins.setdefault(os.path.normpath(file), file)
    return list(begins.values())


def _list_folder_stories(folder: str) -> list[str]:
    """Return the stories in a folder: its files that no other file links to.

    A README describes the folder and is not a story.
    """
    files = [
        os.path.normpath(path)
        for path in sorted(Path(folder).glob("*.md"))
        if not path.name.startswith(".") and path.stem.lower() != "readme" and path.is_file()
    ]
    if not files:
        raise click.UsageError(f"{folder!r} contains no story (*.md).")
    links = {file: set(_find_links(file)) - {file} for file in files}
    linked = set().union(*links.values())
    firsts, reached = list[str](), set[str]()
    # In a cycle of links every file is linked to: the first by name is the beginning.
    for file in [*(f for f in files if f not in linked), *files]:
        if file not in reached:
            firsts.append(file)
            _mark_reachable(file, links, reached)
    return sorted(firsts)


def _mark_reachable(file: str, links: dict[str, set[str]], reached: set[str]) -> None:
    waiting = [file]
    while waiting:
        next_file = waiting.pop()
        if next_file not in reached:
            reached.add(next_file)
            waiting.extend(links.get(next_file, ()))


def _find_links(file: str) -> Iterator[str]:
    from saniwa.story.elements import list_targets
    from saniwa.story.link_parser import join_link
    from saniwa.story.parser.markdown import parse_scene

    text = render.read_source_text(file)
    if text is not None:
        for target in list_targets(parse_scene(text, file).block):
            if target.file:
                yield join_link(file, target.file)


def _check_files(files: Iterable[str], language: Language) -> _StoryCheck:
    from saniwa.story.elements import list_labels
    from saniwa.story.finding_collector import translate_finding
    from saniwa.story.story import read_story

    texts, sections, unreadable = dict[str, str](), dict[str, int](), 0
    findings: dict[tuple[str, str, str], Finding] = {}
    for file in files:
        try:
            story = _attach_world(read_story(file))
        except ScriptError as problem:
            found: Sequence[Finding] = (
                problem.to_finding(problem.where or SourceLocation(file=file)),
            )
            unreadable += 1
        else:
            found = story.report.findings
            # Findings count lines by LF line ends.
            texts |= {
                scene.file: scene.text.replace("\r\n", "\n").replace("\r", "\n")
                for scene in story.scenes
            }
            sections |= {s.file: sum(1 for _ in list_labels(s.block)) for s in story.scenes}
        for each in found:
            findings.setdefault((str(each.where), each.code, each.message), each)
    with use_language(language):
        report = Report.from_findings(map(translate_finding, findings.values()))
    return _StoryCheck(texts, sum(sections.values()), report.findings, unreadable)


def _attach_world(story: "Story") -> "Story":
    if story.program.ground is None:
        return story  # so that the packages for worlds need not be imported
    from saniwa.app.story_opening import add_world_findings

    return add_world_findings(story)


def _describe_check(checked: _StoryCheck, number: int) -> render.CheckedPart:
    lines = sum(
        text.count("\n") + (bool(text) and not text.endswith("\n"))
        for text in checked.texts.values()
    )
    size = render.format_count(lines, "line")
    if checked.sections:
        size += f", {render.format_count(checked.sections, 'section')}"
    others = [file for file in checked.texts if not file.endswith(".md")]
    if others:
        size += f"; {quote_value(others[0])} was read as Markdown: name a story NAME.md"
    name = (
        next(iter(checked.texts))
        if len(checked.texts) == number == 1
        else render.format_count(number, "file")
    )

    def quote(file: str) -> str | None:
        return checked.texts.get(file) or render.read_source_text(file)

    return render.CheckedPart(name, checked.findings, size, quote)


_SARIF_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def build_sarif_log(findings: Sequence[Finding]) -> dict[str, Any]:
    """Build the log: one run with its rules, and one result per finding."""
    # Imported late: only this output needs it.
    from importlib.metadata import version

    codes = sorted({found.code for found in findings})
    from saniwa.cli.explain import list_entries

    entries = {entry.code: entry for entry in list_entries()}
    driver = {
        "name": "saniwa",
        "version": version("saniwa"),
        "rules": [_build_rule(entries[code]) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_build_result(found, codes.index(found.code)) for found in findings],
    }
    return {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _build_rule(entry: "CodeEntry") -> dict[str, Any]:
    words = entry.code.replace("_", " ").lower()
    parts = entry.parts
    return {
        "id": entry.code,
        "name": words.title().replace(" ", ""),
        "shortDescription": {"text": words.capitalize()},
        # Not `helpUri`, which must be absolute: the page is a file of this project.
        "help": {"text": f"{parts['meaning']}\n{parts['cure']}\n{entry.place}"},
    }


def _build_result(found: Finding, rule: int) -> dict[str, Any]:
    text = f"{found.message}\n{found.hint}" if found.hint else found.message
    result: dict[str, Any] = {
        "ruleId": found.code,
        "ruleIndex": rule,
        "level": found.severity,
        "message": {"text": text},
    }
    if found.where.file:
        result["locations"] = [{"physicalLocation": _build_location(found)}]
        rewrite = found.details.get("rewrite")
        if rewrite is not None:
            result["fixes"] = [_build_fix(found, rewrite)]
    return result


def _build_location(found: Finding) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _build_artifact(found)}
    if found.where.line:
        place["region"] = {"startLine": found.where.line}
        if found.where.column:
            place["region"]["startColumn"] = found.where.column
    return place


def _build_artifact(found: Finding) -> dict[str, str]:
    path = Path(found.where.file)
    raw = found.where.file.encode("utf-8", "surrogateescape")
    return {"uri": path.as_uri() if path.is_absolute() else quote(raw)}


def _build_fix(found: Finding, rewrite: dict[str, Any]) -> dict[str, Any]:
    begin = rewrite["column"]
    replacement = {
        "deletedRegion": {
            "startLine": rewrite["line"],
            "startColumn": begin,
            "endColumn": begin + rewrite["length"],
        },
        "insertedContent": {"text": rewrite["text"]},
    }
    change = {"artifactLocation": _build_artifact(found), "replacements": [replacement]}
    return {"description": {"text": found.hint or "rewrite it"}, "artifactChanges": [change]}
