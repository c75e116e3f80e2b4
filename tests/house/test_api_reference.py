"""The reference matches the docstrings, and a user's program is type-checked."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from scripts.api_reference import PAGES, STUB, ApiReference, render_stub

from tests.house.pages import ROOT

_PROGRAM: Final = ROOT / "tests" / "house" / "user" / "program.py"
_MISTAKES: Final = _PROGRAM.with_name("mistakes.py")
_STRICT: Final = (
    '{"typeCheckingMode": "strict", "pythonVersion": "3.11", "enableTypeIgnoreComments": false}'
)


@pytest.fixture(scope="module")
def reference() -> ApiReference:
    """The public names and their docstrings, read once because that takes seconds."""
    return ApiReference()


def test_the_reference_is_up_to_date(reference: ApiReference) -> None:
    """The reference pages are what `make api` writes now."""
    written = {page.name: page.read_text(encoding="utf-8") for page in (ROOT / PAGES).glob("*.md")}

    assert reference.render_pages() == written


def test_the_stub_is_up_to_date() -> None:
    """The stub is what the generator writes now, so type checkers see the names of a program."""
    assert render_stub() == (ROOT / STUB).read_text(encoding="utf-8")


def test_every_public_name_method_and_field_has_a_docstring(reference: ApiReference) -> None:
    """The reference has no empty entry."""
    assert [] == [*reference.find_undocumented()]


def test_the_types_of_results_are_public(reference: ApiReference) -> None:
    """Every type that a public call returns is public itself."""
    assert [] == [*reference.find_hidden_results()]


def test_a_users_program_runs(tmp_path: Path) -> None:
    """The program that is type-checked also runs without an error."""
    done = subprocess.run(
        [sys.executable, str(_PROGRAM)], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (0, "") == (done.returncode, done.stderr)


def test_pyright_accepts_a_users_program_and_finds_mistakes(tmp_path: Path) -> None:
    """Outside the checkout, `from saniwa import …` has real types, and wrong ones are errors.

    Wrong types and arguments are errors, so the types are not `Any`. `make types` checks both
    programs with mypy.
    """
    for program in (_PROGRAM, _MISTAKES):
        shutil.copy(program, tmp_path)
    (tmp_path / "pyrightconfig.json").write_text(_STRICT, encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    done = subprocess.run(
        [*command, "-p", str(tmp_path)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    found = [line for line in done.stdout.split("\n") if " - error: " in line]

    assert 3 == len(found), done.stdout
    assert all("mistakes.py" in line for line in found), done.stdout
    assert "3 errors, 0 warnings" in done.stdout
