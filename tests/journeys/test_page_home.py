"""The cards of worlds and stories in a real browser, with their errors."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.journeys.browser import PHONE, PageVisit, open_server

pytestmark = pytest.mark.slow

_WHOLE = "---\ntitle: The same\nlanguage: en\n---\n# The same\n\nHi.\n"
_BROKEN = "# Odd\n\n[SET x = ]\n"
_LONG = f"---\ntitle: {'Donaudampfschifffahrt' * 6}\nlanguage: en\n---\n# L\n\nHi.\n"


@pytest.fixture(scope="module")
def stories_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of stories: two with one title, one broken, one with a long name."""
    folder = tmp_path_factory.mktemp("project") / "stories"
    folder.mkdir()
    for name, text in (("one", _WHOLE), ("two", _WHOLE), ("odd", _BROKEN), ("long", _LONG)):
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def address(stories_folder: Path) -> Iterator[str]:
    """A server with those stories, which all tests here share."""
    with open_server(stories_folder.parent) as found:
        yield found


def _find_card(page: Page, words: str) -> Locator:
    region = page.get_by_role("region", name="Stories")
    return region.get_by_role("listitem").filter(has_text=words)


def test_a_typed_scenario_comes_first(browser: Browser, address: str) -> None:
    """Scenarios come before stories, can be begun without scrolling, and share no title with a story."""
    with PageVisit(browser, address) as visit:
        page = visit.go("/play")
        begin = page.get_by_role("button", name="Begin")
        expect(begin.first).to_be_in_viewport(ratio=1)
        shelves = page.get_by_role("region").get_by_role("heading", level=2)
        typed = page.get_by_role("region", name="Scenarios", exact=True).get_by_role(
            "heading", level=3
        )

        assert ["Scenarios", "Stories", "More scenarios"] == shelves.all_text_contents()
        assert "Lantern Island" in typed.all_text_contents()
        story = _find_card(page, "Lantern Island").get_by_role("heading", level=3)
        assert story.text_content() not in typed.all_text_contents()


def test_a_story_that_cannot_begin_says_why_in_its_card(browser: Browser, address: str) -> None:
    """A broken story's card names the line to fix, and its button is disabled."""
    with PageVisit(browser, address) as visit:
        card = _find_card(visit.go("/play"), "Odd")

        expect(card).to_contain_text("odd.md:3")
        expect(card.get_by_role("button", name="Begin")).to_be_disabled()
        assert [] == visit.find_faults()


def test_a_start_request_that_fails_is_reported_where_it_was_pressed(
    browser: Browser, address: str, stories_folder: Path
) -> None:
    """An error on starting a story is shown in its card with the focus, until it starts."""
    with PageVisit(browser, address) as visit:
        page = visit.go("/play")
        card = _find_card(page, "two")
        card.wait_for()
        (stories_folder / "two.md").write_text(_BROKEN, encoding="utf-8")
        card.get_by_role("button", name="Begin").click()
        told = card.get_by_role("alert")
        expect(told).to_be_in_viewport()
        expect(card.locator(".failed")).to_be_focused()
        assert [] == visit.find_faults()
        visit.allow_messages("422")
        (stories_folder / "two.md").write_text(_WHOLE, encoding="utf-8")
        card.get_by_role("button", name="Begin").click()

        page.wait_for_url(re.compile(r"/play/[^/]+$"))


def test_stories_of_one_title_are_distinguished(browser: Browser, address: str) -> None:
    """Stories with one title show their ids, which other stories' cards do not."""
    with PageVisit(browser, address) as visit:
        page = visit.go("/play")
        alike = _find_card(page, "The same")

        expect(alike.locator("code")).to_have_text(["one", "two"])
        expect(_find_card(page, "Lantern Island").locator("code")).to_have_count(0)


def test_long_names_break_on_a_small_phone(browser: Browser, address: str) -> None:
    """Long names wrap, so that neither card nor page is too wide."""
    with PageVisit(browser, address, size=PHONE, touch=True) as visit:
        title = _find_card(visit.go("/play"), "Donaudampf").get_by_role("heading")
        title.wait_for()
        wide: int = title.evaluate("(each) => each.scrollWidth - each.clientWidth")

        assert (0, 0) == (wide, visit.measure_overflow())


def test_a_hint_leaves_the_tools_free(browser: Browser, address: str) -> None:
    """A hint is shown above the input field and does not cover the tools."""
    with PageVisit(browser, address) as visit:
        page = visit.go("/play")
        worlds = page.get_by_role("region", name="Scenarios").get_by_role("listitem")
        kitchen = worlds.filter(has_text="Supper for Two")
        kitchen.get_by_role("button", name="Begin").click()
        page.get_by_role("button", name="A hint").click()
        told = page.get_by_role("status").filter(has_text="Try:")
        expect(told).to_contain_text("Kitchen Garden")
        box, field = told.bounding_box(), page.get_by_label("Your words").bounding_box()
        assert box is not None
        assert field is not None
        assert box["y"] + box["height"] <= field["y"]
        assert [] == visit.find_faults()
        page.get_by_role("button", name="Settings").click(trial=True)
        page.get_by_role("button", name="Close").click()

        expect(told).to_have_count(0)
        expect(page.get_by_label("Your words")).to_be_focused()
