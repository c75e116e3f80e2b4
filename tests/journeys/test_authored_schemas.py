"""The JSON Schemas of the files people write: shipped files fit, wrong ones do not."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from click.testing import CliRunner

from saniwa.cli.main import saniwa
from saniwa.documents.document import load_document
from tests.house.pages import ROOT

_SCENARIOS = ROOT / "experiments" / "scenarios"
_SHIPPED = {
    "agent": ROOT.glob("src/saniwa/agent/**/agent.json"),
    "flow": ROOT.glob("src/saniwa/agent/**/steps_registry.json"),
    "plan": ROOT.glob("examples/two-by-two/*.yaml"),
    "process": [
        *ROOT.glob("src/saniwa/process/shipped/*.yaml"),
        *ROOT.glob("examples/processes/*.yaml"),
        *ROOT.glob("tests/golden/processes/*.*"),
    ],
    "registry": [_SCENARIOS / "registry.yaml"],
    "rulebook": [
        *ROOT.glob("src/saniwa/rulebook/books/*.json"),
        ROOT / "examples" / "door-and-key" / "polite.yaml",
    ],
    "scenario": [
        *(each for each in _SCENARIOS.iterdir() if each.suffix in (".json", ".yaml")),
        ROOT / "examples" / "door-and-key" / "cottage.yaml",
    ],
}


@cache
def _make_validator(name: str) -> jsonschema_rs.Draft202012Validator:
    printed = CliRunner().invoke(saniwa, ["schema", name], catch_exceptions=False)
    schema = json.loads(printed.output)
    jsonschema_rs.meta.validate(schema)
    return jsonschema_rs.Draft202012Validator(schema)


_EXAMPLES = [
    (name, path)
    for name, files in _SHIPPED.items()
    for path in sorted(files)
    if path.name != "registry.yaml" or name == "registry"
]
_FIRST = dict(reversed(_EXAMPLES))


@pytest.mark.parametrize(("name", "path"), _EXAMPLES, ids=lambda each: getattr(each, "name", each))
def test_what_we_ship_fits_its_schema(name: str, path: Path) -> None:
    """Every shipped file fits its schema, with or without `$schema` in it."""
    plain = load_document(path).plain
    validator = _make_validator(name)

    assert [] == [error.message for error in validator.iter_errors(plain)]
    assert [] == [*validator.iter_errors({"$schema": f"{name}.schema.json", **plain})]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("agent", {"version": 1}),
        ("agent", {"behavior": {"completionType": "keywordSignal", "completionConfig": {"x": 1}}}),
        ("agent", {"limits": {"maxCals": 3}}),
        ("flow", {"steps": {"a": {"check": {"type": "keywrod"}}}}),
        ("flow", {"steps": []}),
        ("plan", {"max_turns": "many"}),
        ("plan", {"factors": {"modell": ["a"]}}),
        ("process", {"states": [{"name": "a", "is_final": "yes"}]}),
        ("process", {"guards": {"g": {"type": "artifact", "condition": "exist"}}}),
        ("registry", {"scenarios": [{"scenario_id": "a"}]}),
        ("rulebook", {"rules": [{"actionType": "take", "checks": [{"id": "a", "when": {}}]}]}),
        ("rulebook", {"rules": "none"}),
        ("scenario", {"locations": {"A": {"exits": [3]}}}),
        ("scenario", {"characters": {"P": {"locaton": "A"}}}),
        ("scenario", {"nmae": "x"}),
    ],
)
def test_what_is_wrong_does_not_fit(name: str, wrong: dict[str, Any]) -> None:
    """An unknown key, a wrong type or an unknown word does not fit the schema."""
    good = load_document(_FIRST[name]).plain

    assert [] != [*_make_validator(name).iter_errors({**good, **wrong})]


@pytest.mark.parametrize(
    ("name", "key", "written"),
    [
        ("agent", "displayName", {"display_name": "A"}),
        ("process", "process_id", {"id": "a", "initialContext": {}}),
        ("scenario", "time_of_day", {"timeOfDay": "night", "_mine": 3, "title": None}),
    ],
)
def test_what_a_reader_takes_its_schema_takes(name: str, key: str, written: dict[str, Any]) -> None:
    """A schema allows every spelling that its reader accepts."""
    good = load_document(_FIRST[name]).plain
    rest = {each: value for each, value in good.items() if each != key}

    assert [] == [error.message for error in _make_validator(name).iter_errors({**rest, **written})]


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    """`saniwa schema plans` is a usage error that offers the nearest name."""
    answer = CliRunner().invoke(saniwa, ["schema", "plans"])

    assert (2, True) == (answer.exit_code, "did you mean 'plan'?" in answer.output)
