"""`saniwa check` and `saniwa fmt`: report every mistake in stories, rewrite old notation."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import click

from saniwa.cli.options import add_option, json_option
from saniwa.cli.render import (
    CheckedPart,
    exit_check,
    exit_passed,
    format_count,
    print_check,
    print_json,
    quiet_option,
    read_source_text,
    show_check,
    show_text,
    strict_option,
)
from saniwa.core.errors import ScriptError
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.core.path_checks import is_folder
from saniwa.core.text import escape_control_characters
from saniwa.documents.document import FORMATS

if TYPE_CHECKING:
    from saniwa.story.elements import StoryScene
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


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@strict_option
@quiet_option
@add_option("--sarif", "Answer in SARIF 2.1.0, for code hosts.")
@json_option
def check(files: tuple[str, ...], strict: bool, quiet: bool, sarif: bool, as_json: bool) -> None:
    """Check stories and tell every mistake, with its place and cure.

    A folder stands for every story in it; files that stories link to are checked with
    them. Leaves with 1 for errors (with --strict for warnings too), with 3 if a file
    cannot be read.

    \b
    Examples:
      saniwa check story.md
      saniwa check stories --strict
      saniwa check story.md --sarif > story.sarif
    """
    if sarif and as_json:
        raise click.UsageError("--json and --sarif are two answers; ask for one.")
    checked = _check_files(_find_stories(files))
    if sarif:
        print_json(build_sarif_log(checked.findings))
    elif as_json:
        print_check(checked.findings, strict, files=sorted(checked.texts))
    else:
        number = len(checked.texts) + checked.unreadable
        show_check([_describe_check(checked, number)], (number, "file"), strict=strict, quiet=quiet)
    exit_check(checked.findings, strict, unreadable=bool(checked.unreadable))


def _find_stories(named: Sequence[str]) -> list[str]:
    """Return the first file of every story, each once."""
    begins: dict[str, str] = {}
    for name in named:
        if Path(name).suffix.lower() in FORMATS:
            raise click.UsageError(
                f"{name!r} is no story but may be a scenario; try: saniwa scenario check {name}"
            )
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
        raise click.UsageError(f"there is no story (*.md) in {folder!r}.")
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

    text = read_source_text(file)
    if text is not None:
        for target in list_targets(parse_scene(text, file).block):
            if target.file:
                yield join_link(file, target.file)


def _check_files(files: Iterable[str]) -> _StoryCheck:
    from saniwa.story.elements import list_labels
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
    report = Report.from_findings(findings.values())
    return _StoryCheck(texts, sum(sections.values()), report.findings, unreadable)


def _attach_world(story: "Story") -> "Story":
    if story.program.ground is None:
        return story  # so that the packages for worlds need not be imported
    from saniwa.app.stories import add_world_findings

    return add_world_findings(story)


def _describe_check(checked: _StoryCheck, number: int) -> CheckedPart:
    lines = sum(
        text.count("\n") + (bool(text) and not text.endswith("\n"))
        for text in checked.texts.values()
    )
    size = f"{format_count(lines, 'line')}, {format_count(checked.sections, 'section')}"
    name = (
        next(iter(checked.texts))
        if len(checked.texts) == number == 1
        else format_count(number, "file")
    )

    def quote(file: str) -> str | None:
        return checked.texts.get(file) or read_source_text(file)

    return CheckedPart(name, checked.findings, size, quote)


_SARIF_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def build_sarif_log(findings: Sequence[Finding]) -> dict[str, Any]:
    """Build the log: one run with its rules, and one result per finding."""
    # Imported late: only this output needs it.
    from importlib.metadata import version

    codes = sorted({found.code for found in findings})
    driver = {
        "name": "saniwa",
        "version": version("saniwa"),
        "rules": [_build_rule(code) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_build_result(found, codes.index(found.code)) for found in findings],
    }
    return {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _build_rule(code: str) -> dict[str, Any]:
    words = code.replace("_", " ").lower()
    return {
        "id": code,
        "name": words.title().replace(" ", ""),
        "shortDescription": {"text": words.capitalize()},
        # Not `helpUri`, which must be absolute: the page is a file of this project.
        "help": {"text": f"docs/errors/{code}.md"},
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


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@add_option("--check", "Write nothing; fail if it would.")
@add_option("--diff", "Write nothing; show what would change.")
@add_option("--ids", "Give every line and option an id.")
@add_option("--stdout", "Write the story to standard output.")
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
