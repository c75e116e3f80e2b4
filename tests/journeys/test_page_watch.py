"""Watching a run in a real browser: why something was refused, and changing the rule."""

import io
import re

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.journeys.browser import PageVisit, check_map_zoom
from tests.journeys.played_project import PlayedProject

pytestmark = pytest.mark.slow


def _begin_run(visit: PageVisit) -> str:
    """A new run of door and key."""
    page = visit.go("/play")
    worlds = page.get_by_role("region", name="Scenarios").get_by_role("listitem")
    gate = worlds.filter(has=page.get_by_role("heading", name="The Garden Gate"))
    gate.get_by_role("button", name="Begin", exact=True).click()
    page.wait_for_url(re.compile(r"/play/[^/]+$"))
    return page.url.rpartition("/")[2]


def _say(page: Page, words: str) -> None:
    page.get_by_label("Your words").fill(words)
    with page.expect_response(lambda each: each.request.method == "POST"):
        page.keyboard.press("Enter")


def test_a_refusal_is_looked_into(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """Links lead from the list of runs to a turn, and from its verdict to the deciding rule."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/watch")
        page.locator(f'a[href="/watch/{project.run}"]').first.click()
        page.get_by_role("combobox", name="Show").select_option("refused")
        turns = page.get_by_role("list", name="Timeline").get_by_role("listitem")
        expect(turns).to_have_count(1)
        turns.first.get_by_role("button").click()
        page.get_by_role("tab", name="Turn", exact=True).click()
        turn = page.get_by_role("article")
        expect(turn.get_by_text("open the iron gate").first).to_be_visible()
        expect(turn.get_by_text("LOCKED").first).to_be_visible()
        expect(turn.get_by_text("The iron gate is locked.").first).to_be_visible()
        assert [] == visit.find_faults()
        turn.get_by_role("link", name="open.key_held").click()
        page.wait_for_url(re.compile(r"/rules/"))

        expect(page.get_by_text("key_held").first).to_be_in_viewport()
        assert [] == visit.find_faults()


def test_an_underscore_is_not_hidden_by_the_line_under_a_link(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """Between the name of a rule and the line under its link there is a free row of pixels."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go(f"/watch/{project.run}?turn=1&tab=turn")
        link = page.get_by_role("link", name="open.key_held").first
        box = link.bounding_box()
        assert box is not None
        clip = {**box, "height": box["height"] + 8}
        picture = Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")  # type: ignore[arg-type]
    blank = picture.getpixel((0, 0))
    drawn = [
        sum(blank != picture.getpixel((x, y)) for x in range(picture.width))
        for y in range(picture.height)
    ]
    line = next(y for y, count in enumerate(drawn) if count > 0.9 * picture.width)

    assert 0 == drawn[line - 1]
    assert any(drawn[: line - 1])


def test_time_is_gone_through_by_keys(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """The map shows the places of a turn, and arrow keys move between turns."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go(f"/watch/{project.run}")
        expect(page.get_by_role("heading", name="Map after turn 4")).to_be_visible()
        check_map_zoom(page)
        for turn in (3, 2):
            page.keyboard.press("ArrowLeft")
            earlier = page.get_by_role("heading", name=f"Map after turn {turn}")
            expect(earlier).to_be_visible()
        page.keyboard.press("Home")

        expect(page.get_by_role("heading", name="Map at the beginning")).to_be_visible()


def test_the_slider_stays_under_the_hand_that_moves_it(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """Moving the slider keeps the page, so that typed text stays."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go(f"/watch/{project.run}")
        expect(page.get_by_role("heading", name="Map after turn 4")).to_be_visible()
        page.get_by_role("searchbox").fill("gate")
        slider = page.get_by_role("slider")
        place = slider.bounding_box()
        assert place is not None
        middle = place["y"] + place["height"] / 2
        page.mouse.move(place["x"] + place["width"] - 2, middle)
        page.mouse.down()
        for step in range(20, -1, -1):
            page.mouse.move(place["x"] + place["width"] * step / 20, middle)
        page.mouse.up()

        expect(page.get_by_role("heading", name="Map at the beginning")).to_be_visible()
        expect(page.get_by_role("searchbox")).to_have_value("gate")


def test_beliefs_are_shown_next_to_the_truth(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """A character's beliefs are shown in a table next to the facts."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go(f"/watch/{project.run}")
        page.get_by_role("tab", name="Minds").click()
        page.get_by_role("combobox", name="Whose mind").select_option(label="groundskeeper")

        expect(page.get_by_role("table").first).to_be_visible()
        assert [] == visit.find_faults()


def test_a_run_is_followed_while_it_is_played(browser: Browser, server_address: str) -> None:
    """A watching page shows a turn as soon as another visitor has played it."""
    with (
        PageVisit(browser, server_address) as playing,
        PageVisit(browser, server_address) as watching,
    ):
        run = _begin_run(playing)
        page = watching.go(f"/watch/{run}")
        expect(page.get_by_text("Nothing has been said yet").first).to_be_visible()
        _say(playing.page, "go east")

        turns = page.get_by_role("list", name="Timeline")
        expect(turns.get_by_text("go east")).to_be_visible()


def test_a_run_is_played_again_and_says_the_same(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """A replay judges every turn again, and the page shows the result."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go(f"/watch/{project.run}")
        page.get_by_role("button", name="Replay").click()

        expect(page.get_by_text("4 turns: same result today.")).to_be_visible()


def test_a_rule_is_edited_tried_and_applied(browser: Browser, server_address: str) -> None:
    """A rule can be edited, tried without effect, and then applied to the run."""
    with PageVisit(browser, server_address) as visit:
        run = _begin_run(visit)
        page = visit.go(f"/rules/{run}?check=open.key_held")
        check = page.locator('[id="check-open.key_held"]')
        check.get_by_role("button", name="Change").click()
        layer = page.get_by_role("textbox", name="The layer")
        before = layer.input_value()
        layer.fill(before.replace("actionType: open", "actionType: opne"))
        expect(page.get_by_text("did you mean 'open'?")).to_be_visible()
        expect(page.get_by_role("button", name="Apply")).to_be_disabled()
        layer.fill(before.replace("The {target.name} is locked.", "It laughs at you."))
        page.get_by_label("Words to try").fill("open the iron gate")
        page.get_by_role("button", name="Try it").click()
        expect(page.get_by_text("With the edited rules")).to_be_visible()
        assert [] == visit.find_faults()
        page.get_by_role("button", name="Apply").click()
        expect(page.get_by_text("The new rules apply")).to_be_visible()
        page = visit.go(f"/play/{run}")
        _say(page, "open the iron gate")
        expect(page.get_by_role("log").get_by_text("It laughs at you.")).to_be_visible()
        page = visit.go(f"/watch/{run}")

        turns = page.get_by_role("list", name="Timeline")
        expect(turns.get_by_text("The rules were edited")).to_be_visible()


def test_a_mind_is_asked_for_once(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """The page requests a mind only once."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go(f"/watch/{project.run}")
        asked: list[str] = []
        page.on("request", lambda each: asked.append(each.url))
        page.get_by_role("tab", name="Minds", exact=True).click()
        expect(page.get_by_role("table")).to_be_visible()
        # Any request that the answer caused came before this.
        with page.expect_response(re.compile("/turns/3$")):
            page.get_by_role("tab", name="Turn", exact=True).click()

        assert 1 == len([each for each in asked if "/minds" in each])
        assert [] == visit.find_faults()
