"""A server that is killed while a page is open, and restarted."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.fakes.servers import ServeProcess
from tests.journeys.browser import PageVisit

pytestmark = pytest.mark.slow

_BROKEN_OFF = (
    "ERR_CONNECTION_ABORTED",
    "ERR_CONNECTION_CLOSED",
    "ERR_CONNECTION_REFUSED",
    "ERR_CONNECTION_RESET",
    "ERR_CONTENT_LENGTH_MISMATCH",
    "ERR_EMPTY_RESPONSE",
    "ERR_INCOMPLETE_CHUNKED_ENCODING",
    "ERR_SOCKET_NOT_CONNECTED",
)
"""What a browser reports about a killed server, depending on how far its request was."""


def test_a_killed_server_loses_nothing_that_was_seen(browser: Browser, tmp_path: Path) -> None:
    """After a kill, shown text stays, and words that were not sent are sent after the restart."""
    with ServeProcess(tmp_path) as server, PageVisit(browser, server.address) as visit:
        page = visit.go("/play")
        worlds = page.get_by_role("region", name="Scenarios").get_by_role("listitem")
        gate = worlds.filter(has=page.get_by_role("heading", name="The Garden Gate"))
        gate.get_by_role("button", name="Begin", exact=True).click()
        page.wait_for_url(re.compile(r"/play/[^/]+$"))
        page.get_by_label("Your words").fill("go east")
        page.keyboard.press("Enter")
        told = page.get_by_role("log")
        expect(told.get_by_text("It smells of twine")).to_be_visible()

        server.kill()
        page.get_by_label("Your words").fill("open the oak chest")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Your text is kept.")).to_be_visible()
        expect(page.get_by_role("button", name="Send again")).to_be_visible()
        # The page sends them by itself when it notices; a click here could come too late.
        server.restart()
        expect(told.get_by_text("You open the oak chest.")).to_be_visible()

        page.reload()
        expect(told.get_by_text("It smells of twine")).to_be_visible()
        expect(told.get_by_text("You open the oak chest.")).to_have_count(1)
        visit.allow_messages(*_BROKEN_OFF)


def test_a_page_chosen_in_the_meantime_opens_by_itself(browser: Browser, tmp_path: Path) -> None:
    """A lost connection is reported in plain words, and the page opens once it can."""
    with ServeProcess(tmp_path) as server, PageVisit(browser, server.address) as visit:
        page = visit.go("/play")
        expect(page.get_by_role("region", name="Stories")).to_be_visible()
        server.kill()
        page.get_by_role("link", name="Write", exact=True).click()
        expect(page.get_by_text("opens by itself")).to_be_visible()
        expect(page.locator("main")).not_to_contain_text("Unable")
        server.restart()

        expect(page.get_by_role("button", name="New story")).to_be_visible()
        visit.allow_messages(*_BROKEN_OFF)
