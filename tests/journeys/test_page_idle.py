"""An open page that is not used sends no requests."""

import pytest
from playwright.sync_api import Browser, Request

from tests.journeys.browser import PageVisit
from tests.journeys.played_project import PlayedProject

pytestmark = pytest.mark.slow

_ROUNDS = """async (rounds) => {
  for (let left = rounds; left > 0; left -= 1) await fetch("/api/v1/", { headers: { "x-round": "1" } });
}"""
"""Lets time pass as a number of the server's answers, however busy the machine is."""


@pytest.mark.parametrize(
    "path", ["/decide/{gate_run}", "/play/{run}", "/watch/{run}", "/rules/{run}", "/compare"]
)
def test_an_idle_page_sends_no_requests(
    browser: Browser, server_address: str, project: PlayedProject, path: str
) -> None:
    """A page that is fully shown sends no request during thirty answers to others."""
    asked: list[str] = []

    def note(request: Request) -> None:
        if "x-round" not in request.headers:
            asked.append(f"{request.method} {request.url}")

    with PageVisit(browser, server_address) as visit:
        page = visit.go(path.format(run=project.run, gate_run=project.gate_run))
        visit.settle()
        page.evaluate(_ROUNDS, 10)
        page.on("request", note)
        page.evaluate(_ROUNDS, 30)

        assert [] == asked
