"""Lets the Ren'Py 8.0 of Debian 12 run under its Python 3.11.

That Ren'Py makes syntax trees that end before they begin, and Python 3.11 no longer takes
those. Python reads this file where PYTHONPATH names its folder; a Ren'Py from renpy.org
needs none of it.
"""

import ast
import builtins

_compile = builtins.compile


def _repair_positions(source, *given, **named):
    if isinstance(source, ast.AST):
        for node in ast.walk(source):
            first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", None)
            if last is not None and last < first:
                node.end_lineno, node.end_col_offset = first, node.col_offset
    return _compile(source, *given, **named)


builtins.compile = _repair_positions
