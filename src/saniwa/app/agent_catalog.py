"""The agents that a project has, and those that come with Saniwa."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from saniwa.agent.authoring.fields import is_agent_name
from saniwa.agent.authoring.loader import read_agent, require_valid
from saniwa.agent.definition import AgentDefinition
from saniwa.core.errors import ConfigurationNotFoundError
from saniwa.core.paths import is_file
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.documents.document import FORMATS

if TYPE_CHECKING:
    pass


PROJECT_AGENTS = Path(".agent")
"""Where a project keeps its agents, seen from its own folder."""


_AGENT_FILES = tuple(f"agent{ending}" for ending in FORMATS)


class KnownAgent(msgspec.Struct, frozen=True, kw_only=True):
    """An agent that can be named."""

    name: str
    """Its name."""
    folder: str
    """Where it lies."""
    origin: Literal["project", "shipped"]
    """Whether it is the project's own, or came with Saniwa."""


def locate_shipped_agents() -> Path:
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
    if path.name in _AGENT_FILES:
        return path.parent
    if _is_agent_folder(path) or "/" in text or os.sep in text:
        return path
    if is_agent_name(text):
        for folder in (PROJECT_AGENTS / text, locate_shipped_agents() / text):
            if _is_agent_folder(folder):
                return folder
    names = [each.name for each in list_agents()]
    raise ConfigurationNotFoundError(
        "CONFIG_NOT_FOUND",
        f"Agent definition not found: {quote_value(text)}",
        hint=suggest_nearest(text, names) or f"there are: {', '.join(names[:20])}",
        details={"agent": text},
    )


def open_agent(named: str | os.PathLike[str]) -> AgentDefinition:
    """The agent somebody means, checked.

    Raises:
        ConfigurationNotFoundError: `CONFIG_NOT_FOUND`.
        ConfigurationParseError: `CONFIG_PARSE`.
        ConfigurationValidationError: The first finding's code; all are in `details`.
    """
    return require_valid(*read_agent(find_agent(named)))


def list_agents() -> tuple[KnownAgent, ...]:
    """Every agent that has a name here, sorted; the project's own before a shipped one."""
    found = {
        each.name: each for each in _list_agents_in(locate_shipped_agents(), "shipped")
    }
    found |= {each.name: each for each in _list_agents_in(PROJECT_AGENTS, "project")}
    return tuple(found[name] for name in sorted(found))


def _list_agents_in(
    folder: Path, origin: Literal["project", "shipped"]
) -> Iterator[KnownAgent]:
    try:
        entries = sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if is_agent_name(entry.name) and _is_agent_folder(entry):
            yield KnownAgent(name=entry.name, folder=str(entry), origin=origin)


def _is_agent_folder(folder: Path) -> bool:
    return any(is_file(folder / name) for name in _AGENT_FILES)
