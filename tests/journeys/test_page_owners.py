"""Which runs a visitor can play, in a real browser."""

import json
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, expect

from tests.journeys.browser import PageVisit
from tests.journeys.gate_terminal import GateTerminal
from tests.journeys.played_project import PlayedProject

pytestmark = pytest.mark.slow


def _begin_as_bob(garden: str, grounds: PlayedProject) -> str:
    vouched = ("--credential-file", str(grounds.folder / "ann.credential"))
    added = GateTerminal(grounds.folder).run_command(
        "people", "add", "bob", "--role", "human", "--token", "--json", *vouched
    )
    headers = {
        "Authorization": f"Bearer {added.document['credential']}",
        "Content-Type": "application/json",
    }
    content = b'{"scenario": "door_and_key"}'
    asked = Request(f"{garden}/api/v1/runs", content, headers)
    with urlopen(asked) as answer:
        run: str = json.load(answer)["run"]
    return run


def test_the_run_of_another_person_is_for_watching(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """Another person's run is not offered for play; opening it names the owner and a link."""
    run = _begin_as_bob(server_address, project)
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/play")
        offered = page.locator(f'a[href="/play/{run}"]')
        expect(offered).to_have_count(1)
        page.get_by_role("banner").get_by_role("button", name="Sign in").click()
        asked = page.get_by_role("dialog", name="Sign in")
        asked.get_by_label("Name").fill("ann")
        asked.get_by_label("Secret").fill(f"ann:{project.secret}")
        asked.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("button", name="ann")).to_be_visible()
        expect(page.get_by_role("heading", name="Continue")).to_be_visible()
        expect(offered).to_have_count(0)
        page = visit.go(f"/play/{run}")
        told = page.get_by_text("This run belongs to bob.")
        expect(told).to_be_visible()
        page.locator(".empty").get_by_role("link", name="Watch this run").click()
        page.wait_for_url(f"**/watch/{run}*")
