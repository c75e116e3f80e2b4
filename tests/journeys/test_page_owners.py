"""Whose runs there are to play, in a real browser."""

import json
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, expect

from tests.journeys.browser import Visit
from tests.journeys.desk import Desk
from tests.journeys.grounds import Grounds

pytestmark = pytest.mark.slow


def _begun_by_bob(garden: str, grounds: Grounds) -> str:
    vouched = ("--credential-file", str(grounds.folder / "ann.credential"))
    added = Desk(grounds.folder).type(
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


def test_somebody_elses_run_is_for_watching(
    browser: Browser, garden: str, grounds: Grounds
) -> None:
    """Play does not offer it, and who opens it is told whose it is and where to look."""
    run = _begun_by_bob(garden, grounds)
    with Visit(browser, garden) as visit:
        page = visit.go("/play")
        offered = page.locator(f'a[href="/play/{run}"]')
        expect(offered).to_have_count(1)
        page.get_by_role("banner").get_by_role("button", name="Sign in").click()
        asked = page.get_by_role("dialog", name="Sign in")
        asked.get_by_label("Name").fill("ann")
        asked.get_by_label("Secret").fill(f"ann:{grounds.secret}")
        asked.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("button", name="ann")).to_be_visible()
        expect(page.get_by_role("heading", name="Go on where you left")).to_be_visible()
        expect(offered).to_have_count(0)
        page = visit.go(f"/play/{run}")
        told = page.get_by_text("bob began this run and plays it.")
        expect(told).to_be_visible()
        page.locator(".empty").get_by_role("link", name="Watch this run").click()
        page.wait_for_url(f"**/watch/{run}*")
