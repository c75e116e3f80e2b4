"""The law of names: a stranger guesses what a name means, and where a thing lives."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.house.pages import ROOT

SOURCE: Final = ROOT / "src" / "saniwa"
MODULES: Final = {path: ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))}  # fmt: skip
FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)

PUBLISHED_TWICE: Final = {"ValidationResult", "Wait"}
"""Names that two specifications publish."""
GIVEN_NAMES: Final = {
    # asyncio, ASGI, gymnasium, PettingZoo, inspect-ai, Dask and pygls call us by these.
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
    # What everybody calls the time, and what click calls its decorators.
    "now",
    "agent_options",
    "cells_option",
    "decision_options",
    "dir_option",
    "execution_options",
    "gate_options",
    "graph_options",
    "json_option",
    "model_options",
    "output_option",
    "registry_option",
}
PREDICATES: Final = ("rulebook/attribute_predicates.py", "rulebook/attribute_predicates.py")
"""Modules whose functions carry the names of predicates in rulebooks."""

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
"""Adverbs, prepositions, pronouns and adjectives that no module is called by."""
REFUSED: Final = re.compile(
    r"(^|_)(utils?|helpers?|misc|common|stuff|things?|managers?|somebody|nobody|whoever"
    r"|garden|bells?|badges?|reception|bench|crews?|shelf|shelves|grip|lens|lenses|floor"
    r"|desk|abroad|undertaking|scribe|clerk|turnstile|workshop)(_|$)"
)
VAGUE: Final = frozenset({"data", "info"})


def test_no_two_public_classes_share_a_name() -> None:
    """Two packages that need one noun both qualify it."""
    names = Counter(
        node.name
        for tree in MODULES.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )

    assert PUBLISHED_TWICE == {name for name, count in names.items() if count > 1}


def test_no_function_is_a_bare_participle() -> None:
    """`told` or `_kept` says neither what is done nor what is returned."""
    found = [
        f"{_place(path)}:{node.lineno} {node.name}"
        for path, tree in MODULES.items()
        for node in ast.walk(tree)
        if isinstance(node, FUNCTIONS) and _is_participle(node.name)
    ]

    assert [] == found


def test_functions_begin_with_a_verb() -> None:
    """A new verb is added to `verbs.txt`, once it is clear that it is one."""
    verbs = set((Path(__file__).parent / "verbs.txt").read_text("utf-8").split())
    found = [
        f"{_place(path)}:{node.lineno} {node.name}"
        for path, tree in MODULES.items()
        if _place(path) not in PREDICATES
        for node in _functions(tree)
        if node.name not in GIVEN_NAMES and node.name.strip("_").split("_")[0] not in verbs
    ]

    assert [] == found


def test_modules_are_nouns() -> None:
    """No participle, adverb, preposition, pronoun or adjective names a module."""
    words = {path: path.relative_to(SOURCE).with_suffix("").parts for path in MODULES}
    found = [
        _place(path)
        for path, parts in words.items()
        for part in parts
        if _is_participle(part) or part in NO_NOUNS or part in VAGUE
    ]

    assert [] == found


def test_names_refuse_images_and_empty_words() -> None:
    """The product's few images stay where users see them."""
    found = [
        f"{_place(path)}: {name}"
        for path, tree in MODULES.items()
        for name in _names(path, tree)
        if REFUSED.search(_snake(name)) or name in VAGUE
    ]

    assert [] == found


PAGE: Final = ROOT / "web" / "src"
PAGE_FILES: Final = sorted(path for path in PAGE.rglob("*") if path.suffix in {".ts", ".svelte"})
_EXPORTED_FUNCTION: Final = re.compile(
    r"^export (?:async )?function (\w+)|^export const (\w+) = (?:async )?\(", re.M
)


def test_the_page_exports_functions_that_begin_with_a_verb() -> None:
    """The page keeps the same law as Python."""
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
        if _snake(name).split("_")[0] not in verbs or _is_participle(name)
    ]


def test_files_of_the_page_are_nouns() -> None:
    """A component or module of the page is called by what it is or shows."""
    names = {path: _snake(path.name.split(".")[0]) for path in PAGE_FILES}

    assert [] == [
        path.relative_to(PAGE).as_posix()
        for path, name in names.items()
        if name != "badge"  # a small label, as every user interface calls it
        and (_is_participle(name) or name in NO_NOUNS or name in VAGUE or REFUSED.search(name))
    ]


def _place(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def _is_participle(name: str) -> bool:
    bare = name.strip("_")
    regular = re.fullmatch(r"[a-z]{3,}ed", bare) is not None
    return bare in IRREGULAR or (regular and bare not in {"embed", "seed", "feed"})


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
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
    return name in {"property", "cached_property", "setter", "command", "group"}


def _names(path: Path, tree: ast.Module) -> Iterator[str]:
    yield from path.relative_to(SOURCE).with_suffix("").parts
    for node in ast.walk(tree):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield node.name


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
