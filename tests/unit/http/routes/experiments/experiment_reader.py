"""Asks about experiments that are done in a moment."""

from pathlib import Path
from typing import Any

from tests.fakes.workspaces import WorkspaceClient, make_workspace


class ExperimentReader:
    """Reads what a garden tells of its experiments."""

    def __init__(self, folder: Path) -> None:
        """Of the experiments below `results` in a folder."""
        self.client = WorkspaceClient(make_workspace(folder)).client

    def read(self, path: str, **query: Any) -> dict[str, Any]:
        """What is answered there."""
        told = self.client.get(f"/api/v1/experiments{path}", params=query)
        answer: dict[str, Any] = told.json()
        return answer
