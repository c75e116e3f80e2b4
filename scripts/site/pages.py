"""The repository's pages in the form that the site generator reads.

A page keeps its text. Links that leave the site become plain words, code fences lose options
that only the tests read, and lists get the spacing that the generator's Markdown needs.
"""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from saniwa.cli.explain import list_entries

ROOT: Final = Path(__file__).resolve().parents[2]
LANGUAGES: Final = {"en": "English", "ja": "日本語"}
_TOP_PAGES: Final = {
    "README.md": "index.md",
    "docs/index.md": "contents.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "CHANGELOG.md": "project/changelog.md",
    "CODE_OF_CONDUCT.md": "project/code-of-conduct.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "ROADMAP.md": "project/roadmap.md",
    "SECURITY.md": "project/security.md",
}
"""Pages whose path in the site is not their path in `docs`; the README is the home page."""
_FENCE: Final = re.compile(r"( *)(`{3,})(.*)")
_LINK: Final = re.compile(r"(`+[^`\n]+`+)|(!?)\[([^\[\]\n]*)\]\(([^()\s]+)\)")
_OTHER_LANGUAGE: Final = re.compile(r"^\[(?:日本語|English)\]\([^)\n]+\)\n", re.MULTILINE)
_FENCED: Final = re.compile(r"^( *`{3,})[^`\n]*\n.*?^\1$", re.MULTILINE | re.DOTALL)
_HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)
_LIST_ITEM: Final = re.compile(r"([-*]|\d+\.) ")


def list_site_pages() -> dict[Path, str]:
    """Return every English source page, with its path in the site."""
    docs = ROOT / "docs"
    pages = {ROOT / name: place for name, place in _TOP_PAGES.items()}
    for page in sorted(docs.rglob("*.md")):
        if not page.name.endswith(".ja.md"):
            pages.setdefault(page, page.relative_to(docs).as_posix())
    for page in sorted(ROOT.glob("examples/*/README.md")):
        pages[page] = f"examples/{page.parent.name}.md"
    return pages


def write_pages(folder: Path, language: str) -> None:
    """Write all pages of one language, in English where there is no translation."""
    pages = list_site_pages()
    for page, place in pages.items():
        translated = page.with_suffix(f".{language}.md")
        source = translated if translated.exists() else page
        text = convert_page(source, place, pages)
        if source != page:
            text = _keep_anchors(text, convert_page(page, place, pages))
        elif language != "en":
            text = f"---\nlang: en\n---\n{text}"
        _write(folder / place, text)
    _write(folder / "errors" / "index.md", _list_codes(language))
    for picture in sorted((ROOT / "docs" / "pictures").iterdir()):
        target = folder / "pictures" / picture.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(picture.read_bytes())


def convert_page(source: Path, place: str, pages: dict[Path, str]) -> str:
    """Return the text of a page for the site, where its path is `place`."""

    def convert_link(link: re.Match[str]) -> str:
        code, mark, words, target = link.groups()
        if code or "://" in target or target.startswith(("#", "mailto:")):
            return link[0]
        file, _, anchor = target.partition("#")
        # Not `resolve`: the checkout may be behind a symbolic link.
        found = Path(os.path.normpath(source.parent / file))
        english = found.with_name(found.name.replace(".ja.md", ".md"))
        pictures = ROOT / "docs" / "pictures"
        to = f"pictures/{found.name}" if found.parent == pictures else pages.get(english)
        if to is None:
            return words
        relative = os.path.relpath(to, Path(place).parent).replace(os.sep, "/")
        return f"{mark}[{words}]({relative}{'#' + anchor if anchor else ''})"

    text = source.read_text(encoding="utf-8")
    text = _OTHER_LANGUAGE.sub("", text)
    return "".join(_convert_lines(text, convert_link)).removeprefix("\n")


def _convert_lines(text: str, convert_link: Callable[[re.Match[str]], str]) -> Iterator[str]:
    fence, before = "", ""
    for line in text.split("\n"):
        mark = _FENCE.fullmatch(line)
        # A line break is a space on a page, but Japanese sentences have no space between them.
        goes_on = before.endswith("。") and _is_paragraph(line) and not (mark or fence)
        yield "" if goes_on else "\n"
        if fence:
            if mark and mark[2] == fence and not mark[3]:
                fence = ""
            yield line
        elif mark:
            fence = mark[2]
            yield f"{mark[1]}{mark[2]}{_convert_fence(mark[3])}"
        else:
            if _LIST_ITEM.match(line) and _is_paragraph(before):
                yield "\n"
            # The generator's Markdown needs four spaces where two are usual.
            indent = len(line) - len(line.lstrip(" "))
            yield " " * indent + _LINK.sub(convert_link, line)
        before = line


def make_anchor(heading: str) -> str:
    """Return the anchor of a heading, the same on the site and on a code host."""
    kept = re.sub(r"[^\w\s-]", "", heading.lower())
    return re.sub(r"\s", "-", kept.strip())


def _keep_anchors(translated: str, english: str) -> str:
    """Give every heading of a translation the anchor of the English one, so that links work."""
    anchors = iter([make_anchor(each[1]) for each in _list_headings(english)])
    lines = translated.split("\n")
    starts = {each.start() for each in _list_headings(translated)}
    place = 0
    for number, line in enumerate(lines):
        if place in starts:
            lines[number] = f"{line} {{ #{next(anchors)} }}"
        place += len(line) + 1
    return "\n".join(lines)


def _list_headings(text: str) -> list[re.Match[str]]:
    hidden = _FENCED.sub(lambda block: " " * len(block[0]), text)
    return list(_HEADING.finditer(hidden))


def _is_paragraph(line: str) -> bool:
    return bool(line) and not line.startswith((" ", "#", "|", "```")) and not _LIST_ITEM.match(line)


def _convert_fence(info: str) -> str:
    """Return the info string of a fence: its language, and the name of a file as title."""
    words = info.split()
    if not words:
        return "text"
    kind = {"svg": "xml", "csv": "text"}.get(words[0], words[0])
    named = [word.removeprefix("file=") for word in words if word.startswith("file=")]
    if "example" in words:
        named.append(f"example.{words[0]}")
    return f'{kind} title="{named[0]}"' if named else kind


def _list_codes(language: str) -> str:
    titles = {"en": "All codes", "ja": "すべてのコード"}
    entries = sorted(list_entries())
    rows = [f"- [{each.code}]({each.page}.md#{each.code.lower()})" for each in entries]
    return "\n".join([f"# {titles[language]}\n", *rows]) + "\n"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
