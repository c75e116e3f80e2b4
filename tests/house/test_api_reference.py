"""The reference is what the docstrings say, and a user's program is type-checked."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from scripts.api_reference import PAGES, STUB, ApiReference, render_stub

from tests.house.pages import ROOT

_PROGRAM: Final = ROOT / "tests" / "house" / "user" / "program.py"
_MISTAKE: Final = "\nreason: int = verdict.reason_code\nopen_scenario(5)\ngate.close(1)\n"
_STRICT: Final = '{"typeCheckingMode": "strict", "pythonVersion": "3.11"}'


@pytest.fixture(scope="module")
def reference() -> ApiReference:
    """The public names and their docstrings; it takes seconds to read all modules."""
    return ApiReference()


def test_the_reference_is_up_to_date(reference: ApiReference) -> None:
    """`make api` has been run after the last change of a docstring or a name."""
    written = {page.name: page.read_text(encoding="utf-8") for page in (ROOT / PAGES).glob("*.md")}

    assert reference.render_pages() == written


def test_the_stub_is_up_to_date() -> None:
    """Type checkers see the same names as a running program."""
    assert render_stub() == (ROOT / STUB).read_text(encoding="utf-8")


def test_every_public_name_method_and_field_has_a_docstring(reference: ApiReference) -> None:
    """The reference has no empty entry."""
    assert [] == [*reference.find_undocumented()]


def test_the_types_of_results_are_public(reference: ApiReference) -> None:
    """What a public call returns can be named in the user's own program."""
    assert [] == [*reference.find_hidden_results()]


def test_a_users_program_runs(tmp_path: Path) -> None:
    """The program that is type-checked is also true."""
    done = subprocess.run(
        [sys.executable, str(_PROGRAM)], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (0, "") == (done.returncode, done.stderr)


def _check_with_pyright(program: str, folder: Path) -> str:
    """What pyright says about a program outside of the checkout."""
    (folder / "program.py").write_text(program, encoding="utf-8")
    (folder / "pyrightconfig.json").write_text(_STRICT, encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    done = subprocess.run(
        [*command, "-p", str(folder)], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout


def test_pyright_accepts_a_users_program(tmp_path: Path) -> None:
    """`from saniwa import …` gives real types in an editor, and so do the public modules."""
    found = _check_with_pyright(_PROGRAM.read_text(encoding="utf-8"), tmp_path)

    assert "0 errors, 0 warnings" in found, found


def test_pyright_finds_a_users_mistakes(tmp_path: Path) -> None:
    """A wrong type, argument or method is an error, so the types are not `Any`."""
    found = _check_with_pyright(_PROGRAM.read_text(encoding="utf-8") + _MISTAKE, tmp_path)

    assert "3 errors" in found, found


def test_mypy_finds_a_users_mistakes(tmp_path: Path) -> None:
    """The same under mypy; `make types` checks the program itself, strictly."""
    shutil.copy(_PROGRAM, tmp_path / "program.py")
    with (tmp_path / "program.py").open("a", encoding="utf-8") as program:
        program.write(_MISTAKE)
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    done = subprocess.run(
        [*command, str(tmp_path / "program.py")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "Found 3 errors in 1 file" in done.stdout, done.stdout
