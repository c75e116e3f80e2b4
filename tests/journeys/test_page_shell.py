"""What surrounds every page: settings, signing in, and the content policy."""

import pytest
from playwright.sync_api import Browser, expect

from saniwa.store.gate.people import People
from tests.journeys.browser import PageVisit
from tests.journeys.played_project import PlayedProject

pytestmark = pytest.mark.slow

_PAPER = "() => getComputedStyle(document.documentElement).backgroundColor"
_SMUGGLED = """() => {
  const put = (name, change) => {
    const element = document.createElement(name);
    try { change(element); } catch { return element; }
    document.body.append(element);
    return element;
  };
  put("script", (script) => script.append("document.title = 'taken'"));
  put("script", (script) => (script.textContent = "document.title = 'taken'"));
  put("div", (box) => (box.innerHTML = "<img src=x onerror=document.title='taken'>"));
  put("img", (picture) => (picture.src = "https://elsewhere.example/pixel.png"));
  const styled = put("p", (text) => text.setAttribute("style", "position: fixed"));
  return getComputedStyle(styled).position;
}"""


def test_color_scheme_and_language_are_kept(browser: Browser, server_address: str) -> None:
    """Color scheme and language change at once, without the server, and are kept."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/play")
        light = page.evaluate(_PAPER)
        page.get_by_role("button", name="Light or dark").click()
        assert [] == visit.find_faults()
        page.get_by_role("menuitemradio", name="Dark").click()
        page.wait_for_function(f"(light) => ({_PAPER})() !== light", arg=light)
        page.get_by_role("button", name="Language").click()
        page.get_by_role("menuitemradio", name="日本語").click()
        expect(page.get_by_role("link", name="遊ぶ")).to_be_visible()
        page.reload()

        expect(page.get_by_role("link", name="遊ぶ")).to_be_visible()
        assert "ja" == page.locator("html").get_attribute("lang")
        assert light != page.evaluate(_PAPER)


def test_pages_are_reached_by_keys(browser: Browser, server_address: str) -> None:
    """Alt and a number open each page, and a question mark shows all keys."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/play")
        for number, name in enumerate(("watch", "decide", "compare", "write"), 2):
            page.keyboard.press(f"Alt+{number}")
            page.wait_for_url(f"**/{name}")
        page.keyboard.press("?")
        keys = page.get_by_role("dialog", name="Keys")
        expect(keys).to_be_visible()
        assert [] == visit.find_faults()
        page.keyboard.press("Escape")

        expect(keys).to_be_hidden()


def test_a_way_that_was_gone_is_gone_back(browser: Browser, server_address: str) -> None:
    """Links change the address, and the browser's back button works."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/play")
        page.get_by_role("link", name="Decide").click()
        page.wait_for_url("**/decide")
        page.go_back()
        page.wait_for_url("**/play")

        expect(page.get_by_role("link", name="Play", exact=True)).to_have_attribute(
            "aria-current", "page"
        )


def test_a_person_signs_in_and_out(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """Only the right secret signs in; no script can read the session."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/decide")
        # The board has its own button, once it is loaded.
        page.get_by_role("banner").get_by_role("button", name="Sign in").click()
        asked = page.get_by_role("dialog", name="Sign in")
        for secret in ("wrong", project.secret):
            asked.get_by_label("Name").fill("ann")
            asked.get_by_label("Secret").fill(secret)
            asked.get_by_role("button", name="Sign in").click()
            if secret == "wrong":
                expect(asked.get_by_role("alert")).to_be_visible()
                assert [] == visit.find_faults()
        expect(page.get_by_role("button", name="ann")).to_be_visible()
        page.reload()
        page.get_by_role("button", name="ann").click()
        assert project.secret not in page.content()
        assert "" == page.evaluate("() => document.cookie")
        page.get_by_role("menuitem", name="Sign out (ann)").click()

        expect(page.get_by_role("banner").get_by_role("button", name="Sign in")).to_be_visible()
        visit.allow_messages("status of 401")


def test_a_person_changes_their_secret_and_signs_out_everywhere(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """A person stays signed in after changing the secret, until they end every session."""
    people = People(project.folder / ".state_gate" / "people.json")
    people.add("nao", "human", "the first secret", at="", by=f"ann:{project.secret}")
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/play")
        page.get_by_role("button", name="Sign in").click()
        asked = page.get_by_role("dialog", name="Sign in")
        asked.get_by_label("Name").fill("nao")
        asked.get_by_label("Secret").fill("the first secret")
        asked.get_by_role("button", name="Sign in").click()
        page.get_by_role("button", name="nao").click()
        page.get_by_role("menuitem", name="Change your secret").click()
        form = page.get_by_role("dialog", name="Change your secret")
        form.get_by_label("Current secret").fill("the first secret")
        form.get_by_label("New secret", exact=True).fill("the second secret")
        form.get_by_label("New secret, once more").fill("the third secret")
        form.get_by_role("button", name="Change your secret").click()
        expect(form.get_by_text("The new secrets do not match.")).to_be_visible()
        form.get_by_label("New secret, once more").fill("the second secret")
        form.get_by_role("button", name="Change your secret").click()
        expect(form).to_be_hidden()
        page.reload()
        page.get_by_role("button", name="nao").click()
        page.get_by_role("menuitem", name="Sign out everywhere").click()

        expect(page.get_by_role("button", name="Sign in")).to_be_visible()
        assert "nao" == people.authenticate("nao:the second secret").name
        # A request of the page may have been in progress with the old session.
        visit.allow_messages("status of 401")


def test_the_page_lets_nothing_in_from_outside(browser: Browser, server_address: str) -> None:
    """Injected scripts, markup, pictures and styles have no effect."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/play")
        position = page.evaluate(_SMUGGLED)

        assert "fixed" != position
        assert "taken" not in page.title()
        assert any("img-src" in each for each in visit.troubles)
        assert any("style-src" in each for each in visit.troubles)
        for meant in ("Content Security Policy", "csp", "TrustedScript", "TrustedHTML"):
            visit.allow_messages(meant)
