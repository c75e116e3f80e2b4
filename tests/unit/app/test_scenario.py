from pathlib import Path

import pytest

from saniwa.app.scenario_lookup import inspect_scenario, load_book_layers, open_scenario
from saniwa.core.errors import DocumentError, SaniwaError, SchemaValidationError
from saniwa.scenario.registry import Registry

_SCENARIO = """\
name: s
locations: {hall: {}}
rulebook: BOOK
characters: {ann: {location: hall}}
"""


@pytest.fixture
def scenario_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scenario file in the current folder."""
    monkeypatch.chdir(tmp_path)
    return Path("s.yaml")


@pytest.mark.parametrize(
    ("book", "code", "hint"),
    [
        ("none.yaml", "DOCUMENT_UNREADABLE", "move it next to the scenario"),
        ("../none.yaml", "RULE_BOOK_OUTSIDE", "into the scenario's folder"),
        ("strickt", "RULE_UNKNOWN_BOOK", "strict"),
    ],
)
def test_a_book_that_cannot_be_had_is_reported_where_it_is_named(
    scenario_path: Path, book: str, code: str, hint: str
) -> None:
    """A rulebook that cannot be loaded is reported at the scenario's line."""
    scenario_path.write_text(_SCENARIO.replace("BOOK", book), encoding="utf-8")
    checked = inspect_scenario(scenario_path).report.findings
    with pytest.raises(SaniwaError) as caught:
        load_book_layers(open_scenario("s.yaml"))

    assert code == caught.value.code
    assert "s.yaml:3:11 (rulebook)" == str(caught.value.where)
    assert hint in caught.value.hint
    assert caught.value.where in [finding.where for finding in checked]


def test_a_book_that_is_not_yaml_is_reported_where_it_is_not(scenario_path: Path) -> None:
    """A malformed rulebook is reported at its own line."""
    scenario_path.write_text(_SCENARIO.replace("BOOK", "own.yaml"), encoding="utf-8")
    Path("own.yaml").write_text("id: own\nrules: [\n", encoding="utf-8")

    with pytest.raises(DocumentError) as caught:
        load_book_layers(open_scenario("s.yaml"))

    assert str(caught.value.where).startswith("own.yaml:")


@pytest.mark.parametrize("as_object", [False, True], ids=["path", "object"])
def test_a_registry_is_given_as_a_path_or_as_itself(as_object: bool, tmp_path: Path) -> None:
    """A registry may be given as a path or an object."""
    place = tmp_path / "registry.yaml"
    place.write_text("scenarios: [{scenario_id: s, path: s.yaml}]\n", encoding="utf-8")
    written = _SCENARIO.replace("BOOK", "strict")
    (tmp_path / "s.yaml").write_text(written, encoding="utf-8")
    registry = Registry.open(place) if as_object else place

    assert "s" == open_scenario("s", registry=registry).id
    with pytest.raises(SchemaValidationError) as missing:
        open_scenario("t", registry=registry)
    assert "REGISTRY_MISSING" == missing.value.code
