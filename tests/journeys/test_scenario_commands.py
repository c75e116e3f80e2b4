import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from saniwa.app.scenario_lookup import inspect_scenario
from saniwa.cli.main import saniwa
from saniwa.core.errors import SaniwaError

_SHIPPED = Path(str(files("experiments"))) / "scenarios"

_BROKEN = """\
name: 家
locations:
  キッチン: {exits: [寝室]}
characters:
  やな: {location: キッチン}
"""
_WARNED = """\
name: house
locations:
  kitchen: {exits: [hall]}
  hall: {}
characters:
  Ann: {location: kitchen}
"""


@pytest.fixture(autouse=True)
def _enter_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test starts in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SANIWA_REGISTRY", raising=False)


def _run_command(*words: str) -> Result:
    return CliRunner().invoke(saniwa, ["scenario", *words], catch_exceptions=False)


def _read_answer(*words: str) -> dict[str, Any]:
    result = _run_command(*words, "--json")
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def _write_registry(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "registry.yaml"
    path.write_text("scenarios:\n  - {scenario_id: mine, path: null}\n")
    return path


def test_the_shipped_scenarios_are_listed_from_anywhere() -> None:
    """Without a project's registry, the shipped scenarios are listed."""
    result = _run_command("list")

    assert 0 == result.exit_code
    assert "lantern_island " in result.stdout
    assert "trap      A trap for models, without an ending" in result.stdout


def test_a_list_can_be_narrowed_by_tags() -> None:
    """A list can be filtered by tags; several tags mean any of them."""
    listed = _read_answer("list", "--tag", "flagship", "--tag", "baseline")

    assert "experiments/scenarios/registry.yaml" == listed["registry"]
    assert ["lantern_island", "lantern_island_ja", "default"] == [
        entry["scenario_id"] for entry in listed["scenarios"]
    ]
    assert {
        "scenario_id": "default",
        "path": None,
        "tags": ["baseline", "kitchen_living", "ja"],
        "recommended_profile": "dev",
        "description": "A plain world for measurements, without a story: "
        "two rooms, an ordinary morning",
    } == listed["scenarios"][-1]


def test_the_nearest_registry_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The option takes precedence over the environment, then the project's registry."""
    _write_registry(Path("experiments/scenarios"))
    other = _write_registry(Path("other"))
    other.write_text("scenarios: [{scenario_id: other, path: null}]")
    third = _write_registry(Path("third"))
    third.write_text("scenarios: [{scenario_id: third, path: null}]")

    assert "mine" in _run_command("list").stdout
    monkeypatch.setenv("SANIWA_REGISTRY", str(other))
    assert "other" in _run_command("list").stdout
    assert "third" in _run_command("list", "--registry", str(third)).stdout


def test_a_check_of_everything_ends_with_counts_and_zero() -> None:
    """Every shipped scenario passes a strict check, which ends with counts and status 0."""
    result = _run_command("check", "--strict")

    assert 0 == result.exit_code
    assert "0 errors, 0 warnings" == result.stdout.strip().split("\n")[-1]
    assert "OK: coffee_trap" in result.stdout


def test_a_finding_is_shown_with_its_line_and_a_caret() -> None:
    """A finding is shown with its place, the line with a caret, and the hint."""
    Path("house.yaml").write_text(_BROKEN, encoding="utf-8")

    result = _run_command("check", "house.yaml")

    assert 1 == result.exit_code
    assert (
        """\
error[EXIT_TARGET_MISSING]: Exit target '寝室' from 'キッチン' does not exist
  at house.yaml:3:18 (locations.キッチン.exits[0])
     3 |   キッチン: {exits: [寝室]}
       |                      ^
  hint: add a location '寝室', or remove it from the exits

FAIL: house.yaml
1 error, 0 warnings
"""
        == result.stdout
    )


def test_machines_get_every_finding_in_parts() -> None:
    """With `--json` every finding has file, line, column, path, code, hint and details."""
    Path("house.yaml").write_text(_BROKEN, encoding="utf-8")

    checked = _read_answer("check", "house.yaml", "coffee_trap")

    assert (False, 1, 0) == (checked["passed"], checked["errors"], checked["warnings"])
    house, coffee = checked["scenarios"]
    assert {
        "code": "EXIT_TARGET_MISSING",
        "severity": "error",
        "message": "Exit target '寝室' from 'キッチン' does not exist",
        "file": "house.yaml",
        "line": 3,
        "column": 18,
        "path": "locations.キッチン.exits[0]",
        "hint": "add a location '寝室', or remove it from the exits",
        "details": {"location": "キッチン", "target": "寝室"},
    } == house["findings"][0]
    assert (True, []) == (coffee["passed"], coffee["findings"])


def test_warnings_fail_only_a_strict_check() -> None:
    """A warning fails only a strict check."""
    Path("house.yaml").write_text(_WARNED)

    assert 0 == _run_command("check", "house.yaml").exit_code
    assert "WARN: house.yaml" in _run_command("check", "house.yaml").stdout
    assert 1 == _run_command("check", "house.yaml", "--strict").exit_code


def test_a_file_that_cannot_be_read_is_one_finding_among_others() -> None:
    """A file that cannot be read is a finding, and the others are still checked."""
    Path("broken.json").write_text('{"a": }')
    Path("house.yaml").write_text(_WARNED)

    result = _run_command("check", "broken.json", "house.yaml")

    assert 1 == result.exit_code
    assert "error[DOCUMENT_SYNTAX]: expected a value, not '}'" in result.stdout
    assert '     1 | {"a": }\n       |       ^' in result.stdout
    assert "WARN: house.yaml" in result.stdout


def test_a_broken_registry_is_checked_like_any_file() -> None:
    """The findings of a broken registry are shown, and its valid entries are checked."""
    Path("registry.yaml").write_text(
        "scenarios:\n  - {scenario_id: default, path: null}\n  - {path: a.yaml}\n"
    )

    result = _run_command("check", "--registry", "registry.yaml")

    assert 1 == result.exit_code
    assert "error[FIELD_MISSING]: a registry entry needs 'scenario_id'" in result.stdout
    assert "OK: default" in result.stdout


@pytest.mark.parametrize("command", ["check", "summary", "hash"])
def test_an_unknown_id_stops_the_command(command: str) -> None:
    """An unknown id stops the command with an error that offers the nearest."""
    with pytest.raises(SaniwaError) as caught:
        _run_command(command, "cofee_trap")

    assert "REGISTRY_MISSING" == caught.value.code
    assert "did you mean 'coffee_trap'?" == caught.value.hint


def test_hashes_are_shown_for_an_id_and_for_a_file() -> None:
    """The hashes of a scenario are the same by id and by file, as text and as JSON."""
    shipped = str(_SHIPPED / "coffee_trap.json")

    shown = _run_command("hash", "coffee_trap")

    assert 0 == shown.exit_code
    assert "world_hash    4f45a5f08875044b" == shown.stdout.strip().split("\n")[1]
    assert _read_answer("hash", "coffee_trap") == _read_answer("hash", shipped)
    assert {
        "scenario_id": "default",
        "scenario_hash": "f7f9ec192014b36e",
        "world_hash": "f7f9ec192014b36e",
    } == _read_answer("hash", "default")


def test_a_summary_says_what_a_scenario_holds() -> None:
    """A summary shows counts and names; with `--json` it is the record of a run."""
    shown = _run_command("summary", "lantern_island").stdout
    told = _read_answer("summary", "coffee_trap")

    assert "  places    11: jetty, path, boathouse" in shown
    assert "(+28 more)" in shown
    assert "experiments/scenarios/coffee_trap.json" == told["scenario_resolved_path"]
    assert {"locations": 2, "objects": 7, "characters": 2} == told["world_summary"]["counts"]


def test_a_new_scenario_can_be_checked_and_hashed_at_once() -> None:
    """A new scenario has no findings and can be hashed."""
    registry = _write_registry(Path("experiments/scenarios"))

    made = _run_command("new", "my_story")
    japanese = _read_answer("new", "hanashi", "--language", "ja")

    assert 0 == made.exit_code
    assert "wrote experiments/scenarios/my_story.yaml" in made.stdout
    assert "experiments/scenarios/hanashi.yaml" == japanese["file"]
    assert 0 == _run_command("check", "--strict").exit_code
    assert 16 == len(str(_read_answer("hash", "my_story")["world_hash"]))
    assert registry.read_text().startswith("scenarios:\n  - {scenario_id: mine")


def test_the_first_new_scenario_hides_none_that_come_with_saniwa() -> None:
    """The first registry of a project names all shipped scenarios and the new one."""
    before = _read_answer("list")["scenarios"]

    assert 0 == _run_command("new", "hut").exit_code

    known = [entry["scenario_id"] for entry in _read_answer("list")["scenarios"]]
    assert {*(entry["scenario_id"] for entry in before), "hut"} == {*known}
    assert 0 == _run_command("check", "--strict").exit_code


@pytest.mark.parametrize("name", ["door_and_key", "a b"])
def test_what_cannot_be_added_begins_no_registry(tmp_path: Path, name: str) -> None:
    """An id that is taken or unusable is refused before anything is written."""
    with pytest.raises(SaniwaError) as refused:
        _run_command("new", name)

    assert str(_SHIPPED) not in str(refused.value)
    assert [] == list(tmp_path.iterdir())


def test_a_scenario_is_never_overwritten() -> None:
    """A second `new` with the same id is refused and changes nothing."""
    registry = _write_registry(Path("experiments/scenarios"))
    _run_command("new", "my_story")
    before = registry.read_bytes()

    with pytest.raises(SaniwaError) as caught:
        _run_command("new", "my_story")

    assert "SCENARIO_EXISTS" == caught.value.code
    assert before == registry.read_bytes()


@pytest.mark.parametrize("command", ["list", "check", "new", "summary", "hash"])
def test_every_command_explains_itself_with_an_example(command: str) -> None:
    """The help of every command has an example and the common options."""
    result = _run_command(command, "--help")

    assert 0 == result.exit_code
    assert f"saniwa scenario {command}" in result.stdout
    assert {"--json", "--registry"} <= set(result.stdout.split())


def test_a_wrong_option_is_a_matter_of_usage() -> None:
    """A usage error exits with status 2."""
    assert 2 == _run_command("check", "--strikt").exit_code
    assert 2 == _run_command("new").exit_code


def test_a_scenario_is_checked_together_with_its_rules(tmp_path: Path) -> None:
    """Mistakes in a scenario's rulebook are in the same report, each at its place."""
    file = tmp_path / "mine.yaml"
    file.write_text(
        "name: mine\n"
        "rulebook: {id: b, rules: [{actionType: tak, checks: []}]}\n"
        "locations: {a: {exits: [b]}}\n"
        "characters: {x: {location: a}}\n",
        encoding="utf-8",
    )

    report = inspect_scenario(str(file)).report

    assert [("RULE_UNKNOWN_ACTION", 2), ("EXIT_TARGET_MISSING", 3)] == [
        (f.code, f.where.line) for f in report.errors
    ]


@pytest.mark.parametrize(
    ("book", "code"),
    [
        ("strikt", "RULE_UNKNOWN_BOOK"),
        ("gone.yaml", "DOCUMENT_UNREADABLE"),
        ("bat.yaml", "DOCUMENT_UNREADABLE"),
        ("../up.yaml", "RULE_BOOK_OUTSIDE"),
    ],
)
def test_a_named_book_that_is_invalid_is_reported_where_it_is_named(
    tmp_path: Path, book: str, code: str
) -> None:
    """An unknown rulebook is an error at its place in the scenario, with a hint."""
    (tmp_path / "mine.yaml").write_text(
        f"name: mine\nrulebook: {book}\n"
        "locations: {a: {}}\ncharacters: {x: {location: a}}\n"
    )

    (only,) = inspect_scenario("mine.yaml").report.errors

    assert (code, "mine.yaml:2:11 (rulebook)") == (only.code, str(only.where))
    assert only.hint


def test_a_story_is_not_taken_for_the_id_of_a_scenario() -> None:
    """For a story, the error has the command that checks it."""
    with pytest.raises(SaniwaError) as caught:
        _run_command("check", "bakery.md")

    assert "check it: saniwa check bakery.md" == caught.value.hint


@pytest.mark.parametrize(("book", "code"), [("bad.yaml", "RULE_UNKNOWN_ACTION")])
def test_a_named_book_is_looked_at_too(tmp_path: Path, book: str, code: str) -> None:
    """A mistake in a rulebook that a scenario names is a finding of the scenario."""
    (tmp_path / "bad.yaml").write_text("id: b\nrules: [{actionType: tak}]\n")
    file = tmp_path / "mine.yaml"
    file.write_text(
        f"name: mine\nrulebook: {book}\n"
        "locations: {a: {}}\ncharacters: {x: {location: a}}\n"
    )

    report = inspect_scenario(str(file)).report

    assert [code] == [f.code for f in report.errors]
