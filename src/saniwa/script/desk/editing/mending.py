"""Cures an editor can apply: those findings that know how their line should read."""

from collections.abc import Iterator

import msgspec

from saniwa.core.finding import Finding
from saniwa.core.quoted import quoted
from saniwa.script.desk.editing.rename import Edit
from saniwa.script.story import Story


class Mending(msgspec.Struct, frozen=True):
    """One cure."""

    title: str
    """What it does, in a few words."""
    finding: Finding
    """What it cures."""
    edit: Edit
    """The change."""


def mendings(story: Story, file: str, first: int, last: int) -> Iterator[Mending]:
    """The cures for what was found between two lines of a file."""
    for finding in story.report.findings:
        where = finding.where
        if where.file != file or not first <= where.line <= last:
            continue
        rewrite = finding.details.get("rewrite")
        if isinstance(rewrite, dict):
            edit = Edit(
                file,
                rewrite["line"],
                rewrite["column"],
                rewrite["length"],
                rewrite["text"],
            )
            yield Mending(f"write {quoted(edit.text)}", finding, edit)


def is_old_notation(story: Story, file: str, first: int, last: int) -> bool:
    """Whether old notation, which `saniwa fmt` rewrites, is told of in these lines."""
    return any(
        found.code == "OLD_NOTATION"
        and found.where.file == file
        and first <= found.where.line <= last
        for found in story.report.findings
    )
