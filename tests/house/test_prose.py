"""The documentation is written in plain English: these words have better ones."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.pages import ROOT

_BETTER_WORDS = {
    r"who(m)?ever": "the user, the caller, a character who …",
    r"(some|no|any|every)body('s)?": "the user, the visitor, another process, no role …",
    r"(leaves?|left|ends?) with \d": "exits with status 1",
    r"of ours": "Saniwa's",
    r"of one's own": "your own, its own",
    r"com(e|es|ing) to (its|an) end": "ends",
    r"hand(s|ed|ing)? in": "submit",
    r"mistakes? (is|are) told": "are reported",
    r"errors? (is|are) told": "is reported",
    r"as (it|they) stands?": "as it is, as written",
    r"by chance": "at random, randomly",
    r"in small letters": "in lower case",
    r"blanks": "spaces",
    r"\d letters": "characters",
    r"blotted out": "redacted",
    r"no longer matters": "short-circuit",
    r"whatever lacks": "missing extras",
}
"""Patterns of words that make a reader stumble, each with what to write instead."""

_WRITTEN_FROM_SOURCE = ("docs/reference/http.md", "docs/reference/metrics.md")
"""Pages whose table rows repeat texts of the program, and are kept to them by tests."""

_CODE = re.compile(r"`[^`]*`")
_FENCE = re.compile(r" *(`{3,}|~{3,})")


def _list_pages() -> list[Path]:
    docs = ROOT / "docs"
    folders = [docs / name for name in ("guide", "reference", "errors")]
    pages = [page for folder in folders for page in sorted(folder.glob("*.md"))]
    single = [docs / f"{name}.md" for name in ("tutorial", "ways", "tour", "glossary")]
    return [*pages, *single, ROOT / "CONTRIBUTING.md"]


def _read_prose(page: Path) -> Iterator[tuple[str, str]]:
    """Each line outside code fences with its place, inline code left out."""
    name = page.relative_to(ROOT).as_posix()
    fence = ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and not (name in _WRITTEN_FROM_SOURCE and line.startswith("|")):
            yield f"{name}:{number}", _CODE.sub("`…`", line)


@pytest.mark.parametrize("pattern", _BETTER_WORDS)
def test_documentation_uses_the_plain_word(pattern: str) -> None:
    """No page has a word for which the list has a better one."""
    word = re.compile(rf"\b{pattern}\b", re.IGNORECASE)
    lines = [(place, line) for page in _list_pages() for place, line in _read_prose(page)]

    found = [f"{place}: {line}" for place, line in lines if word.search(line)]

    assert [] == found, f"write instead: {_BETTER_WORDS[pattern]}"
