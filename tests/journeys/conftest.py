"""For tests of the page: one garden, and browsers before it; for readers: a story."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.journeys.grounds import Grounds, planted
from tests.journeys.lamp import LAMP

pytest.register_assert_rewrite("tests.journeys.browser")

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def grounds(tmp_path_factory: pytest.TempPathFactory) -> Grounds:
    """A project with something in it for every page."""
    return planted(tmp_path_factory.mktemp("grounds"))


@pytest.fixture(scope="session")
def garden(grounds: Grounds) -> Iterator[str]:
    """The address of that project's garden; each test begins runs of its own."""
    from tests.journeys.browser import served

    with served(grounds.folder) as address:
        yield address


# For one module at a time: while it is open, no other test could run its own event loop.
@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """A browser; every visit has a profile of its own."""
    from tests.journeys.browser import chromium

    with chromium() as opened:
        yield opened


@pytest.fixture
def lamp(tmp_path: Path) -> Path:
    """A story in English, with a picture and without its music."""
    (tmp_path / "art/images").mkdir(parents=True)
    (tmp_path / "art/images/bridge.png").touch()
    path = tmp_path / "lamp.md"
    path.write_text(LAMP, encoding="utf-8")
    return path
