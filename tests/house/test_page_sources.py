"""The web app's own files: text is never markup, and nothing is loaded from other hosts."""

import gzip
import json
import re
from pathlib import Path

import pytest

from tests.house.pages import ROOT

_WEB = ROOT / "web"
_BUILT = ROOT / "src/saniwa/http/static"
_SOURCES = sorted(
    path for path in (_WEB / "src").rglob("*") if path.suffix in (".svelte", ".ts", ".css", ".js")
)
_MARKUP = re.compile(
    r"\{@html|\binnerHTML\b|\bouterHTML\b|insertAdjacentHTML|document\.write\b"
    r"|\bDOMParser\b|\bsrcdoc\b|\beval\(|new Function\b|setHTMLUnsafe"
)
_ADDRESS = re.compile(r"(?:https?:)?//[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}", re.I)
_NAMESPACES = ("http://www.w3.org/",)
_LARGEST_FIRST = 80_000


def _to_relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("source", _SOURCES, ids=_to_relative)
def test_text_never_becomes_markup(source: Path) -> None:
    """No source of the page turns text of stories, names or models into markup."""
    assert [] == _MARKUP.findall(source.read_text(encoding="utf-8"))


@pytest.mark.parametrize("source", _SOURCES, ids=_to_relative)
def test_no_source_names_another_host(source: Path) -> None:
    """No source names another host: fonts, pictures and scripts come with the page."""
    found = _ADDRESS.findall(source.read_text(encoding="utf-8"))

    assert [] == [each for each in found if not each.startswith(_NAMESPACES)]


def test_the_lock_file_knows_every_platform() -> None:
    """Packages for other platforms are locked too, so that they can be installed there."""
    lock = json.loads((_WEB / "package-lock.json").read_text(encoding="utf-8"))
    parts = lock["packages"]
    wanted = {name for part in parts.values() for name in part.get("optionalDependencies", {})}
    known = {path.rpartition("node_modules/")[2] for path in parts}

    assert set() == wanted - known


def test_nothing_is_written_into_the_built_page() -> None:
    """The built document has no inline script or style, which the page's policy forbids."""
    document = (_BUILT / "index.html").read_text(encoding="utf-8")

    assert [] == re.findall(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\son[a-z]+=", document)


def test_the_built_page_fetches_nothing_from_elsewhere() -> None:
    """Every address in the built document is a path on the same server."""
    document = (_BUILT / "index.html").read_text(encoding="utf-8")
    found = re.findall(r'(?:src|href)="([^"]*)"', document)

    assert found
    assert [] == [each for each in found if not re.match(r"/[^/]", each)]


def test_the_first_look_is_small() -> None:
    """The files that the start page needs are small; others are loaded when they are opened."""
    document = (_BUILT / "index.html").read_text(encoding="utf-8")
    named = re.findall(r'"/(assets/[^"]+|first\.js)"', document)
    sizes = [len(gzip.compress((_BUILT / name).read_bytes())) for name in named]

    assert sizes
    assert _LARGEST_FIRST > sum(sizes)
