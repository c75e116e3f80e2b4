"""Comparing experiments in a real browser: from the answer to the turns of a number."""

import pytest
from playwright.sync_api import Browser, expect

from tests.journeys.browser import PHONE, PageVisit

pytestmark = pytest.mark.slow

_STICKING_OUT = """(panel) => [...panel.querySelectorAll("h2, h3, p, ul, pre, article")]
  .filter((each) => each.getBoundingClientRect().right > innerWidth)
  .map((each) => each.outerHTML.slice(0, 80))"""


def test_a_report_is_opened_and_a_number_leads_to_its_turns(
    browser: Browser, server_address: str
) -> None:
    """A report opens from the list, and a number opens the turns that it counts."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/compare")
        page.get_by_role("link", name="Does it help to tell").first.click()
        expect(page.get_by_role("heading", name="The answer")).to_be_visible()
        page.get_by_role("button", name="Impossible actions").first.click()
        behind = page.get_by_role("dialog")
        expect(behind.get_by_text("Said").first).to_be_visible()
        assert [] == visit.find_faults()
        page.keyboard.press("Escape")
        expect(behind).to_be_hidden()
        page.get_by_role("tab", name="Report").click()

        expect(page.get_by_role("tabpanel").get_by_role("heading").first).to_be_visible()
        assert [] == visit.find_faults()


@pytest.mark.parametrize(
    "part", ["Side by side", "Refusals", "Time", "Tests", "Limits", "Runs", "Report"]
)
def test_every_part_can_be_read_as_tables_too(
    browser: Browser, server_address: str, part: str
) -> None:
    """Every part can be read as tables too, without an accessibility fault in dark mode."""
    with PageVisit(browser, server_address, theme="dark") as visit:
        page = visit.go("/compare/telling")
        page.get_by_role("tab", name=part, exact=True).click()
        visit.settle()
        assert [] == visit.find_faults()
        tables = page.get_by_role("radio", name="Tables")
        if tables.count():
            tables.check(force=True)
            expect(page.get_by_role("table").first).to_be_visible()

        assert [] == visit.find_faults()


def test_the_page_names_the_best_condition_and_what_so_few_blocks_cannot_test(
    browser: Browser, server_address: str
) -> None:
    """The answer names the best condition; a pair without enough blocks is not testable."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/compare/telling?tab=tests")
        expect(page.get_by_text("Which condition was best?")).to_be_visible()
        expect(page.get_by_text("too few blocks to tell it from A").first).to_be_visible()

        expect(page.get_by_text("not testable with").first).to_be_visible()
        expect(page.get_by_role("table").get_by_text("p = ")).to_have_count(0)


def test_a_report_fits_a_phone(browser: Browser, server_address: str) -> None:
    """On a phone, long lines wrap or scroll inside their own box, and the open tab is seen."""
    with PageVisit(browser, server_address, size=PHONE) as visit:
        page = visit.go("/compare/telling?tab=report")
        expect(page.get_by_role("tabpanel").locator("article").first).to_be_visible()

        assert [] == page.get_by_role("tabpanel").evaluate(_STICKING_OUT)
        assert 0 == visit.measure_overflow()
        tab = page.get_by_role("tab", name="Report").bounding_box()
        assert tab is not None
        assert 0 <= tab["x"] <= PHONE[0] - tab["width"]


def test_a_report_follows_the_language_of_the_page(browser: Browser, server_address: str) -> None:
    """After a change of the language, the report is read again, and says its language."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/compare/telling?tab=report")
        expect(page.get_by_text("What these metrics mean")).to_be_visible()
        page.keyboard.press("Alt+KeyJ")

        expect(page.get_by_text("これらの指標の意味")).to_be_visible()
        expect(page.locator(".report")).to_have_attribute("lang", "ja")


def test_a_problem_is_reported_in_the_language_of_the_page(
    browser: Browser, server_address: str
) -> None:
    """A problem is shown in the page's language; the server's English text can be unfolded."""
    with PageVisit(browser, server_address, language="ja") as visit:
        page = visit.go("/compare/nowhere")
        told = page.get_by_role("alert")
        expect(told).to_contain_text("その実験はありません。")
        expect(told.get_by_text("EXPERIMENT_NOT_FOUND")).to_be_hidden()
        told.get_by_text("サーバーからの詳細").click()

        expect(told.get_by_text("EXPERIMENT_NOT_FOUND")).to_be_visible()
        assert [] == visit.find_faults()
        visit.allow_messages("404")
