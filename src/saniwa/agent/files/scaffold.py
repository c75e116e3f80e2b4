"""Writes a new agent to start from: small, without findings, runs without a model."""

import os
from pathlib import Path

from saniwa.agent.value_kinds import is_agent_name
from saniwa.core.errors import ConfigurationError
from saniwa.core.findings import SourceLocation
from saniwa.core.text import quote_value

_TEMPLATE_FOLDER = Path(__file__).parent / "begin"
_TEMPLATE_NAME = "new-agent"


def write_agent(name: str, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write a small agent of this name into a folder that does not exist yet.

    Raises:
        ConfigurationError: `NAME_UNUSABLE`, `AGENT_EXISTS`; nothing is written then.
    """
    if not is_agent_name(name):
        raise ConfigurationError(
            "NAME_UNUSABLE",
            f"{quote_value(name)} cannot be the name of an agent",
            hint="use lowercase words joined by hyphens, such as tour-guide",
        )
    target = Path(folder)
    try:
        target.mkdir(parents=True)
    except FileExistsError as problem:
        raise ConfigurationError(
            "AGENT_EXISTS",
            f"there is an agent {quote_value(name)} already",
            where=SourceLocation(file=str(target)),
            hint="choose another name, or edit what is there",
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
