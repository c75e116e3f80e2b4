import sys
from io import StringIO
from pathlib import Path

import pytest

from saniwa.api.guard.settings import Settings
from saniwa.core.errors import ProtocolError
from saniwa.web.outside import outside
from saniwa.web.serving import Serving, served
from saniwa.wiring.garden.garden import Garden, Places
from tests.unit.api.guard.asking import ask, scope


@pytest.fixture
def garden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Garden:
    """A garden in a folder of its own, in an environment that asks for nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    return Garden(Places(store="memory:"))


def test_every_request_is_written_down(garden: Garden) -> None:
    """Also one that is turned away at the door."""
    stream = StringIO()
    with outside(
        served(garden, Serving(settings=Settings())), garden, "people", stream
    ) as app:
        answer = ask(app, scope(host="evil.example"))

    assert 421 == answer.status
    assert "HOST_UNKNOWN" in stream.getvalue()
    assert 1 == stream.getvalue().count("\n")


def test_telemetry_that_cannot_be_had_is_told_at_once(
    garden: Garden, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody believes to be watching a server that tells nothing."""
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    asked = outside(
        served(garden, Serving(settings=Settings())),
        garden,
        "none",
        StringIO(),
        telemetry=True,
    )
    with pytest.raises(ProtocolError, match="EXTRA_MISSING"):
        asked.__enter__()
