"""The law of names: a name says what it means, and where to find it."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.house.pages import ROOT

SOURCE: Final = ROOT / "src" / "saniwa"
OTHER_FOLDERS: Final = ("tests", "benchmarks", "scripts", "examples", "experiments")
FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)

PUBLISHED_TWICE: Final = {"ValidationResult", "Wait"}
"""Names that two specifications publish."""
GIVEN_NAMES: Final = {
    # asyncio, ASGI, gymnasium, PettingZoo, inspect-ai, Dask and pygls call these names.
    "action_space",
    "aclose",
    "connection_lost",
    "connection_made",
    "dask_setup",
    "data_received",
    "main",
    "observation_space",
    "readline",
    "scenario",
    "setup",
    "shutdown",
    "startup",
    "teardown",
    "truthfulness",
    # The specification of agents publishes the emitter's methods.
    "on",
    "once",
    # The usual name for the time.
    "now",
}
PREDICATES: Final = ("rulebook/attribute_predicates.py", "rulebook/attribute_predicates.py")
"""Modules whose functions have the names of predicates in rulebooks."""

IRREGULAR: Final = frozenset(
    [
        "told",
        "kept",
        "held",
        "seen",
        "asked",
        "heard",
        "said",
        "made",
        "met",
        "gone",
        "given",
        "taken",
        "written",
        "known",
        "meant",
        "begun",
        "done",
        "found",
        "left",
        "sent",
        "shown",
        "thought",
        "understood",
        "brought",
        "bought",
        "built",
        "drawn",
        "felt",
        "got",
        "laid",
        "led",
        "lent",
        "lost",
        "paid",
        "sold",
        "spent",
        "stood",
        "taught",
        "torn",
        "won",
        "worn",
        "spoken",
        "broken",
        "chosen",
        "driven",
        "eaten",
        "fallen",
        "forgotten",
        "hidden",
        "ridden",
        "risen",
        "shaken",
        "stolen",
        "sworn",
        "thrown",
        "woken",
    ]
)
NO_NOUNS: Final = frozenset(
    [
        "above",
        "abroad",
        "after",
        "again",
        "alone",
        "along",
        "among",
        "apart",
        "around",
        "as",
        "at",
        "away",
        "before",
        "behind",
        "below",
        "beneath",
        "beside",
        "besides",
        "between",
        "beyond",
        "by",
        "down",
        "for",
        "from",
        "here",
        "in",
        "inside",
        "into",
        "near",
        "of",
        "off",
        "on",
        "once",
        "onto",
        "out",
        "outside",
        "over",
        "past",
        "same",
        "since",
        "sound",
        "there",
        "through",
        "to",
        "together",
        "toward",
        "under",
        "until",
        "up",
        "upon",
        "upright",
        "whole",
        "with",
        "within",
        "without",
        "you",
        "it",
        "they",
        "this",
        "that",
    ]
)
"""Adverbs, prepositions, pronouns and adjectives that may not name a module."""
REFUSED: Final = re.compile(
    r"(^|_)(utils?|helpers?|misc|common|stuff|things?|managers?|somebody|nobody|whoever"
    r"|garden|bells?|badges?|reception|bench|crews?|shelf|shelves|grip|lens|lenses|floor"
    r"|desk|abroad|undertaking|scribe|clerk|turnstile|workshop)(_|$)"
)
UNCLEAR: Final = re.compile(
    r"_(told|tells|anew|beside|goes_on|go_on|gone_on|stands|nobody|somebody|anybody|everybody"
    r"|whoever|spoilt|oftener|in_vain|ours)(_|$)"
)
"""Words in names of tests that have plainer ones: reported, again, next to, continues, is."""
VAGUE: Final = frozenset({"data", "info"})


SourceTrees = dict[Path, ast.Module]


@pytest.fixture(scope="module")
def modules() -> SourceTrees:
    """The package's modules; a fixture, because parsing all of them takes seconds."""
    return _parse(SOURCE.rglob("*.py"))


@pytest.fixture(scope="module")
def others() -> SourceTrees:
    """All Python files outside the package, without the environments of benchmarks."""
    return _parse(
        path
        for folder in OTHER_FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        if not any(part.startswith(".") or part == "node_modules" for part in path.parts)
    )


def _parse(paths: Iterable[Path]) -> SourceTrees:
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(paths)}


def test_no_two_public_classes_share_a_name(modules: SourceTrees) -> None:
    """No two public classes have one name; two packages that need one noun qualify it."""
    names = Counter(
        node.name
        for tree in modules.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )

    assert PUBLISHED_TWICE == {name for name, count in names.items() if count > 1}


def test_no_function_is_a_bare_participle(modules: SourceTrees) -> None:
    """No function's name is a participle alone, which does not say what it does or returns."""
    found = [
        f"{_to_relative(path)}:{node.lineno} {node.name}"
        for path, tree in modules.items()
        for node in ast.walk(tree)
        if isinstance(node, FUNCTIONS) and _is_participle(node.name)
    ]

    assert [] == found


def test_functions_begin_with_a_verb(modules: SourceTrees) -> None:
    """The first word of a function's name is in `verbs.txt`; a new verb is added there."""
    verbs = set((Path(__file__).parent / "verbs.txt").read_text("utf-8").split())
    found = [
        f"{_to_relative(path)}:{node.lineno} {node.name}"
        for path, tree in modules.items()
        if _to_relative(path) not in PREDICATES
        for node in _iterate_functions(tree)
        if node.name not in GIVEN_NAMES and node.name.strip("_").split("_")[0] not in verbs
    ]

    assert [] == found


def test_modules_are_nouns(modules: SourceTrees) -> None:
    """No participle, adverb, preposition, pronoun or adjective names a module."""
    words = {path: path.relative_to(SOURCE).with_suffix("").parts for path in modules}
    found = [
        _to_relative(path)
        for path, parts in words.items()
        for part in parts
        if _is_participle(part) or part in NO_NOUNS or part in VAGUE
    ]

    assert [] == found


def test_names_refuse_images_and_empty_words(modules: SourceTrees) -> None:
    """Names of the package have neither images nor empty words."""
    found = [
        f"{_to_relative(path)}: {name}"
        for path, tree in modules.items()
        for name in _list_names(path, tree)
        if REFUSED.search(_to_snake(name)) or name in VAGUE
    ]

    assert [] == found


PAGE: Final = ROOT / "web" / "src"
PAGE_FILES: Final = sorted(path for path in PAGE.rglob("*") if path.suffix in {".ts", ".svelte"})
_EXPORTED_FUNCTION: Final = re.compile(
    r"^export (?:async )?function (\w+)|^export const (\w+) = (?:async )?\(", re.M
)


def test_the_page_exports_functions_that_begin_with_a_verb() -> None:
    """The page's exported functions begin with a verb, as in Python."""
    verbs = set((Path(__file__).parent / "verbs.txt").read_text("utf-8").split())
    exported = [
        (path, found.group(1) or found.group(2))
        for path in PAGE_FILES
        for found in _EXPORTED_FUNCTION.finditer(path.read_text("utf-8"))
    ]

    assert exported
    assert [] == [
        f"{path.relative_to(PAGE)}: {name}"
        for path, name in exported
        if _to_snake(name).split("_")[0] not in verbs or _is_participle(name)
    ]


def test_files_of_the_page_are_nouns() -> None:
    """The name of a component or module of the page is a noun."""
    names = {path: _to_snake(path.name.split(".")[0]) for path in PAGE_FILES}

    assert [] == [
        path.relative_to(PAGE).as_posix()
        for path, name in names.items()
        if name != "badge"  # a small label, as every user interface calls it
        and (_is_participle(name) or name in NO_NOUNS or name in VAGUE or REFUSED.search(name))
    ]


def _to_relative(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def _is_participle(name: str) -> bool:
    bare = name.strip("_")
    regular = re.fullmatch(r"[a-z]{3,}ed", bare) is not None
    return bare in IRREGULAR or (regular and bare not in {"embed", "seed", "feed"})


def _iterate_functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions and methods; without properties, commands and dunder methods."""
    for node in tree.body:
        for each in node.body if isinstance(node, ast.ClassDef) else [node]:
            if (
                isinstance(each, FUNCTIONS)
                and not each.name.startswith("__")
                and not any(map(_is_noun_decorator, each.decorator_list))
            ):
                yield each


def _is_noun_decorator(node: ast.expr) -> bool:
    call = node.func if isinstance(node, ast.Call) else node
    name = getattr(call, "attr", getattr(call, "id", ""))
    return name in {"property", "cached_property", "setter", "command", "define_command"}


def _list_names(path: Path, tree: ast.Module) -> Iterator[str]:
    yield from path.relative_to(SOURCE).with_suffix("").parts
    for node in ast.walk(tree):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield node.name


def _to_snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


SYSTEM_CALLS: Final = frozenset(
    [
        "fdatasync",
        "fdopen",
        "flock",
        "fstat",
        "fsync",
        "ftruncate",
        "getpid",
        "listdir",
        "lseek",
        "lstat",
        "monotonic_ns",
        "pread",
        "pwrite",
    ]
)
"""Calls of the operating system that `tests/checked` replaces with functions of the same name."""


def test_no_two_public_classes_of_tests_share_a_name(others: SourceTrees) -> None:
    """No two public classes outside the package have one name."""
    names = Counter(
        node.name
        for tree in others.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )

    assert [] == [name for name, count in names.items() if count > 1]


def test_nothing_in_tests_is_a_bare_participle(others: SourceTrees) -> None:
    """No function or class outside the package has a participle alone as its name."""
    found = [
        f"{_locate(path)}:{node.lineno} {node.name}"
        for path, tree in others.items()
        for node in ast.walk(tree)
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and _is_participle(node.name.lower())
    ]

    assert [] == found


def test_functions_of_tests_begin_with_a_verb(others: SourceTrees) -> None:
    """The first word of a helper's name is in one of the two lists of verbs."""
    folder = Path(__file__).parent
    files = (folder / "verbs.txt", folder / "verbs_of_tests.txt")
    verbs = set().union(*(file.read_text("utf-8").split() for file in files))
    found = [
        f"{_locate(path)}:{node.lineno} {node.name}"
        for path, tree in others.items()
        for node in _iterate_functions(tree)
        if not _is_called_by_pytest(node)
        and node.name not in GIVEN_NAMES
        and node.name.strip("_") not in SYSTEM_CALLS
        and node.name.strip("_").split("_")[0] not in verbs
    ]

    assert [] == found


def test_modules_of_tests_are_nouns(others: SourceTrees) -> None:
    """No participle, adverb or preposition names a module outside the package."""
    names = {path: path.stem.removeprefix("test_") for path in others}

    assert [] == [
        _locate(path)
        for path, name in names.items()
        if _is_participle(name) or name in NO_NOUNS or name in VAGUE
    ]


def test_names_of_tests_refuse_images_and_empty_words(others: SourceTrees) -> None:
    """Names outside the package, those of tests included, have neither images nor empty words."""
    found = [
        f"{_locate(path)}: {name}"
        for path, tree in others.items()
        for name in (path.stem, *_list_definitions(tree))
        if REFUSED.search(_to_snake(name)) or name in VAGUE
    ]

    assert [] == found


def test_names_of_tests_use_plain_words(others: SourceTrees) -> None:
    """The name of a test has no word for which there is a plainer one."""
    found = [
        f"{_locate(path)}: {name}"
        for path, tree in others.items()
        for name in _list_definitions(tree)
        if name.startswith("test_") and UNCLEAR.search(name)
    ]

    assert [] == found


def _locate(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _is_called_by_pytest(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether it is a test, a hook or a fixture."""
    calls = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
    is_fixture = any(getattr(each, "attr", "") == "fixture" for each in calls)
    return is_fixture or node.name.startswith(("test_", "pytest_"))


def _list_definitions(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield node.name
