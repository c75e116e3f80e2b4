from typing import Any

from saniwa.documents.document import make_document
from saniwa.documents.finding_collector import Findings, Located
from saniwa.experiment.plan import StandInFaults
from saniwa.experiment.plan_fields import read_faults, read_prices, read_prompts


def _locate_value(value: dict[str, Any]) -> Located:
    return Located(value, (), Findings(make_document(value)))


def _list_codes(held: Located) -> list[str]:
    return [each.code for each in held.page.build_report().findings]


def test_faults_are_usual_but_for_what_is_said() -> None:
    """A fault profile changes only the faults that it names."""
    held = _locate_value({"careless": {"invent": 60, "pace_ms": 5}})

    assert {"careless": StandInFaults(invent=60, pace_ms=5)} == read_faults(held)
    assert [] == _list_codes(held)


def test_faults_are_hundredths_with_known_names() -> None:
    """More than 100, an unknown fault or an unusable name is a finding."""
    held = _locate_value({"a": {"invent": 101, "invnt": 3}, "b_c": {}})
    read_faults(held)

    assert ["WRONG_TYPE", "UNKNOWN_KEY", "NAME_UNUSABLE"] == _list_codes(held)


def test_a_price_is_two_numbers() -> None:
    """A price is input and output in US dollars per million tokens; anything else is a finding."""
    held = _locate_value({"openai:x": [0.25, 2], "a": [1], "b": 3, "c": [-1, 1]})

    assert {"openai:x": (0.25, 2.0)} == read_prices(held)
    assert ["WRONG_TYPE"] * 3 == _list_codes(held)


def test_an_edition_is_a_file_or_one_for_each_language() -> None:
    """A prompt edition is one file for all languages, or one for each known language."""
    held = _locate_value({"mine": "a.txt", "two": {"en": "e.txt", "ja": "j.txt"}})
    wrong = _locate_value({"x": {"fr": "f.txt"}, "y": 3})
    read_prompts(wrong)

    assert {"mine": {"": "a.txt"}, "two": {"en": "e.txt", "ja": "j.txt"}} == read_prompts(held)
    assert ["UNKNOWN_KEY", "WRONG_TYPE"] == _list_codes(wrong)
