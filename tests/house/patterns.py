"""Finds every regular expression of the package, and texts that make a slow one take long.

The texts are made from the expression itself: each of its parts and runs of parts is
repeated, after the text that must come before it, and left unfinished.
"""

import ast
import importlib
import pkgutil
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from time import process_time
from typing import Any, Final, NamedTuple

import saniwa
from tests.house.pages import ROOT

with warnings.catch_warnings():
    # The only parser of expressions that Python has; it is not public.
    warnings.simplefilter("ignore", DeprecationWarning)
    from re import _constants as sre  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]

_SOURCE: Final = ROOT / "src"
_ANY: Final = ("match", "search", "fullmatch")
_POOL: Final = 'a 0"\\[{<(-_.:=!*#\n\u3000「あア一'
_FEW: Final = 3
_LEAVES: Final = 10
_MOST_TEXTS: Final = 150
_SHORT: Final = (14, 20, 28, 36, 100, 300, 1_000)
_ENDLESS: Final = 0.02
_LONG: Final = 4_000
_TRIES: Final = 5
_MOST_GROWTH: Final = 8
_CLEAR: Final = 0.004


class UsedExpression(NamedTuple):
    """A compiled expression, and how the package uses it."""

    place: str
    """Where it is defined."""
    pattern: re.Pattern[Any]
    """The expression."""
    methods: frozenset[str]
    """The methods by which the package uses it."""


def find_expressions() -> list[UsedExpression]:
    """Return every expression in a variable or class attribute of the package."""
    found = dict[tuple[str | bytes, int, frozenset[str]], UsedExpression]()
    for module in _import_modules():
        uses = _find_uses(module.__name__)
        for name, value in list(vars(module).items()):
            for path, pattern, method in _find_expressions(name, value, module.__name__):
                used = {method} if method else uses.get(path, set()) & _COMPILING
                methods = frozenset(used or _ANY)
                each = UsedExpression(f"{module.__name__}.{path}", pattern, methods)
                found.setdefault((pattern.pattern, pattern.flags, methods), each)
    return sorted(found.values(), key=lambda each: each.place)


def _import_modules() -> Iterator[Any]:
    for each in pkgutil.walk_packages(saniwa.__path__, "saniwa."):
        if not each.name.endswith("__main__"):
            yield importlib.import_module(each.name)


def _find_expressions(
    path: str, value: object, module: str, depth: int = 3
) -> Iterator[tuple[str, re.Pattern[Any], str]]:
    """The expressions in a value: itself, its bound method's owner, its items, its attributes."""
    owner = getattr(value, "__self__", None)
    if isinstance(value, re.Pattern):
        yield path, value, ""
    elif isinstance(owner, re.Pattern):
        yield path, owner, value.__name__  # type: ignore[attr-defined]
    elif depth and isinstance(value, dict):
        for each in [*value.keys(), *value.values()]:
            yield from _find_expressions(path, each, module, depth - 1)
    elif depth and isinstance(value, tuple | list | set | frozenset):
        for each in value:
            yield from _find_expressions(path, each, module, depth - 1)
    elif depth and isinstance(value, type) and value.__module__ == module:
        for name, each in list(vars(value).items()):
            yield from _find_expressions(f"{path}.{name}", each, module, depth - 1)


def _find_uses(module: str) -> dict[str, set[str]]:
    """For each name of a module, the methods of expressions that are called on it."""
    file = sys.modules[module].__file__
    uses = dict[str, set[str]]()
    if file is None:
        return uses
    with open(file, encoding="utf-8") as opened:  # noqa: PTH123 - a path as a string
        tree = ast.parse(opened.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            uses.setdefault(node.value.id, set()).add(node.attr)
    return uses


def find_late_calls() -> set[str]:
    """Return the calls in functions that compile an expression, as `module.function`."""
    found = set[str]()
    for path in sorted((_SOURCE / "saniwa").rglob("*.py")):
        module = ".".join(path.relative_to(_SOURCE).with_suffix("").parts)
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                found |= {
                    f"{module}.{function.name}"
                    for node in ast.walk(function)
                    if isinstance(node, ast.Attribute)
                    and isinstance(node.value, ast.Name)
                    and node.value.id == "re"
                    and node.attr in _COMPILING
                }
    return found


_COMPILING: Final = frozenset(
    {"compile", "match", "search", "fullmatch", "findall", "finditer", "split", "sub", "subn"}
)  # fmt: skip


class HostileText(NamedTuple):
    """A text that can have any length."""

    before: str
    """The beginning."""
    loop: str
    """The repeated part."""
    after: str
    """The end."""

    def write(self, size: int) -> str:
        """Return the text with about that many characters."""
        return self.before + self.loop * max(size // len(self.loop), 1) + self.after


def find_hostile_texts(pattern: re.Pattern[Any]) -> list[HostileText]:
    """Return texts that an expression may have to read repeatedly."""
    written = pattern.pattern
    if isinstance(written, bytes):
        written = written.decode("latin-1")
    flags = pattern.flags
    tree = parser.parse(written, flags)
    leaves = list(dict.fromkeys(each for each in _leaves(tree, flags) if each))
    leaves = leaves[:_LEAVES]
    found = dict[HostileText, None]()
    for before, loop in _find_loops(list(tree), flags):
        for after in ("", "\0", *leaves[:_FEW]):
            found[HostileText(before, loop, after)] = None
    for one in leaves:
        for other in ("", *leaves):
            for after in ("", "\0"):
                found[HostileText("", one + other, after)] = None
                found[HostileText(one, (other or one), after)] = None
    texts = [each for each in found if each.loop]
    return texts[:: len(texts) // _MOST_TEXTS + 1]


def _find_loops(items: list[Any], flags: int) -> Iterator[tuple[str, str]]:
    """The preceding text and the repeated text, for every run of parts at every depth."""
    for first in range(len(items)):
        before = _make_sample(items[:first], flags)
        for last in range(first + 1, min(len(items), first + 5) + 1):
            for loop in _make_samples(items[first:last], flags):
                yield before, loop
        for inner in _list_inside(items[first]):
            for more, loop in _find_loops(inner, flags):
                yield before + more, loop


def _list_inside(item: Any) -> list[list[Any]]:
    kind, value = item
    if kind is sre.BRANCH:
        return [list(each) for each in value[1]]
    if kind in (sre.SUBPATTERN, sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        return [list(value[-1])]
    if kind in (sre.ASSERT, sre.ASSERT_NOT):
        return [list(value[1])]
    return [list(value)] if kind is sre.ATOMIC_GROUP else []


def _leaves(items: Iterable[Any], flags: int) -> Iterator[str]:
    """Every character or word in an expression, and some characters that it allows."""
    word = ""
    for item in items:
        if item[0] is sre.LITERAL:
            word += chr(item[1])
            yield chr(item[1])
            continue
        if len(word) > 1:
            yield word
        word = ""
        inside = _list_inside(item)
        for each in inside:
            yield from _leaves(each, flags)
        if not inside:
            yield from _sample_item(item, flags)
    if len(word) > 1:
        yield word


def _make_sample(items: list[Any], flags: int) -> str:
    return next(iter(_make_samples(items, flags)), "")


def _make_samples(items: Iterable[Any], flags: int) -> list[str]:
    """A few texts that match the parts in sequence."""
    found = [""]
    for item in items:
        these = _sample_item(item, flags) or [""]
        found = [one + other for one in found for other in these][: _FEW * 2]
    return list(dict.fromkeys(found))


def _sample_item(item: Any, flags: int) -> list[str]:
    kind, value = item
    if kind is sre.LITERAL:
        return [chr(value)]
    if kind in (sre.NOT_LITERAL, sre.IN, sre.ANY):
        return _list_characters(item)
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        least, _, inside = value
        often = min(max(least, 1), 200)
        return [each * often for each in _make_samples(inside, flags)]
    if kind is sre.BRANCH:
        each = [_make_samples(branch, flags)[:_FEW] for branch in value[1]]
        return [text for texts in each for text in texts][: _FEW * 4]
    if kind is sre.SUBPATTERN:
        return _make_samples(value[-1], flags)
    if kind is sre.ATOMIC_GROUP:
        return _make_samples(value, flags)
    return []


def _list_characters(item: Any) -> list[str]:
    kind, value = item
    if kind is sre.NOT_LITERAL:
        return [each for each in _POOL if each != chr(value)][:_FEW]
    if kind is sre.ANY:
        return ["a", '"', "["]
    negated = value[0][0] is sre.NEGATE
    if negated:
        unwanted = "".join(_list_members(value[1:]))
        return [each for each in _POOL if each not in unwanted][:_FEW]
    return _list_members(value)[: _FEW + 2]


_CATEGORIES: Final = {
    sre.CATEGORY_DIGIT: "0",
    sre.CATEGORY_NOT_DIGIT: 'a"',
    sre.CATEGORY_SPACE: " \n",
    sre.CATEGORY_NOT_SPACE: 'a"',
    sre.CATEGORY_WORD: "a0",
    sre.CATEGORY_NOT_WORD: ' "',
}


def _list_members(values: Iterable[Any]) -> list[str]:
    found = list[str]()
    for kind, value in values:
        if kind is sre.LITERAL:
            found.append(chr(value))
        elif kind is sre.RANGE:
            found.append(chr(value[0]))
        elif kind is sre.CATEGORY:
            found.extend(_CATEGORIES[value])
    return found


def is_linear(each: UsedExpression, text: HostileText) -> bool:
    """Return whether four times the text takes about four times as long.

    A quadratic expression takes sixteen times as long. One that ends within a few milliseconds
    is certainly linear: a quadratic one would take many times that for a text of this length.
    A single fast measurement is enough, since a busy machine only adds to the measured time.
    """
    for size in _SHORT:
        costs = (_measure_cost(each, text.write(size)) for _ in range(_TRIES))
        if all(cost > _ENDLESS for cost in costs):
            return False
    for _ in range(_TRIES):
        long = _measure_cost(each, text.write(_LONG))
        if long < _CLEAR:
            return True
        short = _measure_cost(each, text.write(_LONG // 4))
        if long < _MOST_GROWTH * short:
            return True
    return False


def _measure_cost(each: UsedExpression, written: str) -> float:
    """Return the seconds of CPU time that an expression spends on a text."""
    binary = isinstance(each.pattern.pattern, bytes)
    text: Any = written.encode("utf-8", "replace") if binary else written
    began = process_time()
    for method in each.methods:
        if method in ("match", "fullmatch"):
            getattr(each.pattern, method)(text)
        else:
            for _ in each.pattern.finditer(text):
                pass
    return process_time() - began
