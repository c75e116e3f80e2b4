"""What every module and every test must have."""

import ast
import re

from tests.house.pages import ROOT

_SOURCE = sorted((ROOT / "src" / "saniwa").rglob("*.py"))


def test_every_module_introduces_itself() -> None:
    """Every module of the source has a docstring."""
    silent = [
        str(path.relative_to(ROOT))
        for path in _SOURCE
        if len(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "") < 12
    ]

    assert [] == silent


def test_no_text_from_a_file_is_ever_evaluated() -> None:
    """Nothing in the source calls eval, exec or an unsafe loader."""
    calls = re.compile(
        r"(?<![\w.])(eval|exec|__import__)\(|yaml\.(load|unsafe_load|full_load)\(|pickle"
    )
    found = [
        str(p.relative_to(ROOT)) for p in _SOURCE if calls.search(p.read_text(encoding="utf-8"))
    ]

    assert [] == found


def test_only_one_module_knows_the_operating_system() -> None:
    """Calls that some systems lack are made in `core/system_calls.py`, with a replacement."""
    calls = re.compile(
        r"^\s*(?:import|from) (?:fcntl|termios|resource|pwd|grp|msvcrt|tty|curses)\b"
        r"|\bdir_fd\b|\bos\.(?:pread|pwrite|fdatasync|fchmod|fork|killpg|waitid|getuid|geteuid"
        r"|register_at_fork|O_(?:NOFOLLOW|NONBLOCK|NOCTTY|CLOEXEC|DIRECTORY|NOATIME))\b"
        r"|\bpthread_|\badd_signal_handler\b|\bsys\.platform\b|\bos\.name\b",
        re.MULTILINE,
    )
    found = [
        str(p.relative_to(ROOT)) for p in _SOURCE if calls.search(p.read_text(encoding="utf-8"))
    ]

    assert ["src/saniwa/core/system_calls.py"] == found


def test_every_test_states_its_rule() -> None:
    """Every test has a docstring, which states its rule."""
    silent = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                and node.name.startswith("test_")
                and not ast.get_docstring(node)
            ):
                silent.append(f"{path.name}: {node.name}")

    assert [] == silent


def test_every_exception_to_a_check_has_its_reason() -> None:
    """A line that a check leaves out has the reason next to it."""
    unexplained = re.compile(r"# noqa: [A-Z0-9, ]+$|# type: ignore\[[a-z, -]+\]$", re.M)
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{number}"
        for path in _SOURCE
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if unexplained.search(line)
    ]

    assert [] == found
