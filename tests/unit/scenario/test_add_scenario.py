import os
from pathlib import Path

import pytest

from saniwa.core.errors import SaniwaError
from saniwa.core.file_locks import LOCK_FILE_NAME
from saniwa.scenario.loader import load_scenario
from saniwa.scenario.registry import Registry
from saniwa.scenario.scaffold import add_scenario

_REGISTRY = """\
# my scenarios
scenarios:
    - scenario_id: default   # built in
      path: null
"""


@pytest.fixture
def registry(tmp_path: Path) -> str:
    """A registry with a comment and unusual indentation."""
    (tmp_path / "registry.yaml").write_text(_REGISTRY)
    return str(tmp_path / "registry.yaml")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_new_scenario_is_sound_and_can_be_found(registry: str, language: str) -> None:
    """A new scenario has no findings, and its id resolves to it."""
    added = add_scenario(registry, "my_story", language)

    loaded = load_scenario(Registry.open(registry).resolve("my_story"))

    assert (added.file, language) == (loaded.resolved_path, loaded.world.language)
    assert () == loaded.report.findings
    assert loaded.world.goal is not None


def test_the_registry_is_added_to_and_never_rewritten(registry: str) -> None:
    """Adding an entry keeps the comments, order and indentation of the registry."""
    add_scenario(registry, "one")
    add_scenario(registry, "two")

    text = Path(registry).read_text()

    assert text.startswith(_REGISTRY)
    assert ["default", "one", "two"] == [e.scenario_id for e in Registry.open(registry).entries]


def _read_files(folder: Path) -> dict[str, bytes]:
    files = (p for p in folder.iterdir() if p.is_file() and p.name != LOCK_FILE_NAME)
    return {p.name: p.read_bytes() for p in files}


@pytest.mark.parametrize(
    ("text", "scenario_id", "code"),
    [
        (_REGISTRY, "default", "SCENARIO_EXISTS"),
        (_REGISTRY, "taken", "SCENARIO_EXISTS"),
        (_REGISTRY, "../evil", "NAME_UNUSABLE"),
        (_REGISTRY, "a b", "NAME_UNUSABLE"),
        (_REGISTRY, "", "NAME_UNUSABLE"),
        (_REGISTRY, "x" * 81, "NAME_UNUSABLE"),
        ("scenarios: [{scenario_id: a, path: null}]\n", "new", "REGISTRY_LOAD_ERROR"),
        ("scenarios: [", "new", "REGISTRY_LOAD_ERROR"),
        ("scenarios:\n- {scenario_id: a, path: null}\n- 3\n", "new", "REGISTRY_LOAD_ERROR"),
    ],
)  # fmt: skip
def test_what_cannot_be_added_leaves_everything_as_it_was(
    tmp_path: Path, text: str, scenario_id: str, code: str
) -> None:
    """A refused addition writes nothing."""
    (tmp_path / "registry.yaml").write_text(text)
    (tmp_path / "taken.yaml").write_text("mine")
    before = _read_files(tmp_path)

    with pytest.raises(SaniwaError) as caught:
        add_scenario(str(tmp_path / "registry.yaml"), scenario_id)

    assert code == caught.value.code
    assert before == _read_files(tmp_path)


def test_a_registry_that_cannot_be_replaced_leaves_no_scenario(
    registry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the registry cannot be written, the new scenario file is removed again."""

    def fail_full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    before = _read_files(Path(registry).parent)
    monkeypatch.setattr(os, "replace", fail_full)

    with pytest.raises(SaniwaError, match="No space left on device"):
        add_scenario(registry, "my_story")

    assert before == _read_files(Path(registry).parent)


def test_a_registry_without_a_last_line_end_is_added_to(tmp_path: Path) -> None:
    """If the registry has no final line break, the new entry still begins on its own line."""
    path = tmp_path / "registry.yaml"
    path.write_text("scenarios:\n- scenario_id: default\n  path: null")

    add_scenario(str(path), "one")

    assert ["default", "one"] == [e.scenario_id for e in Registry.open(path).entries]


def test_a_file_that_appears_in_the_meantime_is_not_overwritten(
    registry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that appears meanwhile is not overwritten."""
    theirs = Path(registry).parent / "my_story.yaml"
    theirs.write_text("theirs")
    before = _read_files(theirs.parent)
    monkeypatch.setattr(Path, "exists", lambda _: False)

    with pytest.raises(SaniwaError) as caught:
        add_scenario(registry, "my_story")

    assert "SCENARIO_EXISTS" == caught.value.code
    assert before == _read_files(theirs.parent)


@pytest.mark.parametrize(
    "begun", [None, "scenarios: []\n", "scenarios:\n", "# ours\nscenarios: []  # none yet"]
)
def test_a_first_scenario_begins_the_registry(tmp_path: Path, begun: str | None) -> None:
    """A registry without entries gets its first one, and comments stay."""
    registry = tmp_path / "new" / "registry.yaml"
    if begun is not None:
        registry.parent.mkdir()
        registry.write_text(begun, encoding="utf-8")

    add_scenario(str(registry), "first")
    add_scenario(str(registry), "second")

    names = [e.scenario_id for e in Registry.open(registry).entries]
    assert ["first", "second"] == names
    comments = [c for c in ("# ours", "# none yet") if begun and c in begun]
    assert all(c in registry.read_text(encoding="utf-8") for c in comments)


def test_many_blank_lines_take_no_more_time_than_few(tmp_path: Path) -> None:
    """A registry with many blank lines is refused in linear time."""
    registry = tmp_path / "registry.yaml"
    registry.write_text("\n" * 5000 + "scenarios:\n- x\n", encoding="utf-8")

    with pytest.raises(SaniwaError) as caught:
        add_scenario(str(registry), "new")

    assert "REGISTRY_LOAD_ERROR" == caught.value.code
