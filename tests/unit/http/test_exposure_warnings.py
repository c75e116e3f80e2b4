from pathlib import Path

import pytest

from saniwa.core.errors import StoreError
from saniwa.http.server import list_exposure_warnings
from saniwa.http.server_settings import ServerSettings
from saniwa.store.gate.people import People


def test_at_home_there_is_nothing_to_say(tmp_path: Path) -> None:
    """A local server has no warnings."""
    assert () == list_exposure_warnings(ServerSettings(), tmp_path / "people.json")


@pytest.mark.parametrize(
    "settings", [ServerSettings(host="0.0.0.0"), ServerSettings(hosts=("garden.example",))]
)
def test_a_server_for_others_warns_about_what_is_missing(
    tmp_path: Path, settings: ServerSettings
) -> None:
    """A server for others without people and TLS has a warning for each."""
    told = list_exposure_warnings(settings, tmp_path / "people.json")[:2]

    assert ["no people are", "names and secrets"] == [" ".join(each.split()[:3]) for each in told]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (ServerSettings(https=True), 1),
        (ServerSettings(https=True, proxy="127.0.0.1"), 0),
        (ServerSettings(host="0.0.0.0", https=True), 0),
    ],
)
def test_a_server_behind_an_unnamed_proxy_warns(
    tmp_path: Path, settings: ServerSettings, told: int
) -> None:
    """A server behind an unnamed proxy has a warning, because all clients share its limits."""
    path = tmp_path / "people.json"
    People(path).add("ann", "reviewer", "four plain words", at="")
    found = list_exposure_warnings(settings, path)

    assert told == sum("--trusted-proxy ADDRESS" in each for each in found)


def test_where_nothing_is_missing_nothing_is_said(tmp_path: Path) -> None:
    """A server with people and TLS has no warnings."""
    path = tmp_path / "people.json"
    People(path).add("ann", "reviewer", "four plain words", at="")

    assert () == list_exposure_warnings(ServerSettings(host="0.0.0.0", https=True), path)


def test_people_that_cannot_be_read_stop_the_server(tmp_path: Path) -> None:
    """An unreadable people file stops the server."""
    path = tmp_path / "people.json"
    path.write_text("{")
    with pytest.raises(StoreError, match="STORE_UNREADABLE"):
        list_exposure_warnings(ServerSettings(host="0.0.0.0"), path)
