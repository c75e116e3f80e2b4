from pathlib import Path

import pytest

from tests.fakes.servers import Server
from tests.house.pages import ROOT, SERVED, as_shown, blocks, pages, run, typed, write_file

_ERRORS = ROOT / "docs" / "errors"
_READ = [p for p in pages() if p.parent != _ERRORS]
_SHOWN_ELSEWHERE = {
    "make run",
    "make run PORT=8000",
    "make page",
    "make wheel",
    "make play",
    "make play LANGUAGE=ja",
    "make test",
    "make bench",
    "make setup",
    "make format",
    "make lint",
    "make types",
    "make lock",
    "make help",
    "make check",
}
"""Typed in the checkout itself; tests/journeys/test_make.py runs them."""


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", _READ, ids=_name)
def test_a_page_does_what_it_shows(page: Path, tmp_path: Path) -> None:
    """Every command on a page prints what the page says, and every example runs."""
    names: dict[str, object] = {}
    for block in blocks(page):
        write_file(block, tmp_path)
        if block.info == "console":
            for command, expected in typed(block):
                actual = run(command, tmp_path)
                assert as_shown(expected, actual), f"$ {command}\n{actual}"
        elif block.info == "python":
            exec(compile(block.text, page.name, "exec"), names)
        elif block.info == "python served":
            with Server(tmp_path) as server:
                text = block.text.replace(SERVED, server.address)
                exec(compile(text, page.name, "exec"), names)
        elif block.info == "sh":
            typed_here = set(filter(None, block.text.strip().split("\n")))
            assert typed_here <= _SHOWN_ELSEWHERE


@pytest.mark.parametrize("page", sorted(_ERRORS.glob("*.md")), ids=lambda p: p.stem)
def test_an_error_page_shows_its_error(page: Path, tmp_path: Path) -> None:
    """The example on a code's page produces that code."""
    printed = ""
    for block in blocks(page):
        write_file(block, tmp_path)
        if block.info == "console":
            printed += "".join(run(c.command, tmp_path) for c in typed(block))

    assert page.read_text(encoding="utf-8").startswith(f"# {page.stem}\n")
    assert page.stem in printed
