"""A real server and a real browser for the tests of the page.

The browser is Debian's Chromium with a fresh profile; it resolves no host but this
machine. A visit fails if the page requests anything from another host or logs an error.

A profile is used again after its storage was cleared: a new one starts a process, which
compiles the page and reads the fonts again.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    expect,
    sync_playwright,
)

from tests.fakes.servers import ServeProcess
from tests.house.pages import ROOT

PATIENCE = 60_000.0
"""Milliseconds to wait for something on the page before a test fails."""
DESK = (1280, 800)
"""A desktop window."""
PHONE = (360, 740)
"""A small phone."""
_AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
_OURS = ("localhost", "127.0.0.1")
_FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    "--mute-audio",
    # All pages of one profile share a process.
    "--renderer-process-limit=1",
    # No other host can be resolved, neither by a page nor by the browser itself.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
)
# Contrast is measured after color transitions have ended; endless animations keep running.
_STILL = """async () => {
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  const ending = document.getAnimations().filter((each) => Number.isFinite(each.effect?.getComputedTiming().endTime));
  await Promise.all(ending.map((each) => each.finished.catch(() => null)));
}"""
_FREE: dict[str, list[BrowserContext]] = {}
"""Profiles that no visitor uses, by their settings; each has an empty page open."""
_RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


expect.set_options(timeout=PATIENCE)


@contextmanager
def open_server(folder: Path, *options: str) -> Iterator[str]:
    """Serve a project's folder during the block; yields the address."""
    with ServeProcess(folder, *options) as server:
        yield server.address


@contextmanager
def open_chromium() -> Iterator[Browser]:
    """A browser without a profile, open during the block."""
    program = shutil.which("chromium")
    assert program, "there is no Chromium here; `make setup` installs it"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=program,
            headless=True,
            chromium_sandbox=os.geteuid() != 0,
            args=[*_FLAGS],
        )
        try:
            yield opened
        finally:
            _FREE.clear()
            opened.close()


class PageVisit:
    """One visitor of the page, with their own browser profile."""

    def __init__(
        self,
        browser: Browser,
        address: str,
        *,
        size: tuple[int, int] = DESK,
        theme: Literal["light", "dark"] = "light",
        language: str = "en-GB",
        still: bool = True,
        touch: bool = False,
    ) -> None:
        """A new visitor, with empty browser storage.

        Args:
            browser: The browser.
            address: The address of the server.
            size: Width and height of the window.
            theme: The color scheme that the system prefers.
            language: The language that the browser prefers.
            still: Whether the system prefers reduced motion.
            touch: Whether the device has a touch screen instead of a mouse.
        """
        self.address = address
        self.elsewhere: list[str] = []
        """Requested addresses on other hosts."""
        self.troubles: list[str] = []
        """Errors and warnings of the page, as the browser reports them."""
        self._meant: list[str] = []
        self._settings: dict[str, Any] = {
            "viewport": {"width": size[0], "height": size[1]},
            "color_scheme": theme,
            "locale": language,
            "reduced_motion": "reduce" if still else "no-preference",
            "has_touch": touch,
            "is_mobile": touch,
        }
        self._context = self._find_profile(browser)
        self._origins: set[str] = set()
        self._context.on("request", self._note_request)
        self.page: Page = self._context.new_page()
        """The page itself."""
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda problem: self.troubles.append(str(problem)))
        self.page.on("requestfailed", self._note_failure)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if problem is not None:
            self._context.close()
        else:
            self._clear_profile()
            assert [] == self.elsewhere
            self.allow_messages()
            assert [] == self.troubles

    def go(self, path: str) -> Page:
        """Open a path of the server, and wait until the page is loaded."""
        self.page.goto(f"{self.address}{path}", wait_until="load")
        self.page.wait_for_selector("main")
        return self.page

    def settle(self) -> None:
        """Wait until the page has loaded its first content."""
        expect(self.page.locator("main :not(:empty)").first).to_be_visible()
        expect(self.page.locator("[aria-busy=true], .skeleton")).to_have_count(0)

    def allow_messages(self, *meant: str) -> None:
        """Expect messages of the browser that contain these words.

        Later ones too: a request of the page may still be running.
        """
        self._meant += meant
        self.troubles = [each for each in self.troubles if not any(m in each for m in self._meant)]

    def find_faults(self) -> list[str]:
        """The accessibility violations that axe-core finds."""
        if not self.page.evaluate("() => 'axe' in globalThis"):
            self.page.evaluate(_AXE.read_text(encoding="utf-8"))
        self.page.evaluate(_STILL)
        found: dict[str, Any] = self.page.evaluate(
            f"() => axe.run(document, {{runOnly: {json.dumps(_RULES)}}})"
        )
        return [_render_fault(each) for each in found["violations"]]

    def measure_overflow(self) -> int:
        """How many pixels the page is wider than the window."""
        wider: int = self.page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        return max(wider, 0)

    def take_picture(self, name: str) -> None:
        """Save a screenshot in the folder `SANIWA_PICTURES`, if that is set."""
        if folder := os.environ.get("SANIWA_PICTURES"):
            self.page.screenshot(path=Path(folder) / f"{name}.png")

    def _find_profile(self, browser: Browser) -> BrowserContext:
        if free := _FREE.get(repr(self._settings)):
            return free.pop()
        context = browser.new_context(**self._settings)
        context.set_default_timeout(PATIENCE)
        context.new_page()
        return context

    def _clear_profile(self) -> None:
        """Leave the profile to the next visitor, with one empty page and empty storage."""
        self._context.remove_listener("request", self._note_request)
        empty, *others = self._context.pages
        for page in others:
            page.close()
        self._context.clear_cookies()
        session = self._context.new_cdp_session(empty)
        for origin in self._origins:
            session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        session.detach()
        _FREE.setdefault(repr(self._settings), []).append(self._context)

    def _note_request(self, request: Request) -> None:
        if request.url.startswith(("data:", "blob:")):
            return
        scheme, _, host, *_ = request.url.split("/")
        self._origins.add(f"{scheme}//{host}")
        if host.partition(":")[0] not in _OURS:
            self.elsewhere.append(request.url)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.troubles.append(f"{message.type}: {message.text}")

    def _note_failure(self, request: Request) -> None:
        if request.failure == "csp":
            # The request was never sent.
            self.elsewhere.remove(request.url)
        # A live stream that the page itself closes ends like that too.
        elif request.failure and "ERR_ABORTED" not in request.failure:
            self.troubles.append(f"{request.method} {request.url}: {request.failure}")


def _render_fault(found: dict[str, Any]) -> str:
    places = "; ".join(" ".join(node["target"]) for node in found["nodes"][:5])
    why = found["nodes"][0]["failureSummary"].replace("\n", " ")
    return f"{found['id']} ({found['impact']}): {places}: {why}"


def check_map_zoom(page: Page) -> None:
    """Make the map larger and as small as before, and expect to see both."""
    sheet = page.locator(".window .room")
    before = sheet.get_attribute("style") or ""
    assert before
    page.get_by_role("button", name="Larger", exact=True).click()
    expect(sheet).not_to_have_attribute("style", before)
    page.get_by_role("button", name="Smaller", exact=True).click()
    expect(sheet).to_have_attribute("style", before)
