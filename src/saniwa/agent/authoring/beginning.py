"""An agent to begin from: small, without a finding, and it runs without a model."""

import os
from pathlib import Path

from saniwa.agent.authoring.paper.kinds import is_agent_name
from saniwa.core.errors import ConfigurationError
from saniwa.core.quoted import quoted
from saniwa.core.where import Where

_BEGIN = Path(__file__).parent / "begin"
_NAME = "new-agent"


def write_agent(name: str, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write a small agent of this name into a folder that is not there yet.

    Raises:
        ConfigurationError: `NAME_UNUSABLE`, `AGENT_EXISTS`; nothing is written then.
    """
    if not is_agent_name(name):
        raise ConfigurationError(
            "NAME_UNUSABLE",
            f"{quoted(name)} cannot be the name of an agent",
            hint="use lowercase words joined by hyphens, such as tour-guide",
        )
    target = Path(folder)
    try:
        target.mkdir(parents=True)
    except FileExistsError as problem:
        raise ConfigurationError(
            "AGENT_EXISTS",
            f"there is an agent {quoted(name)} already",
            where=Where(file=str(target)),
            hint="choose another name, or edit what is there",
        ) from problem
    return tuple(_written(path, target, name) for path in _files())


def _files() -> list[Path]:
    return sorted(path for path in _BEGIN.rglob("*") if path.is_file())


def _written(path: Path, target: Path, name: str) -> Path:
    to = target / path.relative_to(_BEGIN)
    to.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text(encoding="utf-8").replace(_NAME, name)
    with to.open("x", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
    return to
