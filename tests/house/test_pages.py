from pathlib import Path

import pytest

from saniwa.cli.explain import CodeEntry, list_entries
from tests.fakes.servers import ServeProcess
from tests.house.pages import (
    ROOT,
    SERVED,
    list_blocks,
    list_commands,
    list_pages,
    matches_shown,
    parse_blocks,
    run_documented,
    write_file,
)

_ERRORS = ROOT / "docs" / "errors"
_READ = [p for p in list_pages() if p.parent != _ERRORS]
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


def _to_relative(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", _READ, ids=_to_relative)
def test_a_page_does_what_it_shows(page: Path, tmp_path: Path) -> None:
    """Every command on a page prints what the page shows, and every example runs."""
    names: dict[str, object] = {}
    for block in list_blocks(page):
        write_file(block, tmp_path)
        if block.info == "console":
            for command, expected in list_commands(block):
                actual = run_documented(command, tmp_path)
                assert matches_shown(expected, actual), f"$ {command}\n{actual}"
        elif block.info == "python":
            exec(compile(block.text, page.name, "exec"), names)
        elif block.info == "python served":
            with ServeProcess(tmp_path) as server:
                text = block.text.replace(SERVED, server.address)
                exec(compile(text, page.name, "exec"), names)
        elif block.info == "sh":
            typed_here = set(filter(None, block.text.strip().split("\n")))
            assert typed_here <= _SHOWN_ELSEWHERE


@pytest.mark.parametrize("entry", list(list_entries()), ids=lambda entry: entry.code)
def test_an_entry_of_the_catalogue_shows_its_code(entry: CodeEntry, tmp_path: Path) -> None:
    """The example of a code produces that code."""
    printed = ""
    for block in parse_blocks(entry.text):
        write_file(block, tmp_path)
        if block.info == "console":
            printed += "".join(run_documented(c.command, tmp_path) for c in list_commands(block))

    assert entry.code in printed
