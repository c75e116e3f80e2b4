"""The web app as users mount it."""

import sys
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from saniwa.core.errors import ProtocolError
from saniwa.http import make_web_app
from saniwa.http.server_settings import ServerSettings


def test_the_app_serves_the_api() -> None:
    """A run can be started and played without a server process."""
    client = TestClient(make_web_app(store="memory:"), base_url="http://localhost")
    begun = client.post("/api/v1/runs", json={"scenario": "door_and_key"})

    assert 201 == begun.status_code


def test_remote_users_have_to_sign_in() -> None:
    """The settings decide who must sign in, as the options of `saniwa serve` do."""
    settings = ServerSettings(host="0.0.0.0", hosts=("garden.example",))
    app = make_web_app(store="memory:", settings=settings)
    client = TestClient(app, base_url="http://garden.example")

    assert "SIGN_IN_NEEDED" == client.get("/api/v1/runs").json()["code"]


def test_the_key_is_next_to_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key is stored next to the store, not in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept").mkdir()
    app = make_web_app(store="kept/runs.sqlite")
    TestClient(app, base_url="http://localhost").get("/api/v1/")

    assert ["kept"] == sorted(each.name for each in tmp_path.iterdir())


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Starlette, the error names the command that installs it."""
    monkeypatch.setitem(sys.modules, "starlette", None)

    with pytest.raises(ProtocolError, match="EXTRA_MISSING"):
        make_web_app()
