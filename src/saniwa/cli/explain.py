"""`saniwa explain`: the catalogue of codes, and what it says about one of them.

The catalogue is the pages of `docs/errors`, one section for each code; a wheel holds a
copy of them. Nothing is fetched.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import click

from saniwa.cli import render
from saniwa.cli.command_definition import define_command
from saniwa.core.suggestions import get_nearest

_HEADING: Final = re.compile(r"^## ([A-Z][A-Z0-9_]+)\n", re.MULTILINE)
_LINK: Final = re.compile(r"(`[^`\n]+`)|\[([^\[\]\n]+)\]\([^()\[\s]*\)")
_PART: Final = re.compile(r"^\*\*(Cause|Cure)\.\*\*\s+", re.MULTILINE)


class CodeEntry(NamedTuple):
    """What the catalogue says about one code."""

    code: str
    """The code, such as `LABEL_UNRESOLVED`."""
    page: str
    """The page that has its section, without the suffix."""
    text: str
    """The section in Markdown, without its heading."""

    @property
    def place(self) -> str:
        """The path of the section, relative to the repository."""
        return f"docs/errors/{self.page}.md#{self.code.lower()}"

    @property
    def parts(self) -> dict[str, str]:
        """The sentence as `meaning`, then `cause`, `cure` and `example`, in plain text."""
        prose, _, example = self.text.partition("\n**Example.**\n")
        meaning, *rest = _PART.split(_LINK.sub(_drop_target, prose))
        named = dict(zip((name.lower() for name in rest[::2]), rest[1::2], strict=True))
        whole = {"meaning": meaning, **named, "example": example}
        return {name: part.strip() for name, part in whole.items()}


def _drop_target(link: re.Match[str]) -> str:
    """Return the words of a link, which leads nowhere in a terminal; code stays code."""
    return link[1] or link[2]


def locate_catalogue() -> Path:
    """Return the folder of the catalogue; in a repository checkout, that of the docs."""
    package = Path(__file__).parents[1]
    installed, beside = package / "codes", package.parents[1] / "docs" / "errors"
    return installed if installed.is_dir() else beside


def list_entries() -> Iterator[CodeEntry]:
    """Yield every entry of the catalogue, page by page in the order of their names."""
    for page in sorted(locate_catalogue().glob("*.md")):
        _, *sections = _HEADING.split(page.read_text(encoding="utf-8"))
        for code, text in zip(sections[::2], sections[1::2], strict=True):
            yield CodeEntry(code, page.stem, text.strip())


@define_command("explain")
def explain(code: str, as_json: bool) -> None:
    """Explain an error code: what it means, its cause, its cure and an example.

    \b
    Example:
      saniwa explain LABEL_UNRESOLVED
    """
    entries = {entry.code: entry for entry in list_entries()}
    entry = entries.get(code.strip("[]").upper())
    if entry is None:
        nearest = get_nearest(code.upper(), entries)
        hint = f" Did you mean {nearest}?" if nearest else ""
        raise click.UsageError(f"there is no code {code!r}.{hint}")
    render.print_result(as_json, {"code": entry.code, **entry.parts}, _format_entry(entry))


def _format_entry(entry: CodeEntry) -> Iterator[str]:
    parts = entry.parts
    yield from (entry.code, "", parts["meaning"])
    for name in ("cause", "cure", "example"):
        between = "\n\n" if name == "example" else " "
        yield f"\n{name.capitalize()}:{between}{parts[name]}"
