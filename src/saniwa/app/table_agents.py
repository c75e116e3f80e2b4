"""The agents and models that a remote user may choose for a table.

Keys and addresses come from the server's environment and never with a request. Files of
canned answers and recordings are in the project's folder `models`: their lines are
spoken aloud, so no other file may be named. Model weights must be inside the project,
and not hidden.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from saniwa.app.gate.service import has_hidden_part
from saniwa.core.errors import ConfigurationError, ConfigurationNotFoundError, SaniwaError
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.runs.playing_record import replace_content
from saniwa.store.play_records import PlayRecords

if TYPE_CHECKING:
    from saniwa.agent.contract import AgentProblem
    from saniwa.agent.definition import AgentDefinition
    from saniwa.app.cast import LazyModels


_MODEL_PREFIX: Final = "model-"


class TableModelSetting:
    """The model of one run's agents, as it was last chosen."""

    def __init__(self, plays: PlayRecords, run_id: str) -> None:
        """Open the setting of a run."""
        self._plays = plays
        self._id = _MODEL_PREFIX + run_id

    def read(self) -> str:
        """Return the model; empty if none was chosen.

        Raises:
            StoreError: It cannot be read.
        """
        stored = self._plays.get(self._id)
        return "" if stored is None else stored.content.decode("utf-8", "replace")

    async def write(self, model: str) -> None:
        """Store another model, durably.

        Raises:
            StoreError: It cannot be stored.
        """
        await self._plays.commit(
            lambda: replace_content(self._plays, self._id, lambda _: model.encode())
        )


MODELS_FOLDER: Final = "models"
"""The folder of the project from which answers and recordings are read over HTTP."""
_ANSWER_KINDS: Final = ("canned", "replay")
_FILE_KINDS: Final = (*_ANSWER_KINDS, "local")


def open_named_agent(name: str) -> "AgentDefinition":
    """Open the agent of this name: the project's own, or shipped with Saniwa.

    Raises:
        ConfigurationNotFoundError: `CONFIG_NOT_FOUND`; a path is not accepted.
        ConfigurationError: It is invalid.
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
    """List the names of all agents that can speak at a table."""
    from saniwa.app.agent_catalog import list_agents, open_agent
    from saniwa.app.cast import check_can_play

    found = []
    for known in list_agents():
        try:
            check_can_play(open_agent(known.name))
        except SaniwaError:
            # A broken or mute agent cannot be seated; `saniwa agent check` says why.
            continue
        found.append(known.name)
    return tuple(found)


def check_model_allowed(use: str, project: Path | None = None) -> None:
    """Check that a model named by a request is not a file, or is an allowed file.

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
    """Whether a file may be named: both its path as written and its resolved path."""
    try:
        resolved = (project / name).resolve().relative_to(project)
        resolved.relative_to(folder)
    except (OSError, ValueError, RuntimeError):
        return False
    return not Path(name).is_absolute() and not has_hidden_part(name, resolved.as_posix())


def make_table_models(store: str, run_id: str, use: str) -> "LazyModels":
    """Return the models of a table, opened with the first question."""
    from saniwa.app.agents import read_run_past, sum_run_usage
    from saniwa.app.cast import LazyModels
    from saniwa.app.models import open_table_models

    return LazyModels(
        lambda: open_table_models(
            model=use, spent=sum_run_usage(store, run_id), past=read_run_past(store, run_id)
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


def make_trouble(problem: "SaniwaError | AgentProblem") -> TableTrouble:
    """Return an error's code, message and hint."""
    return TableTrouble(code=str(problem.code), message=problem.message, hint=problem.hint)


def make_unexpected_trouble(problem: Exception) -> TableTrouble:
    """Return what is reported of an unexpected error; the server's log has the rest."""
    return TableTrouble(
        code="SYSTEM_ERROR",
        message=f"something we did not foresee: {type(problem).__name__}",
        hint="what was acknowledged is kept; report it",
    )
