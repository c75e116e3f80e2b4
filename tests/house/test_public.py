"""The public API of `saniwa`: sorted, cheap to import, and the only names that pages use."""

import ast
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import saniwa
from tests.house.pages import ROOT, list_blocks, list_pages


def _list_names(module: str) -> list[str]:
    return [name for name in vars(importlib.import_module(module)) if not name.startswith("_")]


def test_the_public_list_is_sorted_and_complete() -> None:
    """Every public name exists, and the list is sorted."""
    assert sorted(saniwa._HOMES) == list(saniwa._HOMES) == saniwa.__all__
    assert all(hasattr(saniwa, name) for name in dir(saniwa))


def test_nothing_else_is_offered() -> None:
    """Another name is an AttributeError, as in any module."""
    with pytest.raises(AttributeError, match="no attribute 'read_everything'"):
        saniwa.__getattribute__("read_everything")


@pytest.mark.parametrize("module", saniwa._MODULES)
def test_the_public_modules_are_sorted(module: str) -> None:
    """A public module imports one name per line, sorted by where it comes from."""
    source = (ROOT / "src" / "saniwa" / f"{module}.py").read_text(encoding="utf-8")
    lines = re.findall(r"^from (\S+) import (\w+) as \2$", source, re.MULTILINE)

    assert lines
    assert sorted(lines) == lines
    assert source.count(" import ") == len(lines)


def test_importing_saniwa_loads_nothing_else() -> None:
    """Importing `saniwa` loads no other module of it."""
    script = "import saniwa, sys; print(*[m for m in sys.modules if m.startswith('saniwa')])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert "saniwa" == done.stdout.strip()


def test_help_loads_nothing_heavy() -> None:
    """Printing the help loads neither a parser nor a store nor a colour library."""
    heavy = [
        "rich",
        "yaml",
        "sqlite3",
        "psycopg",
        "asyncio",
        "jsonschema_rs",
        "rapidfuzz",
        "orjson",
    ]
    script = (
        "import sys\n"
        "from saniwa.cli.main import _run\n"
        "_run(['--help'])\n"
        f"print('LOADED', *[m for m in {heavy!r} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert "LOADED" == done.stdout.strip().split("\n")[-1]


def _find_inner_imports(source: str) -> Iterator[str]:
    """The names that a program imports from Saniwa and that are not public."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.startswith("saniwa."))
        elif isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("saniwa."):
            public = _list_public_names(str(node.module))
            yield from (f"{node.module}.{n.name}" for n in node.names if n.name not in public)


def _list_public_names(module: str) -> list[str]:
    if module == "saniwa":
        return dir(saniwa)
    is_public = module.removeprefix("saniwa.") in saniwa._MODULES
    return _list_names(module) if is_public else []


def _list_programs(page: Path) -> Iterator[str]:
    """The Python on a page or in a notebook."""
    if page.suffix == ".ipynb":
        cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
        yield from ("".join(each["source"]) for each in cells if each["cell_type"] == "code")
    else:
        yield from (each.text for each in list_blocks(page) if _is_python(each.info))


def _is_python(info: str) -> bool:
    return info.split()[:1] == ["python"] or info.endswith(".py")


def test_documentation_imports_public_names_alone() -> None:
    """A page or a notebook imports only public names of Saniwa."""
    pages = [*list_pages(), *sorted((ROOT / "docs").rglob("*.ipynb"))]
    found = [
        f"{page.name}: {name}"
        for page in pages
        for program in _list_programs(page)
        for name in _find_inner_imports(program)
    ]

    assert [] == found
