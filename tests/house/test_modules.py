"""What every module and every test must have."""

import ast
import re
from pathlib import Path

from tests.house.pages import ROOT

_PACKAGE = ROOT / "src" / "saniwa"
_SOURCE = sorted(_PACKAGE.rglob("*.py"))
_NAME = re.compile(r"`([a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)*)`")
_OUTSIDE = {"evil.example", "gym", "inspect", "postgres", "saniwa.completion", "sudo"}
"""Host names, programs, extras and groups of entry points."""
_ACTIONS = {"describe", "emote", "introduce", "speak"}
_FILE = re.compile(r"\.(csv|json|md|toml|yaml)$")


def test_every_module_introduces_itself() -> None:
    """Every module of the source has a docstring."""
    silent = [
        str(path.relative_to(ROOT))
        for path in _SOURCE
        if len(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "") < 12
    ]

    assert [] == silent


def test_introductions_name_what_exists() -> None:
    """A name in a module's docstring is a module, a name in one, or a word this one uses."""
    unknown = []
    for path in _SOURCE:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        code = "\n".join(text.splitlines()[tree.body[0].end_lineno :])
        unknown += [
            f"{path.relative_to(_PACKAGE).as_posix()}: {name}"
            for name in _NAME.findall(ast.get_docstring(tree) or "")
            if name not in _OUTSIDE | _ACTIONS
            and not _FILE.search(name)
            and not ("." not in name and re.search(rf"\b{name}\b", code))
            and not _is_name_near(name.removeprefix("saniwa.").split("."), path.parent)
        ]

    assert [] == unknown


def _is_name_near(parts: list[str], folder: Path) -> bool:
    """Whether it is a module, or a name in one, of this package or of one that it is in."""
    return any(
        _is_module(place.joinpath(*parts)) or _is_defined(parts[-1], place.joinpath(*parts[:-1]))
        for place in (folder, *folder.parents)
        if place.is_relative_to(_PACKAGE)
    )


def _is_module(path: Path) -> bool:
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def _is_defined(name: str, path: Path) -> bool:
    files = (path.with_suffix(".py"), path / "__init__.py")
    texts = (file.read_text(encoding="utf-8") for file in files if file.is_file())
    return any(re.search(rf"^(async def |def )?{name}\b", text, re.M) for text in texts)


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
