"""The house keeps its words."""

import ast
import re
from pathlib import Path

from tests.house.pages import ROOT

_SOURCE = sorted((ROOT / "src" / "saniwa").rglob("*.py"))
_BANNED = re.compile(
    r"(^|_)(util|helper|manager|handler|base|common|misc|data|info|session|context|engine)s?(_|$)"
)
_VERBS = re.compile(r"^(validate|process|get)_")
_PUBLISHED = {
    "validate_scenario",
    "ValidationResult",
    "SchemaValidationError",
    "CompletionHandler",
    "CompositeCompletionHandler",
    "get_condition_states",
    "get_reason",
    "get_session_id",
}
"""Names the scenario contract and the agent contract publish."""


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _made(path: Path, *kinds: type[ast.AST]) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    made = {n.name for n in ast.walk(tree) if isinstance(n, kinds)}  # type: ignore[attr-defined]
    # Names that click, asyncio and the standard reader of HTML call us by.
    overrides = {"get_command", "data_received", "handle_data"}
    return made - overrides - _PUBLISHED


def _verbs(path: Path) -> set[str]:
    """What is called like an act; a class is a thing, so a `ProcessError` may be one."""
    return _made(path, ast.FunctionDef, ast.AsyncFunctionDef)


def _names(path: Path) -> set[str]:
    """What a file makes, and what it and the folders on the way to it are called."""
    way = path.relative_to(ROOT / "src").with_suffix("").parts
    return _verbs(path) | _made(path, ast.ClassDef) | {*way}


def test_names_say_what_they_mean() -> None:
    """No folder, module, class or function hides behind a word that means nothing."""
    vague = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in _SOURCE
        for name in _names(path)
        if _BANNED.search(_snake(name))
        or (name in _verbs(path) and _VERBS.search(_snake(name)))
    }

    assert set() == vague


def test_every_module_introduces_itself() -> None:
    """A module says what it is for before it does anything."""
    silent = [
        str(path.relative_to(ROOT))
        for path in _SOURCE
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]

    assert [] == silent


def test_no_text_from_a_file_is_ever_evaluated() -> None:
    """Nothing in the source calls eval, exec or an unsafe loader."""
    calls = re.compile(
        r"(?<![\w.])(eval|exec|__import__)\(|yaml\.(load|unsafe_load|full_load)\(|pickle"
    )
    found = [
        str(p.relative_to(ROOT))
        for p in _SOURCE
        if calls.search(p.read_text(encoding="utf-8"))
    ]

    assert [] == found


def test_every_test_states_its_rule() -> None:
    """Each test has one sentence that says what must hold."""
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
