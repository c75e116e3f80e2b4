"""Every row of the table of peers has an answer in the benchmarks."""

import ast
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest
from benchmarks.parts import PARTS, BenchmarkPart
from benchmarks.peer_questions import QUESTIONS, PeerRow

from tests.house.pages import ROOT

_PEERS = ROOT / "benchmarks" / "peers"
_OTHERS = sys.stdlib_module_names | {
    "agents",
    "benchmarks",
    "bink",
    "burr",
    "concordia",
    "dbos",
    "django",
    "evennia",
    "inspect_ai",
    "jericho",
    "langchain_core",
    "langgraph",
    "numpy",
    "openai",
    "pydantic_ai",
    "sqlalchemy",
    "statemachine",
    "textworld",
    "textworld_express",
    "tiktoken",
    "transitions",
}
"""Modules in a peer's environment that are not scripts."""
_PAGE = ROOT / "docs" / "reference" / "benchmarks.md"


def test_every_question_is_answered_by_some_part() -> None:
    """Every row of the table of peers is answered by a part, and each part answers a known row."""
    assert set(PeerRow) == set(QUESTIONS)
    assert set(PeerRow) == {asked for part in PARTS for asked in part.answers}


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_a_part_can_be_opened_and_names_what_it_answers(part: BenchmarkPart) -> None:
    """Each part can be loaded, and its module names each row that it answers."""
    part.load_measure()
    module = import_module(f"benchmarks.{part.name}")
    sources = [(ROOT / "benchmarks" / f"{part.name}.py").read_text(encoding="utf-8")]
    sources += [
        (ROOT / "benchmarks" / f"{name}.py").read_text(encoding="utf-8")
        for name in vars(module)
        if (ROOT / "benchmarks" / f"{name}.py").exists()
    ]

    named = set(re.findall(r"\bPeerRow\.([A-Z_]+)", "\n".join(sources)))
    assert {asked.name for asked in part.answers} <= named


@pytest.mark.parametrize("script", sorted(_PEERS.glob("*.py")), ids=lambda script: script.stem)
def test_a_peers_script_imports_only_what_its_neighbours_have(script: Path) -> None:
    """A peer's script imports only names that its modules have, since no type checker reads it."""
    imports = [each for each in ast.walk(_parse(script)) if isinstance(each, ast.ImportFrom)]
    own = [each for each in imports if str(each.module).partition(".")[0] not in _OTHERS]
    wanted = {(str(each.module), alias.name) for each in own for alias in each.names}

    assert [] == [(module, name) for module, name in wanted if name not in _list_names(module)]


def _parse(script: Path) -> ast.Module:
    return ast.parse(script.read_text(encoding="utf-8"))


def _list_names(module: str) -> set[str]:
    top = _parse(_PEERS / f"{module}.py").body
    defined = {each.name for each in top if isinstance(each, ast.FunctionDef | ast.ClassDef)}
    targets = [target for each in top if isinstance(each, ast.Assign) for target in each.targets]
    return defined | {
        each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)
    }


def test_every_part_and_every_question_is_on_the_page() -> None:
    """The page names every part and every peer."""
    page = _PAGE.read_text(encoding="utf-8")
    peers = {name for question in QUESTIONS.values() for name in question.beside}

    assert [] == [part.name for part in PARTS if f"`{part.name}`" not in page]
    assert [] == sorted(name for name in peers if name not in page)
