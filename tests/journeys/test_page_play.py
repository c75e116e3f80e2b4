"""Playing in a real browser: with mouse, keyboard or touch, in both languages."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.journeys.browser import PHONE, PageVisit, open_server

pytestmark = pytest.mark.slow

_WARM = (
    "Take the path into the fog",
    "Knock at the cottage, and go in",
    "See to the hatch",
    "Pull the ring",
    "Leave it",
    "Climb up to the loft",
    "Lift the lid of the chest",
    "Down the ladder",
    "Sit down with Orla",
    "Eat the seed cake",
    "Stay here, where it is warm",
)
"""The shortest way to an ending of the shipped story, with two refusals on it."""
_HOSTILE = """---
title: <img src=x onerror="document.title='taken'">
language: en
vars: {who: ""}
---
<script>document.title = "taken"</script> & <b>not bold</b>

<i>Mallory</i>: \\{\\{7*7}} $\\{7*7} </textarea>

[ASK prompt="<u>Who</u>?" name=who]

{who}: javascript:alert(1)

- <a href="javascript:alert(1)">Go</a>
  The end.
- <svg onload="alert(1)">Stay</svg>
  The end.
"""
"""A story full of markup, which must be shown as text."""
_MOST_LINES = 60


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that all tests here share; each starts its own runs."""
    project = tmp_path_factory.mktemp("project")
    (project / "stories").mkdir()
    (project / "stories" / "zz-markup.md").write_text(_HOSTILE, encoding="utf-8")
    with open_server(project) as found:
        yield found


def _begin(visit: PageVisit, shelf: str, title: str, begin: str = "Begin") -> Page:
    page = visit.go("/play")
    cards = page.get_by_role("region", name=shelf).get_by_role("listitem")
    card = cards.filter(has=page.get_by_role("heading", name=title, exact=True))
    card.get_by_role("button", name=begin, exact=True).click()
    page.wait_for_url(re.compile(r"/play/[^/]+$"))
    return page


def _find_awaited(page: Page) -> Locator:
    """What the story waits for: a choice, words, or an end.

    An answered question stays, marked as busy, until the page shows the response.
    """
    return page.locator(
        '.choices:not([aria-busy="true"]) [data-choice][aria-disabled="false"], .end,'
        ' .composer:not(:has([aria-busy="true"])) input[data-words]'
    ).first


def _read_on(page: Page, *, key: str = "Space") -> None:
    """Continue line by line until the story waits for input."""
    waiting, line = _find_awaited(page), page.locator(".box .text")
    for _ in range(_MOST_LINES):
        expect(waiting.or_(page.locator(".next.ready")).first).to_be_visible()
        if waiting.is_visible():
            return
        shown = line.inner_text()
        page.keyboard.press(key)
        expect(waiting.or_(line.filter(has_not_text=shown)).first).to_be_visible()
    raise AssertionError("the story goes on and on")


@contextmanager
def _expect_answer(page: Page) -> Iterator[None]:
    """Wait for the server's answer to what is done in the block."""
    with page.expect_response(lambda each: each.request.method == "POST"):
        yield


def _choose(page: Page, choice: str) -> None:
    offered = page.get_by_role("button", name=choice)
    offered.click()
    expect(offered).to_have_count(0)


def _name(page: Page, name: str) -> None:
    """Answer the first question with a name."""
    _read_on(page)
    with _expect_answer(page):
        page.locator("input[data-words]").fill(name)
        page.keyboard.press("Enter")


def _say(page: Page, words: str) -> None:
    """Say something to a world, and wait for the answer."""
    with _expect_answer(page):
        page.get_by_label("Your words").fill(words)
        page.keyboard.press("Enter")
    expect(page.get_by_role("log").get_by_text(words, exact=True).last).to_be_visible()


def test_the_shipped_story_is_played_to_an_ending(browser: Browser, address: str) -> None:
    """The story is played to an ending with the mouse, with pictures, a name and refusals."""
    with PageVisit(browser, address) as visit:
        page = _begin(visit, "Stories", "A Night on Lantern Island")
        _name(page, "Ana")
        expect(page.locator(".stage img").first).to_be_visible()
        for choice in _WARM:
            _read_on(page)
            _choose(page, choice)
        _read_on(page)

        expect(page.get_by_role("button", name="Begin again")).to_be_visible()
        assert [] == visit.find_faults()


def test_a_story_is_played_by_keys_alone(browser: Browser, address: str) -> None:
    """A story is played with the keyboard only, including the log."""
    with PageVisit(browser, address) as visit:
        page = visit.go("/play")
        stories = page.get_by_role("region", name="Stories")
        _reach(page, stories.get_by_role("button", name="Begin", exact=True).first)
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"/play/[^/]+$"))
        _read_on(page, key="Enter")
        page.keyboard.press("/")
        page.keyboard.type("Ana")
        with _expect_answer(page):
            page.keyboard.press("Enter")
        _read_on(page)
        page.keyboard.press("ArrowDown")
        with _expect_answer(page):
            page.keyboard.press("Enter")
        _read_on(page)
        page.keyboard.press("l")
        log = page.get_by_role("dialog", name="Log")
        expect(log.get_by_text("my knees have retired")).to_be_visible()
        page.keyboard.press("Escape")
        expect(log).to_be_hidden()
        page.keyboard.press("PageUp")

        expect(page.get_by_text("She counts ships by their bells").first).to_be_visible()


def _reach(page: Page, wanted: Locator) -> None:
    """Press Tab until the element has the focus, which must be visible."""
    wanted.wait_for()
    for _ in range(40):
        page.keyboard.press("Tab")
        if wanted.evaluate("(each) => each === document.activeElement"):
            break
    outline = wanted.evaluate("(each) => getComputedStyle(each).outlineStyle")
    assert "none" != outline


def test_door_and_key_is_played_by_typing(browser: Browser, address: str) -> None:
    """A scenario is played by typing, with a refusal, to its end."""
    with PageVisit(browser, address) as visit:
        page = _begin(visit, "Scenarios", "The Garden Gate")
        told = page.get_by_role("log")
        expect(told.get_by_text("Front Garden").first).to_be_visible()
        _say(page, "open the iron gate")
        expect(told.get_by_text("The iron gate is locked.")).to_be_visible()
        _say(page, "go east, open the oak chest and take the brass key")
        _say(page, "go west and unlock the iron gate with the brass key")
        _say(page, "open the iron gate and go north")
        expect(told.get_by_text("The letter was right: it is yours.")).to_be_visible()

        assert [] == visit.find_faults()


def test_an_attempt_is_shown_as_it_is_understood_before_it_counts(
    browser: Browser, address: str
) -> None:
    """A preview changes nothing, and says what would be refused."""
    with PageVisit(browser, address) as visit:
        page = _begin(visit, "Scenarios", "The Garden Gate")
        field = page.get_by_label("Your words")
        field.fill("open the iron gate")
        page.get_by_role("button", name="How would this be understood?").click()
        expect(page.get_by_text("It would not happen.")).to_be_visible()
        field.fill("go east")
        look = page.get_by_role("button", name="How would this be understood?")
        look.click()
        expect(page.get_by_text("It would happen.")).to_be_visible()
        expect(look).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.get_by_text("It would happen.")).to_be_hidden()
        expect(field).to_be_focused()
        look.click()
        shed = page.get_by_role("log").get_by_text("It smells of twine")
        expect(shed).to_have_count(0)
        page.get_by_role("button", name="Yes, send it").click()

        expect(shed).to_be_visible()


def test_a_save_is_gone_back_to(browser: Browser, address: str) -> None:
    """A loaded save shows the story at its earlier place."""
    with PageVisit(browser, address) as visit:
        page = _begin(visit, "Stories", "A Night on Lantern Island")
        _name(page, "Ana")
        _read_on(page)
        page.get_by_role("button", name="Save and load").click()
        slots = page.get_by_role("dialog", name="Save and load")
        slots.get_by_role("button", name="Slot 1").click()
        slots.get_by_role("button", name="Load").wait_for()
        assert [] == visit.find_faults()
        page.keyboard.press("Escape")
        _choose(page, "Take the path into the fog")
        _read_on(page)
        page.get_by_role("button", name="Save and load").click()
        slots.get_by_role("button", name="Load").click()

        expect(page.get_by_role("button", name="Read the notice board")).to_be_visible()


def test_what_was_left_is_offered_again(browser: Browser, address: str) -> None:
    """A new browser finds the unfinished run in the same state."""
    with PageVisit(browser, address) as visit:
        page = _begin(visit, "Scenarios", "The Garden Gate")
        _say(page, "go east")
        where = page.url.removeprefix(visit.address)
    with PageVisit(browser, address) as visit:
        page = visit.go("/play")
        page.locator(f'a[href="{where}"]').first.click()

        told = page.get_by_role("log")
        expect(told.get_by_text("It smells of twine")).to_be_visible()
        expect(told.get_by_text("go east", exact=True)).to_be_visible()
        page.get_by_role("button", name="Log", exact=True).click()
        log = page.get_by_role("dialog", name="Log")
        expect(log.get_by_text("go east", exact=True)).to_be_visible()


def test_a_run_that_is_not_there_leads_home(browser: Browser, address: str) -> None:
    """An unknown run is reported in plain words, with a way back and without file names."""
    with PageVisit(browser, address) as visit:
        page = visit.go("/play/run-00000000-0000-7000-8000-000000000000")
        expect(page.get_by_text("This run cannot be opened.")).to_be_visible()
        assert [] == visit.find_faults()
        assert ".saniwa" not in page.locator("main").inner_text()
        visit.allow_messages("404")
        page.get_by_role("link", name="Home").last.click()

        expect(page.get_by_role("region", name="Stories")).to_be_visible()
        page = visit.go("/watch/run-00000000-0000-7000-8000-000000000000")
        expect(page.get_by_role("alert")).to_be_visible()
        expect(page.get_by_role("link", name="Continue")).to_have_count(0)
        visit.allow_messages("404")


def test_a_world_begins_in_the_language_it_is_written_in(browser: Browser, address: str) -> None:
    """A world starts in its own language; a world in two languages has one card."""
    with PageVisit(browser, address) as visit:
        page = _begin(visit, "Scenarios", "Coffee trap")
        expect(page.locator(".told")).to_have_attribute("lang", "ja")
        page = visit.go("/play")
        worlds = page.get_by_role("region", name="Scenarios").get_by_role("listitem")
        gate = worlds.filter(has_text="The Garden Gate")
        expect(gate).to_have_count(1)
        gate.get_by_role("button", name="日本語").click()
        page.wait_for_url(re.compile(r"/play/[^/]+$"))

        expect(page.locator(".told")).to_have_attribute("lang", "ja")
        expect(page.locator(".told")).not_to_contain_text("Garden")


def test_a_sentence_that_quits_leads_home(browser: Browser, address: str) -> None:
    """A sentence about quitting returns to the start page, where the run is offered again."""
    with PageVisit(browser, address, language="ja-JP") as visit:
        page = _begin(visit, "シナリオ", "庭の門", "はじめる")
        page.locator("input[data-words]").fill("ゲームを終わりにします")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"/play$"))

        expect(page.get_by_text("鍵が見つかるまで開かない音楽室")).to_be_visible()


def test_a_world_shows_only_keys_that_do_something(browser: Browser, address: str) -> None:
    """In a world, the list of keys has only keys that do something there."""
    with PageVisit(browser, address) as visit:
        page = _begin(visit, "Scenarios", "The Garden Gate")
        page.get_by_role("button", name="Keys").click()
        keys = page.get_by_role("dialog", name="Keys")
        expect(keys.get_by_text("Save and load")).to_be_visible()

        expect(keys.get_by_text("Hide the text")).to_have_count(0)
        expect(keys.get_by_text("Auto")).to_have_count(0)


def test_a_long_log_scrolls_within_its_frame(browser: Browser, address: str) -> None:
    """However long the log of a world grows, the page itself does not scroll."""
    with PageVisit(browser, address) as visit:
        page = _begin(visit, "Scenarios", "The Garden Gate")
        for _ in range(8):
            _say(page, "look around")

        room = "() => document.documentElement.scrollHeight - window.innerHeight"
        assert 0 >= page.evaluate(room)


def test_choices_stay_within_the_text_box(browser: Browser, address: str) -> None:
    """On a wide screen the choices are not wider than the text box."""
    with PageVisit(browser, address) as visit:
        page = _begin(visit, "Stories", "A Night on Lantern Island")
        _name(page, "Ana")
        _read_on(page)
        box = page.locator(".box").bounding_box()
        choice = page.locator("[data-choice]").first.bounding_box()
        assert box is not None
        assert choice is not None

        assert choice["x"] + choice["width"] <= box["x"] + box["width"]


def test_markup_in_a_story_is_text(browser: Browser, address: str) -> None:
    """Markup in titles, lines, speakers, questions, answers and choices is shown as text."""
    answer = "<img src=x onerror=\"document.title='taken'\">"
    with PageVisit(browser, address) as visit:
        page = visit.go("/play")
        stories = page.get_by_role("region", name="Stories")
        title = stories.get_by_text("<img src=x onerror=", exact=False)
        expect(title).to_be_visible()
        title.locator("xpath=ancestor::li").get_by_role("button", name="Begin").click()
        page.wait_for_url(re.compile(r"/play/[^/]+$"))
        expect(page.get_by_text("<b>not bold</b>").first).to_be_visible()
        _read_on(page)
        expect(page.get_by_text("<u>Who</u>?")).to_be_visible()
        _name(page, answer)
        _read_on(page)
        expect(page.locator("[data-choice]").first).to_contain_text("<a href=")

        assert "taken" not in page.title()
        assert 0 == page.locator("img[src=x], a[href^=javascript], main b b").count()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_small_phone_shows_everything(browser: Browser, address: str, theme: str) -> None:
    """On a small phone with touch, light and dark, everything is visible and reachable."""
    dark = theme == "dark"
    with PageVisit(
        browser, address, size=PHONE, theme="dark" if dark else "light", touch=True
    ) as visit:
        page = visit.go("/play")
        stories = page.get_by_role("region", name="Stories")
        stories.wait_for()
        assert (0, []) == (visit.measure_overflow(), visit.find_faults())
        stories.get_by_role("button", name="Begin", exact=True).first.tap()
        _name(page, "Ana")
        _read_on(page)
        assert (0, []) == (visit.measure_overflow(), visit.find_faults())
        with _expect_answer(page):
            page.get_by_role("button", name="Read the notice board").tap()
        _read_on(page)

        expect(page.get_by_role("button", name="Ask about the lamp")).to_be_in_viewport()


def test_a_japanese_reader_gets_japanese(browser: Browser, address: str) -> None:
    """Page and story are in the browser's language."""
    with PageVisit(browser, address, language="ja-JP") as visit:
        page = _begin(visit, "物語", "灯の島の夜", "はじめる")
        _read_on(page)

        expect(page.get_by_role("heading", level=1)).to_have_text("灯の島の夜")
        assert "ja" == page.locator("html").get_attribute("lang")
        assert [] == visit.find_faults()


def test_text_types_itself_unless_the_reader_prefers_it_whole(
    browser: Browser, address: str
) -> None:
    """Text appears gradually; a key shows the whole line."""
    with PageVisit(browser, address, still=False) as visit:
        page = _begin(visit, "Stories", "A Night on Lantern Island")
        page.locator(".next:not(.ready)").wait_for()
        page.keyboard.press("Space")

        expect(page.locator(".next.ready")).to_be_visible()
        expect(page.locator(".box .text")).to_contain_text("Fog comes in over")
