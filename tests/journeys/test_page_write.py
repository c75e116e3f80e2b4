"""Writing in a real browser: findings while typing, fixes, tries, saving."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.journeys.browser import PHONE, PageVisit, check_map_zoom
from tests.journeys.played_project import PlayedProject

pytestmark = pytest.mark.slow


def _begin_story(visit: PageVisit, title: str) -> Locator:
    page = visit.go("/write")
    page.get_by_role("button", name="New story").click()
    asked = page.get_by_role("dialog", name="New story")
    asked.get_by_label("Title").fill(title)
    assert [] == visit.find_faults()
    asked.get_by_role("button", name="Create").click()
    return _find_field(page)


def _find_field(page: Page, name: str = "Text of story.md") -> Locator:
    field = page.get_by_role("textbox", name=name)
    expect(field).not_to_have_value("")
    return field


def _locate_story(grounds: PlayedProject, story: str) -> Path:
    return grounds.folder / "stories" / story / "story.md"


def test_a_click_puts_the_cursor_there(browser: Browser, server_address: str) -> None:
    """A click sets the cursor to the end of the line that was clicked."""
    with PageVisit(browser, server_address) as visit:
        field = _begin_story(visit, "Pointed at")
        page, text = visit.page, field.input_value()
        page.get_by_role("link", name="All texts").focus()
        box = page.locator(".row", has_text="# garden").last.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
        page.keyboard.type(" and more")

        expect(field).to_be_focused()
        expect(field).to_have_value(text.replace("# garden", "# garden and more"))


def test_the_editor_stays_in_place_while_one_writes(browser: Browser, server_address: str) -> None:
    """A long title does not move the editor, and every tab can be read."""
    with PageVisit(browser, server_address) as visit:
        field = _begin_story(visit, "The long tale of the lantern and the moth " * 3)
        page = visit.page
        bar, tabs = page.locator(".desk > header"), page.get_by_role("tablist")
        before = bar.bounding_box()
        field.press("Control+End")
        page.keyboard.type("M")
        expect(page.get_by_text("not saved", exact=True)).to_be_visible()

        assert before == bar.bounding_box()
        for width in (1280, 1024):
            page.set_viewport_size({"width": width, "height": 800})
            expect(page.locator(".left")).to_have_count(int(width > 1088))
            wider = tabs.evaluate("(each) => each.scrollWidth - each.clientWidth")
            assert (width, 0) == (width, wider)


def test_a_mistake_is_found_and_fixed_by_keys(browser: Browser, server_address: str) -> None:
    """A mistake is found while typing; a key fixes it, and the fix can be undone."""
    with PageVisit(browser, server_address) as visit:
        field = _begin_story(visit, "Mistaken")
        page, text = visit.page, field.input_value()
        field.fill(text.replace("(#garden)", "(#gardn)"))
        expect(page.get_by_role("status").get_by_text("warning")).to_be_visible()
        assert [] == visit.find_faults()
        page.keyboard.press("Control+Home")
        page.keyboard.press("F8")
        page.keyboard.press("Control+.")
        expect(field).to_have_value(text)
        expect(page.get_by_text("No findings.")).to_be_visible()
        page.keyboard.press("Control+z")
        expect(field).to_have_value(text.replace("(#garden)", "(#gardn)"))


def test_a_story_is_played_from_the_cursor(browser: Browser, server_address: str) -> None:
    """Unsaved text is played from the cursor, next to the editor."""
    with PageVisit(browser, server_address) as visit:
        field = _begin_story(visit, "Tried")
        page, text = visit.page, field.input_value()
        field.fill(text.replace("It is too dark", "It is <b>much</b> too dark"))
        page.get_by_role("navigation", name="Files").get_by_role("button", name="garden").click()
        page.keyboard.press("Control+Enter")
        shown = page.locator(".trial")
        expect(shown.get_by_text("It is <b>much</b> too dark").first).to_be_visible()
        assert [] == visit.find_faults()


def test_a_story_is_played_from_the_start_wherever_the_cursor_is(
    browser: Browser, server_address: str
) -> None:
    """The first button plays from the start; so does Begin again after an end near the cursor."""
    with PageVisit(browser, server_address) as visit:
        field = _begin_story(visit, "From the start")
        page = visit.page
        field.press("Control+End")
        page.keyboard.press("Control+Enter")
        shown = page.locator(".trial")
        again, first = shown.get_by_role("button", name="Begin again"), shown.get_by_text("evening")
        expect(again).to_be_visible()
        expect(page.locator(".right .deed button")).to_have_text(
            ["Play from the start", "Play from here"]
        )
        again.click()
        expect(first.last).to_have_text("It is evening, and the garden gate stands open.")
        page.keyboard.press("Control+Enter")
        expect(again).to_be_visible()
        page.locator(".right").get_by_role("button", name="Play from the start").click()
        expect(first.last).to_have_text("It is evening, and the garden gate stands open.")
        assert [] == visit.find_faults()


def test_a_story_that_is_tried_is_played_by_keys(browser: Browser, server_address: str) -> None:
    """Play from the start leads the keys into the story: 1 takes an option, and Enter continues."""
    with PageVisit(browser, server_address) as visit:
        _begin_story(visit, "By keys")
        page = visit.page
        page.get_by_role("tab", name="Play").click()
        page.locator(".deed").get_by_role("button", name="Play from the start").press("Enter")
        shown, take = page.locator(".trial"), re.compile("Take the lantern")
        expect(shown.get_by_role("button", name=take)).to_be_visible()
        expect(shown.locator(".choices")).to_be_focused()
        page.keyboard.press("1")
        expect(shown.get_by_text("It is warm, and lighter than it looks.").last).to_be_visible()
        end = shown.locator(".end")
        following = shown.get_by_role("button", name="Continue")
        expect(following).to_be_focused()
        page.keyboard.press("Enter")
        expect(shown.get_by_text("The light goes ahead of you.").last).to_be_visible()
        expect(following.or_(end)).to_be_focused()
        page.keyboard.press("Enter")
        expect(end.get_by_role("button", name="Begin again")).to_be_visible()
        expect(end.get_by_role("link")).to_have_count(0)


def test_a_japanese_title_is_a_name_and_the_rule_is_in_japanese(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """The dialog begins at the title and makes a valid name of it; what a name may be is Japanese."""
    with PageVisit(browser, server_address, language="ja-JP") as visit:
        page = visit.go("/write")
        page.get_by_role("button", name="新しい物語").click()
        asked = page.get_by_role("dialog", name="新しい物語")
        expect(asked.get_by_label("題名")).to_be_focused()
        page.keyboard.type("最後の渡し舟")
        named = asked.get_by_label("名前", exact=True)
        expect(named).to_have_value("最後の渡し舟")
        named.fill("No Good")
        page.keyboard.press("Enter")
        expect(named).to_have_accessible_description(re.compile("使えません。.*英小文字"))
        expect(asked.get_by_text("lowercase")).to_have_count(0)
        assert [] == visit.find_faults()
        named.fill("最後の渡し舟")
        page.keyboard.press("Enter")
        expect(_find_field(page, "story.md の本文")).to_be_editable()
        assert _locate_story(project, "最後の渡し舟").exists()
        visit.allow_messages("422", "400")


def test_a_broken_link_is_reported_while_its_story_is_tried(
    browser: Browser, server_address: str
) -> None:
    """While a story is tried, a broken link is reported with its line, and the story continues."""
    with PageVisit(browser, server_address) as visit:
        field = _begin_story(visit, "Broken link")
        field.fill("---\nid: broken-link\n---\n[Go](#lost)\n\nStill here.\n\n- [x](#a)\n")
        visit.page.get_by_role("button", name="Play from the start").click()
        remark = visit.page.get_by_role("status").filter(has_text="there is no label “lost”")

        expect(remark).to_have_text(
            "Line 4: there is no label “lost”, so the story continues here."
        )


def test_the_graph_leads_to_the_line(browser: Browser, server_address: str) -> None:
    """A section of the graph is a button that leads to its line."""
    with PageVisit(browser, server_address) as visit:
        field = _begin_story(visit, "Drawn")
        page = visit.page
        page.get_by_role("tab", name="Graph").click()
        page.get_by_role("button", name="garden, section").press("Enter")
        expect(field).to_be_focused()
        expect(page.get_by_text("line 19", exact=True)).to_be_visible()
        assert [] == visit.find_faults()


def test_what_is_not_saved_is_there_again(browser: Browser, server_address: str) -> None:
    """Unsaved text is there after leaving the page, and can be saved."""
    with PageVisit(browser, server_address) as visit:
        field = _begin_story(visit, "Left open")
        page = visit.page
        field.press("Control+End")
        page.keyboard.type("\nMore to come.\n")
        page.get_by_role("link", name="All texts").click()
        page.get_by_role("link", name="Left open").click()
        expect(_find_field(page)).to_have_value(re.compile(r"More to come\.\s*$"))
        expect(page.get_by_text("Your unsaved changes")).to_be_visible()
        page.keyboard.press("Control+s")
        expect(page.get_by_text("Saved.")).to_be_visible()


def test_the_second_person_to_save_sees_both_texts(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """A second person who saves is shown both texts, and nothing is overwritten by itself."""
    with PageVisit(browser, server_address) as visit:
        field = _begin_story(visit, "Shared")
        page, file = visit.page, _locate_story(project, "shared")
        theirs = file.read_text() + "\nTheirs.\n"
        field.press("Control+End")
        page.keyboard.type("\nMine.\n")
        file.write_text(theirs)
        page.keyboard.press("Control+s")
        asked = page.get_by_role("dialog", name="The file was saved elsewhere")
        expect(asked.get_by_text("Mine.")).to_be_visible()
        expect(asked.get_by_text("Theirs.")).to_be_visible()
        visit.allow_messages("412")
        assert theirs == file.read_text()
        assert [] == visit.find_faults()
        asked.get_by_role("button", name="Overwrite with mine").click()
        expect(page.get_by_text("Saved.")).to_be_visible()
        assert file.read_text().endswith("Mine.\n")


def test_what_comes_with_saniwa_is_copied_first(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """A shipped story cannot be changed, but a copy of it can."""
    with PageVisit(browser, server_address, size=PHONE, touch=True) as visit:
        page = visit.go("/write/story/lantern-island")
        expect(_find_field(page)).not_to_be_editable()
        page.get_by_role("button", name="Make a copy").tap()
        asked = page.get_by_role("dialog", name="A copy of")
        asked.get_by_role("button", name="Create").tap()
        expect(_find_field(page)).to_be_editable()
        assert 0 == visit.measure_overflow()
        assert [] == visit.find_faults()
        assert _locate_story(project, "my-lantern-island").exists()


def test_a_world_is_drawn_and_tried(browser: Browser, server_address: str) -> None:
    """A world's map is drawn, and words can be tried on the current text."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/write/scenario/door_and_key")
        page.get_by_role("tab", name="Map").click()
        page.get_by_role("button", name="Old Orchard goal").click()
        expect(page.get_by_text("line 37", exact=True)).to_be_visible()
        check_map_zoom(page)
        assert [] == visit.find_faults()
        page.get_by_role("tab", name="Try words").click()
        page.get_by_label("What a player might do first").fill("go north")
        page.keyboard.press("Enter")
        expect(page.get_by_text("It would be refused.")).to_be_visible()
        said = page.get_by_label("What a player might do first")
        said.fill("ask the groundskeeper about the gate")
        page.keyboard.press("Enter")
        expect(page.get_by_text("would answer with the topic “gate”.")).to_be_visible()
        assert [] == visit.find_faults()


def test_only_a_way_without_a_way_back_is_an_arrow(browser: Browser, server_address: str) -> None:
    """A map draws an arrow where there is no way back, and a plain line where there is one."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/write/scenario/door_and_key")
        page.get_by_role("button", name="Make a copy").click()
        asked = page.get_by_role("dialog", name="A copy of")
        asked.get_by_role("button", name="Create").click()
        page.get_by_role("tab", name="Map").click()
        arrows = page.locator("path[marker-end]")
        roads = page.locator("path.road")
        expect(roads).to_have_count(3)
        expect(arrows).to_have_count(0)
        field = page.get_by_role("textbox", name="Text of")
        back = "    exits:\n      east: garden\n"
        assert back in field.input_value()
        field.fill(field.input_value().replace(back, ""))

        expect(arrows).to_have_count(1)
        expect(roads).to_have_count(3)
        assert [] == visit.find_faults()
