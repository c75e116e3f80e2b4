"""Reads experiments that take only a moment to run."""

from pathlib import Path
from typing import Any

from tests.fakes.workspaces import WorkspaceClient, make_workspace


class ExperimentReader:
    """Reads a server's experiments."""

    def __init__(self, folder: Path) -> None:
        """A reader of the experiments in `results` of a folder."""
        self.client = WorkspaceClient(make_workspace(folder)).client

    def read(self, path: str, *, language: str = "en", **query: Any) -> dict[str, Any]:
        """The answer at a path, in a language."""
        told = self.client.get(
            f"/api/v1/experiments{path}", params=query, headers={"Accept-Language": language}
        )
        answer: dict[str, Any] = told.json()
        return answer
