"""Writes a new agent to start from: small, without findings, runs without a model."""

import os
from pathlib import Path

from saniwa.agent import describe
from saniwa.agent.value_kinds import is_agent_name
from saniwa.core.errors import ConfigurationError
from saniwa.core.findings import SourceLocation

_TEMPLATE_FOLDER = Path(__file__).parent / "begin"
_TEMPLATE_NAME = "new-agent"


def write_agent(name: str, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write a small agent of this name into a folder that does not exist yet.

    Raises:
        ConfigurationError: `NAME_UNUSABLE`, `AGENT_EXISTS`; nothing is written then.
    """
    if not is_agent_name(name):
        raise describe("NAME_UNUSABLE/agent", name=name).to_error(ConfigurationError)
    target = Path(folder)
    try:
        target.mkdir(parents=True)
    except FileExistsError as problem:
        raise describe("AGENT_EXISTS", name=name).to_error(
            ConfigurationError, where=SourceLocation(file=str(target))
        ) from problem
    return tuple(_write_file(path, target, name) for path in _list_template_files())


def _list_template_files() -> list[Path]:
    return sorted(path for path in _TEMPLATE_FOLDER.rglob("*") if path.is_file())


def _write_file(path: Path, target: Path, name: str) -> Path:
    to = target / path.relative_to(_TEMPLATE_FOLDER)
    to.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text(encoding="utf-8").replace(_TEMPLATE_NAME, name)
    with to.open("x", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
    return to
