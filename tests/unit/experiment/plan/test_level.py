import pytest

from saniwa.documents.document import make_document
from saniwa.documents.finding_collector import Findings, Located
from saniwa.experiment.plan import Level
from saniwa.experiment.plan_fields import read_levels


def _read_level_values(factor: str, value: object) -> tuple[tuple[Level, ...], list[str]]:
    page = Findings(make_document(value))
    levels = read_levels(Located(value, (), page), factor)
    return levels, [each.code for each in page.build_report().findings]


@pytest.mark.parametrize(
    ("factor", "value", "expected"),
    [
        ("inject", ["off", "On", True], (False, True)),
        ("temperature", [0, 0.5, 2], (0.0, 0.5, 2.0)),
        ("temperature", 1, (1.0,)),
        ("model", ["openai:a", "fuzz:1"], ("openai:a", "fuzz:1")),
        ("language", ["en", "ja"], ("en", "ja")),
        ("prompt", "plain", ("plain",)),
    ],
)
def test_levels_are_read(factor: str, value: object, expected: tuple[Level, ...]) -> None:
    """A level can be one value or a list, with YAML switches and decimal numbers."""
    levels, _ = _read_level_values(factor, value)

    assert expected == levels


@pytest.mark.parametrize(
    ("factor", "value", "code"),
    [
        ("inject", ["maybe"], "WRONG_TYPE"),
        ("gm", [1], "WRONG_TYPE"),
        ("temperature", [2.1], "WRONG_TYPE"),
        ("temperature", [True], "WRONG_TYPE"),
        ("language", ["fr"], "UNKNOWN_VALUE"),
        ("prompt", [""], "WRONG_TYPE"),
        ("prompt", ["a\nb"], "WRONG_TYPE"),
        ("prompt", ["x" * 201], "WRONG_TYPE"),
        ("prompt", [], "WRONG_TYPE"),
        ("prompt", ["///"], "NAME_UNUSABLE"),
        ("model", ["a/b", "a-b"], "DUPLICATE_KEY"),
        ("model", ["canned:/home/me/answers.yaml"], "FILE_OUTSIDE"),
        ("model", ["canned:C:\\answers.yaml"], "FILE_OUTSIDE"),
    ],
)
def test_what_is_not_a_level_is_a_finding(factor: str, value: object, code: str) -> None:
    """A wrong level, a duplicate name or a local path is a finding; nothing is guessed."""
    _, found = _read_level_values(factor, value)

    assert [code] == found
