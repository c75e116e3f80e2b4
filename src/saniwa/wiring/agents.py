"""Where agents are found: by a path, in the project, or among those shipped with us."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from saniwa.agent.authoring.loading import checked
from saniwa.agent.authoring.paper.kinds import is_agent_name
from saniwa.agent.authoring.reading import read_agent
from saniwa.agent.definition import AgentDefinition
from saniwa.core.document import FORMATS
from saniwa.core.errors import ConfigurationNotFoundError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.there import is_file

PROJECT_AGENTS = Path(".agent")
"""Where a project keeps its agents, seen from its own folder."""
_FILES = tuple(f"agent{ending}" for ending in FORMATS)


class KnownAgent(msgspec.Struct, frozen=True, kw_only=True):
    """An agent that can be named."""

    name: str
    """Its name."""
    folder: str
    """Where it lies."""
    origin: Literal["project", "shipped"]
    """Whether it is the project's own, or came with Saniwa."""


def shipped_agents() -> Path:
    """Where the agents lie that come with Saniwa."""
    from saniwa import agent

    return Path(str(agent.__file__)).parent / "shipped"


def find_agent(named: str | os.PathLike[str]) -> Path:
    """The folder of the agent somebody means, by path or by name.

    A name is looked for in the project's own agents, then in those that come with Saniwa.

    Raises:
        ConfigurationNotFoundError: `CONFIG_NOT_FOUND`.
    """
    text = os.fspath(named)
    path = Path(text)
    if path.name in _FILES:
        return path.parent
    if _is_agent(path) or "/" in text or os.sep in text:
        return path
    if is_agent_name(text):
        for folder in (PROJECT_AGENTS / text, shipped_agents() / text):
            if _is_agent(folder):
                return folder
    names = [each.name for each in agents_known()]
    raise ConfigurationNotFoundError(
        "CONFIG_NOT_FOUND",
        f"Agent definition not found: {quoted(text)}",
        hint=did_you_mean(text, names) or f"there are: {', '.join(names[:20])}",
        details={"agent": text},
    )


def open_agent(named: str | os.PathLike[str]) -> AgentDefinition:
    """The agent somebody means, checked.

    Raises:
        ConfigurationNotFoundError: `CONFIG_NOT_FOUND`.
        ConfigurationParseError: `CONFIG_PARSE`.
        ConfigurationValidationError: The first finding's code; all are in `details`.
    """
    return checked(*read_agent(find_agent(named)))


def agents_known() -> tuple[KnownAgent, ...]:
    """Every agent that has a name here, sorted; the project's own before a shipped one."""
    found = {each.name: each for each in _in(shipped_agents(), "shipped")}
    found |= {each.name: each for each in _in(PROJECT_AGENTS, "project")}
    return tuple(found[name] for name in sorted(found))


def _in(folder: Path, origin: Literal["project", "shipped"]) -> Iterator[KnownAgent]:
    try:
        entries = sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if is_agent_name(entry.name) and _is_agent(entry):
            yield KnownAgent(name=entry.name, folder=str(entry), origin=origin)


def _is_agent(folder: Path) -> bool:
    return any(is_file(folder / name) for name in _FILES)
