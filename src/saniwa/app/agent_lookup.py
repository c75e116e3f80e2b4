"""Agents found by path or name: a project's own, and those shipped with Saniwa."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from saniwa.agent.definition import AgentDefinition
from saniwa.agent.field_kinds import is_agent_name
from saniwa.agent.files.agent_folder import read_agent, require_valid
from saniwa.app import describe
from saniwa.core.errors import ConfigurationNotFoundError
from saniwa.core.path_checks import is_file
from saniwa.core.suggestions import suggest_nearest
from saniwa.documents.document import FORMATS

PROJECT_AGENTS = Path(".agent")
"""The folder of a project's agents, relative to the project."""
_AGENT_FILES = tuple(f"agent{ending}" for ending in FORMATS)


class KnownAgent(msgspec.Struct, frozen=True, kw_only=True):
    """An agent that can be named."""

    name: str
    """Its name."""
    folder: str
    """The path of its folder."""
    origin: Literal["project", "shipped"]
    """Whether it belongs to the project or is shipped with Saniwa."""


def locate_shipped_agents() -> Path:
    """Return the folder of the agents that are shipped with Saniwa."""
    from saniwa import agent

    return Path(str(agent.__file__)).parent / "shipped"


def find_agent(named: str | os.PathLike[str]) -> Path:
    """Return the folder of the agent that the caller names by path or by name.

    A name is looked up in the project's own agents, then in those shipped with Saniwa.

    Raises:
        ConfigurationNotFoundError: `CONFIG_NOT_FOUND`.
    """
    text = os.fspath(named)
    path = Path(text)
    if path.name in _AGENT_FILES:
        return path.parent
    if is_agent_folder(path) or "/" in text or os.sep in text:
        return path
    if is_agent_name(text):
        for folder in (PROJECT_AGENTS / text, locate_shipped_agents() / text):
            if is_agent_folder(folder):
                return folder
    names = [each.name for each in list_agents()]
    raise describe(
        "CONFIG_NOT_FOUND/find_agent",
        agent=text,
        names=", ".join(names[:20]),
        hint=suggest_nearest(text, names),
    ).to_error(ConfigurationNotFoundError)


def open_agent(named: str | os.PathLike[str]) -> AgentDefinition:
    """Load the agent that the caller names, and check it.

    Raises:
        ConfigurationNotFoundError: `CONFIG_NOT_FOUND`.
        ConfigurationParseError: `CONFIG_PARSE`.
        ConfigurationValidationError: The first finding's code; all are in `details`.
    """
    return require_valid(*read_agent(find_agent(named)))


def list_agents() -> tuple[KnownAgent, ...]:
    """List every named agent, sorted; a project's agent hides a shipped one."""
    found = {each.name: each for each in _list_agents_in(locate_shipped_agents(), "shipped")}
    found |= {each.name: each for each in _list_agents_in(PROJECT_AGENTS, "project")}
    return tuple(found[name] for name in sorted(found))


def _list_agents_in(folder: Path, origin: Literal["project", "shipped"]) -> Iterator[KnownAgent]:
    try:
        entries = sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if is_agent_name(entry.name) and is_agent_folder(entry):
            yield KnownAgent(name=entry.name, folder=str(entry), origin=origin)


def is_agent_folder(folder: Path) -> bool:
    """Whether a folder has an agent's definition."""
    return any(is_file(folder / name) for name in _AGENT_FILES)
