"""Every page as people see it: light, dark, on a phone, in both languages."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import pytest
from playwright.sync_api import Browser

from tests.fakes.nightly import sample_cases
from tests.journeys.browser import DESK, PHONE, PageVisit, open_server
from tests.journeys.played_project import PlayedProject

pytestmark = pytest.mark.slow


class PageLook(NamedTuple):
    """How a visitor looks at a page."""

    size: tuple[int, int]
    """The size of the window."""
    theme: Literal["light", "dark"]
    """The color scheme that the system prefers."""
    language: str
    """The language that the browser prefers."""


LOOKS = {
    "light": PageLook(DESK, "light", "en-GB"),
    "dark": PageLook(DESK, "dark", "ja-JP"),
    "phone": PageLook(PHONE, "light", "ja-JP"),
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


# By default each page is looked at in one way.
VIEWS = [
    view
    for name in PAGES
    for view in sample_cases([(name, look) for look in LOOKS], len(LOOKS), "-".join)
]
LANGUAGES = ("en-GB", "ja-JP")
EMPTY_VIEWS = [
    view
    for name in ("play", "watch", "decide", "compare", "write")
    for view in sample_cases([(name, tongue) for tongue in LANGUAGES], len(LANGUAGES), "-".join)
]


@pytest.mark.parametrize(("name", "look"), VIEWS)
def test_a_page_can_be_seen_and_used_by_everyone(
    browser: Browser, server_address: str, project: PlayedProject, name: str, look: str
) -> None:
    """A page is not too wide, has no accessibility fault, and loads nothing from elsewhere."""
    size, theme, language = LOOKS[look]
    path = PAGES[name].format(run=project.run, gate_run=project.gate_run)
    with PageVisit(browser, server_address, size=size, theme=theme, language=language) as visit:
        visit.go(path)
        visit.settle()
        visit.take_picture(f"{name}-{look}")

        assert [] == visit.find_faults()
        assert 0 == visit.measure_overflow()


@pytest.fixture(scope="module")
def empty_project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server for an empty project."""
    with open_server(tmp_path_factory.mktemp("empty")) as address:
        yield address


@pytest.mark.parametrize(("name", "language"), EMPTY_VIEWS)
def test_an_empty_page_fits_a_phone(
    browser: Browser, empty_project: str, name: str, language: str
) -> None:
    """A page without content is not wider than a phone and has no accessibility fault."""
    with PageVisit(browser, empty_project, size=PHONE, language=language) as visit:
        visit.go(f"/{name}")
        visit.settle()
        visit.take_picture(f"{name}-empty-{language}")

        assert (0, []) == (visit.measure_overflow(), visit.find_faults())


def test_a_page_that_is_not_there_says_so(browser: Browser, server_address: str) -> None:
    """An unknown path has the status 404 and a link to the start."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/nowhere")
        page.get_by_role("link", name="Home").wait_for()
        visit.allow_messages("status of 404")

        assert [] == visit.find_faults()
