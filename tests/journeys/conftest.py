"""Shared by the journeys: a played project, its server, a browser, and a story."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.journeys.lamp_story import LAMP
from tests.journeys.played_project import PlayedProject, make_project

pytest.register_assert_rewrite("tests.journeys.browser")

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> PlayedProject:
    """A project with content for every page."""
    return make_project(tmp_path_factory.mktemp("grounds"))


@pytest.fixture(scope="session")
def server_address(project: PlayedProject) -> Iterator[str]:
    """The address of that project's server; each test starts its own runs."""
    from tests.journeys.browser import open_server

    with open_server(project.folder) as address:
        yield address


# One per module: while it is open, no other test can run its own event loop.
@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """A browser; every visit has its own profile."""
    from tests.journeys.browser import open_chromium

    with open_chromium() as opened:
        yield opened


@pytest.fixture
def lamp_story(tmp_path: Path) -> Path:
    """A story in English, with a picture and without its music."""
    (tmp_path / "art/images").mkdir(parents=True)
    (tmp_path / "art/images/bridge.png").touch()
    path = tmp_path / "lamp.md"
    path.write_text(LAMP, encoding="utf-8")
    return path
