from pathlib import Path

import pytest

from saniwa.core.errors import SchemaValidationError
from saniwa.scenario.registry import Registry, get_entry_file, inspect_registry

_GOOD = """\
scenarios:
  - scenario_id: default
    path: null
    tags: [baseline]
  - scenario_id: garden
    path: sub/garden.yaml
    recommended_profile: gate
    description: A garden.
"""


def _write_registry(folder: Path, text: str) -> str:
    file = folder / "registry.yaml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def _expect_refusal(path: str) -> SchemaValidationError:
    with pytest.raises(SchemaValidationError) as caught:
        Registry.open(path)
    return caught.value


def test_an_entry_has_the_five_fields_of_the_contract(tmp_path: Path) -> None:
    """An entry has the contract's five fields; two are required."""
    first, second = Registry.open(_write_registry(tmp_path, _GOOD)).entries

    assert ("default", None, ("baseline",), "dev", "") == (
        first.scenario_id,
        first.path,
        first.tags,
        first.recommended_profile,
        first.description,
    )
    assert ("garden", "sub/garden.yaml", (), "gate", "A garden.") == (
        second.scenario_id,
        second.path,
        second.tags,
        second.recommended_profile,
        second.description,
    )


def test_an_id_it_does_not_name_is_an_error(tmp_path: Path) -> None:
    """An unknown id is an error that lists the known ones."""
    registry = Registry.open(_write_registry(tmp_path, _GOOD))

    with pytest.raises(SchemaValidationError) as caught:
        registry.resolve("gardn")

    assert "REGISTRY_MISSING" == caught.value.code.value
    assert "'gardn'" in caught.value.message
    assert ["default", "garden"] == caught.value.details["available"]
    assert "did you mean 'garden'?" == caught.value.hint


@pytest.mark.parametrize("text", ["scenarios: [", "a: &a [*a]", "\x00", "scenarios: 3"])
def test_a_registry_that_cannot_be_read_is_an_error(tmp_path: Path, text: str) -> None:
    """A registry that is not YAML, or has another shape, is REGISTRY_LOAD_ERROR."""
    assert "REGISTRY_LOAD_ERROR" == _expect_refusal(_write_registry(tmp_path, text)).code


def test_a_registry_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """A missing registry is REGISTRY_LOAD_ERROR, with the file's name."""
    refused = _expect_refusal(str(tmp_path / "registry.yaml"))

    assert "REGISTRY_LOAD_ERROR" == refused.code
    assert "registry.yaml" in str(refused.where)


def test_every_mistake_of_a_registry_is_found(tmp_path: Path) -> None:
    """Every mistake of a registry is reported, and no entry is skipped or overwrites another."""
    text = """\
scenarios:
  - path: a.yaml
  - scenario_id: a
  - {scenario_id: b, path: null, tag: [x]}
  - {scenario_id: b, path: b.yaml}
  - {scenario_id: c, path: 3}
  - {scenario_id: d, path: ../d.yaml}
  - {scenario_id: e, path: /e.yaml}
  - {scenario_id: f, path: 'C:\\f.yaml'}
  - {scenario_id: g, path: g.yaml, recommended_profile: fast}
  - 7
extra: 1
"""
    path = _write_registry(tmp_path, text)

    found = inspect_registry(path).report.findings

    assert [
        ("FIELD_MISSING", 2),
        ("FIELD_MISSING", 3),
        ("UNKNOWN_KEY", 4),
        ("REGISTRY_DUPLICATE_ID", 5),
        ("WRONG_TYPE", 6),
        ("SCENARIO_PATH_OUTSIDE", 7),
        ("SCENARIO_PATH_OUTSIDE", 8),
        ("SCENARIO_PATH_OUTSIDE", 9),
        ("UNKNOWN_VALUE", 10),
        ("WRONG_TYPE", 11),
        ("UNKNOWN_KEY", 12),
    ] == [(f.code, f.where.line) for f in found]
    assert 11 == len(_expect_refusal(path).details["findings"])


def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    """A link to a file or folder outside the registry's folder is refused."""
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "a.yaml").write_text("name: a")
    (inside / "a.yaml").symlink_to(outside / "a.yaml")
    (inside / "folder").symlink_to(outside)
    text = "scenarios:\n- {scenario_id: a, path: a.yaml}\n- {scenario_id: b, path: folder/a.yaml}\n"

    found = inspect_registry(_write_registry(inside, text)).report.findings

    assert ["SCENARIO_PATH_OUTSIDE"] * 2 == [f.code for f in found]


def test_a_link_made_after_reading_is_refused_too(tmp_path: Path) -> None:
    """A link made after the registry was read is refused when the file is opened."""
    inside = tmp_path / "in"
    inside.mkdir()
    path = _write_registry(inside, "scenarios: [{scenario_id: a, path: a.yaml}]")
    entry = Registry.open(path).resolve("a")
    (tmp_path / "a.yaml").write_text("name: a")
    (inside / "a.yaml").symlink_to(tmp_path / "a.yaml")

    with pytest.raises(SchemaValidationError) as caught:
        get_entry_file(entry)

    assert "SCENARIO_PATH_OUTSIDE" == caught.value.code


def test_a_file_that_is_not_there_is_its_own_error(tmp_path: Path) -> None:
    """An entry whose file is missing is an error that names both."""
    entry = Registry.open(_write_registry(tmp_path, _GOOD)).resolve("garden")

    with pytest.raises(SchemaValidationError) as caught:
        get_entry_file(entry)

    assert "SCENARIO_FILE_NOT_FOUND" == caught.value.code.value
    assert "'sub/garden.yaml' of scenario 'garden'" in caught.value.message


def test_a_name_no_system_could_hold_is_no_file(tmp_path: Path) -> None:
    """A path too long for the system counts as a missing file."""
    long = _GOOD.replace("sub/garden.yaml", "庭" * 150)
    entry = Registry.open(_write_registry(tmp_path, long)).resolve("garden")

    with pytest.raises(SchemaValidationError) as caught:
        get_entry_file(entry)

    assert "SCENARIO_FILE_NOT_FOUND" == caught.value.code.value


_LEVELS = """\
scenarios:
  - {scenario_id: plain, path: null, tags: [baseline, demo]}
  - {scenario_id: garden, path: garden.yaml}
  - {scenario_id: attic, path: attic.yaml, tags: [demo, flagship]}
  - {scenario_id: zoo, path: zoo.yaml, tags: [demo, tutorial]}
"""


def test_people_read_the_easy_scenarios_first(tmp_path: Path) -> None:
    """Those for beginners come first, those that measure models last, others by id."""
    registry = Registry.open(_write_registry(tmp_path, _LEVELS))

    assert [("zoo", "tutorial"), ("attic", "flagship"), ("garden", ""), ("plain", "baseline")] == [
        (each.scenario_id, each.level) for each in registry.list_for_people()
    ]
