"""Every row of the table of peers has an answer in ours."""

import re
from importlib import import_module

import pytest
from benchmarks.parts import PARTS, BenchmarkPart
from benchmarks.peer_questions import QUESTIONS, PeerRow

from tests.house.pages import ROOT

_PAGE = ROOT / "docs" / "reference" / "benchmarks.md"


def test_every_question_is_answered_by_some_part() -> None:
    """No row of the table of peers is left out, and none is answered that nobody asked."""
    assert set(PeerRow) == set(QUESTIONS)
    assert set(PeerRow) == {asked for part in PARTS for asked in part.answers}


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_a_part_can_be_opened_and_names_what_it_answers(part: BenchmarkPart) -> None:
    """Its module measures, and its rows say which question is theirs."""
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


def test_every_part_and_every_question_is_on_the_page() -> None:
    """Whoever wants to measure one part finds its name, and whose figures it brings."""
    page = _PAGE.read_text(encoding="utf-8")
    peers = {name for question in QUESTIONS.values() for name in question.beside}

    assert [] == [part.name for part in PARTS if f"`{part.name}`" not in page]
    assert [] == sorted(name for name in peers if name not in page)
