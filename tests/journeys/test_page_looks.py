"""Every page as people see it: light, dark, on a phone, in both languages."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import pytest
from playwright.sync_api import Browser

from tests.journeys.browser import DESK, PHONE, Visit, served
from tests.journeys.grounds import Grounds

pytestmark = pytest.mark.slow


class Look(NamedTuple):
    """How somebody looks at a page."""

    size: tuple[int, int]
    """The window."""
    theme: Literal["light", "dark"]
    """What the system prefers."""
    language: str
    """What the browser asks for."""


LOOKS = {
    "light": Look(DESK, "light", "en-GB"),
    "dark": Look(DESK, "dark", "ja-JP"),
    "phone": Look(PHONE, "light", "ja-JP"),
}
PAGES = {
    "play": "/play",
    "watch": "/watch",
    "run": "/watch/{run}",
    "rules": "/rules/{run}",
    "decide": "/decide",
    "board": "/decide/{gate_run}",
    "compare": "/compare",
    "experiment": "/compare/telling",
    "write": "/write",
    "story": "/write/story/lamp",
}


@pytest.fixture(scope="module")
def album(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pictures go, to be looked at: never into the repository."""
    named = os.environ.get("SANIWA_PICTURES")
    return Path(named) if named else tmp_path_factory.mktemp("pictures")


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_can_be_seen_and_used_by_everybody(
    browser: Browser, garden: str, grounds: Grounds, album: Path, name: str, look: str
) -> None:
    """Nothing sticks out, axe-core finds nothing, and nothing comes from elsewhere."""
    size, theme, language = LOOKS[look]
    path = PAGES[name].format(run=grounds.run, gate_run=grounds.gate_run)
    with Visit(browser, garden, size=size, theme=theme, language=language) as visit:
        visit.go(path)
        visit.settle()
        visit.picture(album, f"{name}-{look}")

        assert [] == visit.faults()
        assert 0 == visit.overflow()


@pytest.fixture(scope="module")
def empty_project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a project in which nothing was made yet."""
    with served(tmp_path_factory.mktemp("empty")) as address:
        yield address


@pytest.mark.parametrize("language", ["en-GB", "ja-JP"])
@pytest.mark.parametrize("name", ["play", "watch", "decide", "compare", "write"])
def test_an_empty_page_fits_a_phone(
    browser: Browser, empty_project: str, album: Path, name: str, language: str
) -> None:
    """Where nothing was made yet, what is shown instead is no wider than the window."""
    with Visit(browser, empty_project, size=PHONE, language=language) as visit:
        visit.go(f"/{name}")
        visit.settle()
        visit.picture(album, f"{name}-empty-{language}")

        assert (0, []) == (visit.overflow(), visit.faults())


def test_a_page_that_is_not_there_says_so(browser: Browser, garden: str) -> None:
    """Whoever lost the way is told, by the answer's status too, and led home."""
    with Visit(browser, garden) as visit:
        page = visit.go("/nowhere")
        page.get_by_role("link", name="To the garden").wait_for()
        visit.forgive("status of 404")

        assert [] == visit.faults()
