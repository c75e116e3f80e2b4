"""The models of a table's agents: opened on first use, chosen by its users within limits.

A request names a model, never a key or an address: those come from the server's
environment. Files of canned answers and recordings are in the project's folder `models`:
their lines are spoken aloud, so no other file may be named. Model weights must be inside
the project, and not hidden.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from saniwa.app import describe
from saniwa.core.errors import ConfigurationError
from saniwa.models.oracle import Usage
from saniwa.runs.playing_record import replace_content
from saniwa.store.play_records import PlayRecords

if TYPE_CHECKING:
    from saniwa.agent.bridge import OracleBridge
    from saniwa.agent.definition import AgentDefinition
    from saniwa.app.model_factory import SharedModels


class LazyModels:
    """`SharedModels` that are opened with the first question."""

    def __init__(self, opened: "Callable[[], SharedModels]") -> None:
        """Create models that `opened` opens on first use."""
        self._opened = opened
        self._models: SharedModels | None = None

    @property
    def usage(self) -> Usage:
        """What all of them have cost at this table."""
        return Usage() if self._models is None else self._models.usage

    def open_bridge(self, agent: "AgentDefinition | None" = None) -> "OracleBridge":
        """See `SharedModels.open_bridge`."""
        if self._models is None:
            self._models = self._opened()
        return self._models.open_bridge(agent)

    async def close(self) -> None:
        """Close all models, if any were opened."""
        if self._models is not None:
            await self._models.close()


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


def check_model_allowed(use: str, project: Path | None = None) -> None:
    """Check that a model named by a request is not a file, or is an allowed file.

    Raises:
        ConfigurationError: `FILE_OUTSIDE`.
    """
    from saniwa.models.local_model import SMOLLM2

    kind, _, name = use.partition(":")
    if kind not in _FILE_KINDS or name == SMOLLM2:
        return
    top = (project or Path()).resolve()
    if not _is_allowed_file(name, top):
        raise describe("FILE_OUTSIDE/check_model_allowed", use=use).to_error(ConfigurationError)
    if kind in _ANSWER_KINDS and not _is_allowed_file(name, top, MODELS_FOLDER):
        raise describe(
            "FILE_OUTSIDE/models_folder", use=use, models_folder=MODELS_FOLDER, kind=kind
        ).to_error(ConfigurationError)


def _is_allowed_file(name: str, project: Path, folder: str = "") -> bool:
    """Whether a file may be named: both its path as written and its resolved path."""
    from saniwa.app.gate.remote_evidence import has_hidden_part

    try:
        resolved = (project / name).resolve().relative_to(project)
        resolved.relative_to(folder)
    except (OSError, ValueError, RuntimeError):
        return False
    return not Path(name).is_absolute() and not has_hidden_part(name, resolved.as_posix())


def make_table_models(store: str, run_id: str, use: str) -> "LazyModels":
    """Return the models of a table, opened with the first question."""
    from saniwa.app.agent_journals import read_run_past, sum_run_usage
    from saniwa.app.model_factory import open_table_models

    return LazyModels(
        lambda: open_table_models(
            model=use, spent=sum_run_usage(store, run_id), past=read_run_past(store, run_id)
        )
    )
