"""Runs a notebook as Jupyter does, without Jupyter: cells in order, `await` at the top."""

import ast
import asyncio
import contextlib
import inspect
import io
import json
from pathlib import Path
from typing import Any


def read_cells(page: Path) -> list[tuple[str, str]]:
    """The code of each code cell, and the output that is stored with it."""
    cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
    return [
        ("".join(each["source"]), "".join(map(_read_output, each["outputs"])))
        for each in cells
        if each["cell_type"] == "code"
    ]


def run_cells(programs: list[str], name: str) -> list[str]:
    """What each program prints, followed by the value of its last expression."""
    names: dict[str, Any] = {"__name__": "__main__"}

    async def run_all() -> list[str]:
        return [await _run_cell(each, names, name) for each in programs]

    return asyncio.run(run_all())


async def _run_cell(program: str, names: dict[str, Any], name: str) -> str:
    tree = ast.parse(program)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        await _evaluate(tree, name, "exec", names)
        value = None
        if isinstance(last, ast.Expr):
            value = await _evaluate(ast.Expression(last.value), name, "eval", names)
    return printed.getvalue() + ("" if value is None else repr(value))


async def _evaluate(tree: ast.AST, name: str, mode: str, names: dict[str, Any]) -> Any:
    code = compile(tree, name, mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)  # type: ignore[call-overload]
    given = eval(code, names)
    return await given if inspect.isawaitable(given) else given


def _read_output(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return "".join(output["text"])
    return "".join(output["data"]["text/plain"])
