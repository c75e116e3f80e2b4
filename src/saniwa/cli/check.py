"""`saniwa check`: every mistake in a story, at once."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from saniwa.cli.options import json_option
from saniwa.cli.render import FINDINGS, FINE, STOPPED, answer, show_finding, text_of
from saniwa.cli.tally import counted, counts, tallied, tally
from saniwa.core.document import FORMATS
from saniwa.core.errors import ScriptError
from saniwa.core.finding import Finding, Report
from saniwa.core.quoted import printable
from saniwa.core.there import is_folder
from saniwa.core.where import Where

if TYPE_CHECKING:
    from saniwa.script.story import Story


class _Checked(NamedTuple):
    """Everything that was checked, and everything found."""

    texts: dict[str, str]
    """The text of every file that could be read."""
    sections: int
    """How many sections all of them have."""
    findings: tuple[Finding, ...]
    """Everything found, in reading order, nothing twice."""
    unreadable: int
    """How many files could not be read at all."""


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
@click.option("--quiet", is_flag=True, help="Show only what makes the check fail.")
@click.option("--sarif", is_flag=True, help="Answer in SARIF 2.1.0, for code hosts.")
@json_option
@click.pass_context
def check(
    ctx: click.Context,
    files: tuple[str, ...],
    strict: bool,
    quiet: bool,
    sarif: bool,
    as_json: bool,
) -> None:
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
    checked = _check(_stories(files))
    failed = [found for found in checked.findings if counts(found, strict)]
    if sarif:
        from saniwa.cli.sarif import sarif_log

        answer(sarif_log(checked.findings))
    elif as_json:
        answer(_as_json(checked, passed=not failed))
    else:
        _show(checked, failed if quiet else checked.findings, quiet=quiet)
    if checked.unreadable:
        ctx.exit(STOPPED)
    ctx.exit(FINDINGS if failed else FINE)


def _stories(named: Sequence[str]) -> list[str]:
    """The files that stories begin in, each once."""
    begins: dict[str, str] = {}
    for name in named:
        if Path(name).suffix.lower() in FORMATS:
            raise click.UsageError(
                f"{name!r} is no story but may be a scenario; "
                f"try: saniwa scenario check {name}"
            )
        for file in _in_folder(name) if is_folder(Path(name)) else [name]:
            begins.setdefault(os.path.normpath(file), file)
    return list(begins.values())


def _in_folder(folder: str) -> list[str]:
    """The stories in a folder: its files, without those that others link to.

    A README tells about the folder and is no story.
    """
    files = [
        os.path.normpath(path)
        for path in sorted(Path(folder).glob("*.md"))
        if not path.name.startswith(".")
        and path.stem.lower() != "readme"
        and path.is_file()
    ]
    if not files:
        raise click.UsageError(f"there is no story (*.md) in {folder!r}.")
    links = {file: set(_linked(file)) - {file} for file in files}
    linked = set().union(*links.values())
    firsts, reached = list[str](), set[str]()
    # Files that link to each other in a ring are all linked to: the first begins it.
    for file in [*(f for f in files if f not in linked), *files]:
        if file not in reached:
            firsts.append(file)
            _reach(file, links, reached)
    return sorted(firsts)


def _reach(file: str, links: dict[str, set[str]], reached: set[str]) -> None:
    waiting = [file]
    while waiting:
        next_file = waiting.pop()
        if next_file not in reached:
            reached.add(next_file)
            waiting.extend(links.get(next_file, ()))


def _linked(file: str) -> Iterator[str]:
    from saniwa.script.beside import joined
    from saniwa.script.reading.markdown import read_scene
    from saniwa.script.tree import targets

    text = text_of(file)
    if text is not None:
        for target in targets(read_scene(text, file).block):
            if target.file:
                yield joined(file, target.file)


def _check(files: Iterable[str]) -> _Checked:
    from saniwa.script.story import read_story

    texts, sections, unreadable = dict[str, str](), dict[str, int](), 0
    findings: dict[tuple[str, str, str], Finding] = {}
    for file in files:
        try:
            story = _on_its_world(read_story(file))
        except ScriptError as problem:
            found: Sequence[Finding] = (_unreadable(file, problem),)
            unreadable += 1
        else:
            found = story.report.findings
            texts |= {scene.file: _as_read(scene.text) for scene in story.scenes}
            sections |= _sections(story)
        for each in found:
            findings.setdefault((str(each.where), each.code, each.message), each)
    report = Report.of(findings.values())
    return _Checked(texts, sum(sections.values()), report.findings, unreadable)


def _as_read(text: str) -> str:
    """The text with the line ends that lines are counted by."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _on_its_world(story: "Story") -> "Story":
    if story.program.ground is None:
        return story  # and the rooms of worlds need not be loaded
    from saniwa.wiring.story import on_its_world

    return on_its_world(story)


def _sections(story: "Story") -> dict[str, int]:
    from saniwa.script.tree import labels

    return {scene.file: sum(1 for _ in labels(scene.block)) for scene in story.scenes}


def _unreadable(file: str, problem: ScriptError) -> Finding:
    return Finding(
        code=problem.code,
        message=problem.message,
        where=problem.where or Where(file=file),
        hint=problem.hint,
    )


def _as_json(checked: _Checked, *, passed: bool) -> dict[str, Any]:
    passed = passed and not checked.unreadable
    return {
        "ok": passed,
        "status": "ok" if passed else "error",
        "files": sorted(checked.texts),
        **tallied(checked.findings),
        "findings": [found.as_document() for found in checked.findings],
    }


def _show(checked: _Checked, findings: Sequence[Finding], *, quiet: bool) -> None:
    for found in findings:
        file = found.where.file
        show_finding(found, checked.texts.get(file) or text_of(file))
        click.echo()
    if not quiet:
        click.echo(_summary(checked))


def _summary(checked: _Checked) -> str:
    number = len(checked.texts) + checked.unreadable
    if checked.findings:
        return f"{tally(checked.findings)} in {counted(number, 'file')}"
    lines = sum(_lines(text) for text in checked.texts.values())
    size = f"{counted(lines, 'line')}, {counted(checked.sections, 'section')}"
    named = next(iter(checked.texts)) if number == 1 else counted(number, "file")
    return f"{printable(named)}: no findings ({size})"


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and bool(text))
