import sys
from io import StringIO
from pathlib import Path

import pytest

from saniwa.app.workspace import Workspace, WorkspacePlaces
from saniwa.core.errors import ProtocolError
from saniwa.http.server import ServeOptions, build_served_app, monitor_app
from saniwa.http.server_settings import ServerSettings
from tests.unit.http.middleware.guarded_requests import ask, make_scope


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace in its own folder, without environment variables."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    return Workspace(WorkspacePlaces(store="memory:"))


def test_every_request_is_written_down(workspace: Workspace) -> None:
    """Every request is logged, also a refused one."""
    stream = StringIO()
    with monitor_app(
        build_served_app(workspace, ServeOptions(settings=ServerSettings())),
        workspace,
        "people",
        stream,
    ) as app:
        answer = ask(app, make_scope(host="evil.example"))

    assert 421 == answer.status
    assert "HOST_UNKNOWN" in stream.getvalue()
    assert 1 == stream.getvalue().count("\n")


def test_telemetry_that_cannot_be_had_is_reported_at_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If telemetry is requested without its packages, the server does not start."""
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    asked = monitor_app(
        build_served_app(workspace, ServeOptions(settings=ServerSettings())),
        workspace,
        "none",
        StringIO(),
        telemetry=True,
    )
    with pytest.raises(ProtocolError, match="EXTRA_MISSING"):
        asked.__enter__()
