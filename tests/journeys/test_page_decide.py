"""The gate's board in a real browser: begin, hand in, decide, be overtaken, verify."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.browser import PHONE, Visit, served
from tests.journeys.desk import Desk, walk_to_decide

pytestmark = pytest.mark.slow

_MARKUP = "<img src=x onerror=\"document.title='taken'\"><script>1</script>"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A project with a gate; each test begins runs of its own."""
    return Desk(tmp_path_factory.mktemp("gate"))


@pytest.fixture(scope="module")
def secret(desk: Desk) -> str:
    """With which ann signs in, who reviews."""
    return Path(desk.reviewer()).read_text(encoding="utf-8").partition(":")[2]


@pytest.fixture(scope="module")
def address(desk: Desk) -> Iterator[str]:
    """The garden of that project."""
    with served(desk.folder) as found:
        yield found


def _sign_in(page: Page, secret: str) -> None:
    page.get_by_role("button", name="Sign in").first.click()
    asked = page.get_by_role("dialog")
    asked.get_by_label("Name").fill("ann")
    asked.get_by_label("Secret").fill(secret.strip())
    asked.get_by_role("button", name="Sign in").click()
    expect(asked).to_have_count(0)


def _state(page: Page, name: str) -> None:
    expect(page.locator("main header .badge").first).to_have_text(name)


def test_a_reviewer_approves_what_was_looked_at(
    browser: Browser, address: str, desk: Desk, secret: str
) -> None:
    """From the board to a signed decision that stands in the log, with its reason."""
    run = walk_to_decide(desk)
    with Visit(browser, address) as visit:
        page = visit.go("/decide")
        expect(page.get_by_text("You are here as an agent")).to_be_visible()
        _sign_in(page, secret)
        page.locator(f'a[href="/decide/{run}"]').first.click()
        _state(page, "decide")
        page.get_by_role("button", name=re.compile("^Look at synthesis")).click()
        expect(page.get_by_role("dialog").get_by_text("claim")).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Approve").click()
        asked = page.get_by_role("dialog")
        asked.get_by_label("Why").fill("It holds.")
        asked.get_by_role("button", name="Approve").click()
        _state(page, "done")
        expect(page.locator("blockquote")).to_have_text("It holds.")
        expect(page.get_by_text("signed", exact=True)).to_be_visible()
        page.get_by_role("button", name="Verify").click()
        expect(page.get_by_text("Everything is as it was written.")).to_be_visible()

        assert [] == visit.faults()
    assert "done" == desk.type("state", run, "--json").document["current_state"]


def test_whoever_is_overtaken_is_shown_it_again(
    browser: Browser, address: str, desk: Desk, secret: str
) -> None:
    """What changes meanwhile is said, and nothing is decided on what is no longer there."""
    run = walk_to_decide(desk)
    with Visit(browser, address) as visit:
        page = visit.go(f"/decide/{run}")
        _sign_in(page, secret)
        page.get_by_role("button", name="Reject").click()
        asked = page.get_by_role("dialog")
        asked.get_by_label("Why").fill("Too soon.")
        revision = desk.type("state", run, "--json").document["revision"]
        desk.put(run, "decision_more.md", "And tea.")
        sent = desk.emit("submit_decision", revision, "--artifact", "decision_more.md")
        assert 0 == sent.code, sent.err
        expect(asked.get_by_text("moved on while you looked")).to_be_visible()
        expect(asked.get_by_role("button", name="Reject")).to_be_disabled()
        asked.get_by_role("button", name="Show how it stands now").click()
        expect(asked.get_by_text("decision_more.md")).to_be_visible()
        expect(asked.get_by_label("Why")).to_have_value("Too soon.")
        asked.get_by_role("button", name="Reject").click()
        _state(page, "experiment")


def test_evidence_that_changed_is_said_loudly_and_not_approved(
    browser: Browser, address: str, desk: Desk, secret: str
) -> None:
    """The button is there, says why not, and cannot be pressed."""
    run = walk_to_decide(desk)
    desk.put(run, "hypothesis.md", "Something else altogether.")
    with Visit(browser, address) as visit:
        page = visit.go(f"/decide/{run}")
        _sign_in(page, secret)
        alarm = page.get_by_role("alert").filter(has_text="Changed since")
        expect(alarm).to_contain_text("hypothesis.md")
        expect(page.get_by_role("button", name="Approve")).to_be_disabled()
        expect(page.get_by_text("Not yet:")).to_be_visible()
        page.get_by_role("button", name="Look at hypothesis.md").click()
        expect(page.get_by_role("dialog")).to_contain_text("ARTIFACT_CHANGED")
        visit.forgive("status of 409")


def test_a_run_is_begun_and_worked_on_from_a_phone(
    browser: Browser, address: str
) -> None:
    """Evidence is written on the page; what is missing is told; markup stays text."""
    with Visit(browser, address, size=PHONE) as visit:
        page = visit.go("/decide")
        page.get_by_role("button", name="Begin a run", exact=True).first.click()
        asked = page.get_by_role("dialog")
        asked.get_by_label("Process").select_option("exploration")
        asked.get_by_role("button", name="Begin a run").click()
        page.wait_for_url(re.compile("/decide/run-"))
        _state(page, "frame")
        page.get_by_role("button", name="Hand in: submit hypothesis").click()
        asked.get_by_role("button", name="Send").click()
        expect(asked.get_by_role("alert")).to_contain_text("GUARD_FAILED")
        asked.get_by_label("What it says").fill(_MARKUP)
        asked.get_by_role("button", name="Send").click()
        _state(page, "experiment")
        page.get_by_role("button", name=re.compile("^Look at inline")).click()
        expect(page.get_by_role("dialog").locator("pre")).to_have_text(_MARKUP)

        assert "taken" not in page.title()
        assert [] == visit.faults()
        assert 0 == visit.overflow()
        visit.forgive("status of 409")


def test_the_board_is_walked_by_keys_alone(
    browser: Browser, address: str, desk: Desk, secret: str
) -> None:
    """A decision needs no mouse, and Escape leaves it unmade."""
    run = walk_to_decide(desk)
    with Visit(browser, address) as visit:
        page = visit.go(f"/decide/{run}")
        _sign_in(page, secret)
        expect(page.get_by_role("button", name="Approve")).to_be_enabled()
        page.keyboard.press("r")
        expect(page.get_by_role("dialog")).to_contain_text("Reject?")
        page.keyboard.press("Escape")
        page.keyboard.press("a")
        asked = page.get_by_role("dialog")
        expect(asked).to_contain_text("Approve?")
        asked.get_by_label("Why").focus()
        page.keyboard.type("Fine.")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        _state(page, "done")
        page.keyboard.press("b")
        page.wait_for_url(re.compile("/decide$"))
