"""Which agents and models somebody at a browser may name for a table.

Keys and addresses come from the server's own surroundings and never with a request. A file
of answers or a recording lies in the project's folder `models`: its lines are spoken aloud,
so no other file may be named. Weights lie inside of the project, and in nothing hidden.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from saniwa.core.errors import ConfigurationError, ConfigurationNotFoundError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.wiring.garden.evidence import hidden

if TYPE_CHECKING:
    # Late, all of it: most gardens have no agents.
    from saniwa.agent.definition import AgentDefinition
    from saniwa.wiring.late_models import LateModels

MODELS: Final = "models"
"""The folder of the project that answers and recordings are taken from over HTTP."""
_SPOKEN: Final = ("canned", "replay")
_FROM_FILES: Final = (*_SPOKEN, "local")


def agent_named(name: str) -> "AgentDefinition":
    """The agent of this name, among the project's own and those that come with Saniwa.

    Raises:
        ConfigurationNotFoundError: `CONFIG_NOT_FOUND`; no path is taken for a name.
        ConfigurationError: It is not whole.
    """
    from saniwa.wiring.agents import agents_known, open_agent

    names = [each.name for each in agents_known()]
    if name not in names:
        raise ConfigurationNotFoundError(
            "CONFIG_NOT_FOUND",
            f"there is no agent {quoted(name)} here",
            hint=did_you_mean(name, names) or f"there are: {', '.join(names[:20])}",
            details={"agent": name},
        )
    return open_agent(name)


def agents_to_seat() -> tuple[str, ...]:
    """The names of all agents that have a way to say something at a table."""
    from saniwa.core.errors import SaniwaError
    from saniwa.wiring.agents import agents_known, open_agent
    from saniwa.wiring.cast import fit_to_play

    found = []
    for known in agents_known():
        try:
            fit_to_play(open_agent(known.name))
        except SaniwaError:
            # One that is broken, or mute, cannot be seated; `saniwa agent check` says why.
            continue
        found.append(known.name)
    return tuple(found)


def check_model(use: str, project: Path | None = None) -> None:
    """See that a model named by a request is no file but those it may be.

    Raises:
        ConfigurationError: `FILE_OUTSIDE`.
    """
    from saniwa.agent.bridges.weights import SMOLLM2

    kind, _, name = use.partition(":")
    if kind not in _FROM_FILES or name == SMOLLM2:
        return
    top = (project or Path()).resolve()
    if not _is_open(name, top):
        raise ConfigurationError(
            "FILE_OUTSIDE",
            f"the model {quoted(use)} is a file outside of the project, or hidden",
            hint="name a file inside of the folder that is served, without a dot before it",
        )
    if kind in _SPOKEN and not _is_open(name, top, MODELS):
        raise ConfigurationError(
            "FILE_OUTSIDE",
            f"the model {quoted(use)} is a file outside of the folder {MODELS!r}",
            hint=f"put the file into {MODELS!r} and name it so: {kind}:{MODELS}/FILE",
        )


def _is_open(name: str, project: Path, folder: str = "") -> bool:
    """Whether a file may be named: as it is written, and where that leads."""
    try:
        leads = (project / name).resolve().relative_to(project)
        leads.relative_to(folder)
    except (OSError, ValueError, RuntimeError):
        return False
    return not Path(name).is_absolute() and not hidden(name, leads.as_posix())


def models_of(store: str, run_id: str, use: str) -> "LateModels":
    """The models of a table, set up when the first of them is asked."""
    from saniwa.wiring.journals import past_of, spent_by
    from saniwa.wiring.late_models import LateModels
    from saniwa.wiring.shared_models import table_models

    return LateModels(
        lambda: table_models(
            model=use, spent=spent_by(store, run_id), past=past_of(store, run_id)
        )
    )
