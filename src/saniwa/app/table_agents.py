"""Which agents and models somebody at a browser may name for a table.

Keys and addresses come from the server's own surroundings and never with a request. A file
of answers or a recording lies in the project's folder `models`: its lines are spoken aloud,
so no other file may be named. Weights lie inside of the project, and in nothing hidden.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from saniwa.app.gate.service import has_hidden_part
from saniwa.core.errors import (
    ConfigurationError,
    ConfigurationNotFoundError,
    RunError,
    SaniwaError,
)
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.store.play_records import PlayRecords

if TYPE_CHECKING:
    from saniwa.agent.definition import AgentDefinition
    from saniwa.app.cast import LazyModels


_MODEL_PREFIX: Final = "model-"


class TableModelSetting:
    """The model of one run's agents, as somebody named it last."""

    def __init__(self, plays: PlayRecords, run_id: str) -> None:
        """The note for a run."""
        self._plays = plays
        self._id = _MODEL_PREFIX + run_id

    def read(self) -> str:
        """The model; empty where nobody has named one.

        Raises:
            StoreError: It cannot be read.
        """
        kept = self._plays.get(self._id)
        return "" if kept is None else kept.content.decode("utf-8", "replace")

    def write(self, model: str) -> None:
        """Note another.

        Raises:
            StoreError: It cannot be kept, or somebody else has named one just now.
        """
        kept = self._plays.get(self._id)
        if kept is None:
            self._plays.create(self._id, model.encode())
        else:
            self._plays.put(self._id, model.encode(), after=kept.revision)


MODELS_FOLDER: Final = "models"
"""The folder of the project that answers and recordings are taken from over HTTP."""
_ANSWER_KINDS: Final = ("canned", "replay")
_FILE_KINDS: Final = (*_ANSWER_KINDS, "local")


def open_named_agent(name: str) -> "AgentDefinition":
    """The agent of this name, among the project's own and those that come with Saniwa.

    Raises:
        ConfigurationNotFoundError: `CONFIG_NOT_FOUND`; no path is taken for a name.
        ConfigurationError: It is not whole.
    """
    from saniwa.app.agent_catalog import list_agents, open_agent

    names = [each.name for each in list_agents()]
    if name not in names:
        raise ConfigurationNotFoundError(
            "CONFIG_NOT_FOUND",
            f"there is no agent {quote_value(name)} here",
            hint=suggest_nearest(name, names) or f"there are: {', '.join(names[:20])}",
            details={"agent": name},
        )
    return open_agent(name)


def list_seatable_agents() -> tuple[str, ...]:
    """The names of all agents that have a way to say something at a table."""
    from saniwa.app.agent_catalog import list_agents, open_agent
    from saniwa.app.cast import check_can_play
    from saniwa.core.errors import SaniwaError

    found = []
    for known in list_agents():
        try:
            check_can_play(open_agent(known.name))
        except SaniwaError:
            # One that is broken, or mute, cannot be seated; `saniwa agent check` says why.
            continue
        found.append(known.name)
    return tuple(found)


def check_model_allowed(use: str, project: Path | None = None) -> None:
    """See that a model named by a request is no file but those it may be.

    Raises:
        ConfigurationError: `FILE_OUTSIDE`.
    """
    from saniwa.models.local import SMOLLM2

    kind, _, name = use.partition(":")
    if kind not in _FILE_KINDS or name == SMOLLM2:
        return
    top = (project or Path()).resolve()
    if not _is_allowed_file(name, top):
        raise ConfigurationError(
            "FILE_OUTSIDE",
            f"the model {quote_value(use)} is a file outside of the project, or hidden",
            hint="name a file inside of the folder that is served, without a dot before it",
        )
    if kind in _ANSWER_KINDS and not _is_allowed_file(name, top, MODELS_FOLDER):
        raise ConfigurationError(
            "FILE_OUTSIDE",
            f"the model {quote_value(use)} is a file outside of the folder {MODELS_FOLDER!r}",
            hint=f"put the file into {MODELS_FOLDER!r} and name it so: {kind}:{MODELS_FOLDER}/FILE",
        )


def _is_allowed_file(name: str, project: Path, folder: str = "") -> bool:
    """Whether a file may be named: as it is written, and where that leads."""
    try:
        leads = (project / name).resolve().relative_to(project)
        leads.relative_to(folder)
    except (OSError, ValueError, RuntimeError):
        return False
    return not Path(name).is_absolute() and not has_hidden_part(name, leads.as_posix())


def make_table_models(store: str, run_id: str, use: str) -> "LazyModels":
    """The models of a table, set up when the first of them is asked."""
    from saniwa.app.agents import read_run_past, sum_run_usage
    from saniwa.app.cast import LazyModels
    from saniwa.app.models import open_table_models

    return LazyModels(
        lambda: open_table_models(
            model=use,
            spent=sum_run_usage(store, run_id),
            past=read_run_past(store, run_id),
        )
    )


class TableTrouble(msgspec.Struct, frozen=True, kw_only=True):
    """Why an agent could not go on."""

    code: str
    """The error's code."""
    message: str
    """What is wrong."""
    hint: str = ""
    """What to do."""


def make_trouble(problem: SaniwaError) -> TableTrouble:
    """What an error says."""
    return TableTrouble(
        code=str(problem.code), message=problem.message, hint=problem.hint
    )


def make_unexpected_trouble(problem: Exception) -> TableTrouble:
    """What is told of a mistake of ours; the rest is for the server's log."""
    return TableTrouble(
        code="SYSTEM_ERROR",
        message=f"something we did not foresee: {type(problem).__name__}",
        hint="what was acknowledged is kept; report it",
    )


def make_no_agent_error(why: str, cure: str) -> RunError:
    """The error for a turn that is no agent's."""
    return RunError("SEATING_UNFIT", why, hint=cure)
