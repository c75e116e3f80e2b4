"""Every `ConfigurationLoader` keeps its contract."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from saniwa.agent.definition import AgentDefinition
from saniwa.agent.files.agent_folder import FolderConfigurationLoader
from saniwa.agent.layer_contracts import ConfigurationLoader
from saniwa.core.errors import (
    ConfigurationError,
    ConfigurationNotFoundError,
    ConfigurationParseError,
    ConfigurationValidationError,
)
from tests.fakes.agent_folder import AGENT, REGISTRY, change_document, make_flow, write_agent

Make = Callable[[], ConfigurationLoader]


@pytest.fixture(params=[FolderConfigurationLoader])
def loader(request: pytest.FixtureRequest) -> ConfigurationLoader:
    """Every loader that Saniwa ships."""
    make: Make = request.param
    return make()


def _load(loader: ConfigurationLoader, folder: str) -> AgentDefinition:
    return asyncio.run(loader.load(folder))


def _expect_refusal(loader: ConfigurationLoader, folder: str) -> ConfigurationError:
    with pytest.raises(ConfigurationError) as caught:
        _load(loader, folder)
    return caught.value


def test_what_is_loaded_is_valid(loader: ConfigurationLoader, tmp_path: Path) -> None:
    """@post of `load`: the definition is valid, which `validate` confirms."""
    definition = _load(loader, write_agent(tmp_path))

    assert "guide" == definition.name
    assert loader.validate(definition).valid


def test_a_missing_definition_is_not_found(loader: ConfigurationLoader, tmp_path: Path) -> None:
    """@throws ConfigurationNotFoundError, with the published words."""
    error = _expect_refusal(loader, str(tmp_path))

    assert ConfigurationNotFoundError is type(error)
    assert "CONFIG_NOT_FOUND" == error.code
    assert error.message.startswith("Agent definition not found: ")


def test_a_folder_that_is_not_there_is_not_found(
    loader: ConfigurationLoader, tmp_path: Path
) -> None:
    """A folder that does not exist is reported as a missing definition."""
    assert ConfigurationNotFoundError is type(_expect_refusal(loader, str(tmp_path / "no")))


@pytest.mark.parametrize("broken", ["{", "", "[1,", '{"a": }', "\x00"])
def test_broken_json_is_a_parse_error(
    loader: ConfigurationLoader, tmp_path: Path, broken: str
) -> None:
    """@throws ConfigurationParseError, with the published words and the place."""
    error = _expect_refusal(loader, write_agent(tmp_path, agent=broken or " "))

    assert ConfigurationParseError is type(error)
    assert "CONFIG_PARSE" == error.code
    assert error.message.startswith("Failed to parse agent definition")
    assert error.where is not None
    assert error.where.file.endswith("agent.json")


def test_every_mistake_is_carried_by_one_error(loader: ConfigurationLoader, tmp_path: Path) -> None:
    """An invalid definition is refused with all its findings at once."""
    wrong = change_document(AGENT, name="My Agent", version="1", displayName=None)
    error = _expect_refusal(loader, write_agent(tmp_path, agent=wrong))
    codes = {each["code"] for each in error.details["findings"]}

    assert ConfigurationValidationError is type(error)
    assert {"NAME_UNUSABLE", "WRONG_TYPE", "FIELD_MISSING"} == codes
    assert error.code in codes


def test_a_step_that_does_not_exist_is_a_validation_error(
    loader: ConfigurationLoader, tmp_path: Path
) -> None:
    """A `next` that names no step is refused before anything runs."""
    flow = make_flow({"greet": {"prompt": "close.md", "next": "nowhere"}})
    error = _expect_refusal(loader, write_agent(tmp_path, registry=flow))

    assert ConfigurationValidationError is type(error)
    assert "NEXT_STEP_UNKNOWN" == error.code


@pytest.mark.parametrize("content", [None, "{", change_document(AGENT, name="My Agent"), AGENT])
def test_no_error_is_recoverable(
    loader: ConfigurationLoader, tmp_path: Path, content: object
) -> None:
    """No error of a loader is recoverable, because a file must be edited first."""
    folder = write_agent(tmp_path, agent=content, registry=None)

    assert not _expect_refusal(loader, folder).recoverable


def test_valid_means_no_errors(loader: ConfigurationLoader, tmp_path: Path) -> None:
    """The invariant of `ValidationResult`, for a good flow and for a broken one."""
    good = _load(loader, write_agent(tmp_path))
    broken = msgspec.structs.replace(
        good, flow=msgspec.structs.replace(good.flow, entry_step="nowhere")
    )
    results = [loader.validate(good), loader.validate(broken)]

    assert [True, False] == [each.valid for each in results]
    assert [each.valid for each in results] == [not each.errors for each in results]


def test_a_warning_leaves_it_valid(loader: ConfigurationLoader, tmp_path: Path) -> None:
    """@post of `validate`: a definition with only warnings is valid."""
    steps = {**REGISTRY["steps"], "lost": {"prompt": "close.md", "complete": True}}
    flow = make_flow(steps)
    result = loader.validate(_load(loader, write_agent(tmp_path, registry=flow)))

    assert result.valid
    assert 1 == len(result.warnings)


def test_asking_changes_nothing(loader: ConfigurationLoader, tmp_path: Path) -> None:
    """@side-effect none: the folder is unchanged, and loading again gives the same definition."""
    folder = write_agent(tmp_path)
    before = _list_file_states(tmp_path)
    first = _load(loader, folder)
    loader.validate(first)

    assert first == _load(loader, folder)
    assert before == _list_file_states(tmp_path)


def _list_file_states(folder: Path) -> list[tuple[str, int, int]]:
    found = [Path(top) / name for top, _, names in os.walk(folder) for name in names]
    states = [(str(path), path.stat()) for path in sorted(found)]
    return [(name, state.st_size, state.st_mtime_ns) for name, state in states]
