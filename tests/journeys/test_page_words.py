"""Playing a world with typed words in a real browser: commands, refusals, agents."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, expect

from tests.journeys.browser import PHONE, PageVisit, open_server

pytestmark = pytest.mark.slow

_ANSWERS = """\
answers:
  - "Thought: A guest.\\nOutput: Good evening to you."
  - "Thought: A deed.\\nOutput: *take the lavender bush*"
  - "Thought: Never mind.\\nOutput: I was dreaming."
repeat: true
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with canned answers for an agent."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "models").mkdir()
    (folder / "models" / "answers.yaml").write_text(_ANSWERS, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def address(project: Path) -> Iterator[str]:
    """A server of that project; each test starts its own run."""
    with open_server(project) as found:
        yield found


def _begin(visit: PageVisit, *, begin: str = "Begin") -> Page:
    """Start a new run of door and key."""
    shelf = "Scenarios" if begin == "Begin" else "シナリオ"
    title = "The Garden Gate" if begin == "Begin" else "庭の門"
    page = visit.go("/play")
    cards = page.get_by_role("region", name=shelf).get_by_role("listitem")
    card = cards.filter(has=page.get_by_role("heading", name=title))
    card.get_by_role("button", name=begin, exact=True).click()
    page.wait_for_url(re.compile(r"/play/[^/]+$"))
    page.locator("input[data-words]").wait_for()
    return page


def _type(page: Page, words: str) -> None:
    page.locator("input[data-words]").fill(words)
    page.keyboard.press("Enter")


def _say(page: Page, words: str) -> None:
    """Say words, and wait for the answer of the world."""
    with page.expect_response(lambda each: each.url.endswith("/words")):
        _type(page, words)
    expect(page.locator("input[data-words]")).to_have_value("")


def _find_answer(page: Page) -> Locator:
    """The page's own answer, outside the story."""
    return page.locator("[data-answer]")


def _read_revision(page: Page) -> int:
    run = page.url.rpartition("/")[2]
    found: int = page.evaluate(
        "(run) => fetch(`/api/v1/runs/${run}`)"
        ".then((each) => each.json()).then((each) => each.revision)",
        run,
    )
    return found


def test_typed_commands_do_what_they_do_at_the_terminal(browser: Browser, address: str) -> None:
    """Typed commands add no turn, except those that take the run back."""
    with PageVisit(browser, address) as visit:
        page = _begin(visit)
        _type(page, "help")
        expect(_find_answer(page)).to_contain_text("save NAME")
        _type(page, "why")
        expect(_find_answer(page)).to_contain_text("You have not tried anything yet.")
        _type(page, "/hint")
        expect(_find_answer(page)).to_contain_text("You could ")
        _type(page, "actions")
        expect(_find_answer(page)).to_contain_text("go to the Fountain Court and the Toolshed")
        _type(page, "save")
        expect(_find_answer(page)).to_contain_text("Nothing is saved in this run yet.")
        assert 0 == _read_revision(page)
        assert [] == visit.find_faults()

        _say(page, "go east")
        _type(page, "save shed")
        expect(_find_answer(page)).to_contain_text("Saved as 'shed'.")
        _say(page, "go west")
        _type(page, "why")
        expect(_find_answer(page)).to_contain_text("allowed by the rule 'move'")
        _type(page, "load shed")
        expect(page.locator(".told")).to_contain_text("You are back where you saved.")
        assert 3 == _read_revision(page)
        _type(page, "undo")
        expect(page.locator(".told")).to_contain_text("You take that back")
        _type(page, "history")
        log = page.get_by_role("dialog", name="Log")
        expect(log.get_by_text("go east", exact=True)).to_be_visible()
        page.keyboard.press("Escape")

        _type(page, "load nowhere")
        expect(page.get_by_role("alert")).to_contain_text("nowhere")
        visit.allow_messages("404")
        assert 4 == _read_revision(page)


def test_typed_commands_are_understood_in_japanese(browser: Browser, address: str) -> None:
    """Commands, their answers and a refusal's reason are in Japanese on the Japanese page."""
    with PageVisit(browser, address, language="ja-JP") as visit:
        page = _begin(visit, begin="はじめる")
        _type(page, "ヘルプ")
        expect(_find_answer(page)).to_contain_text("読み込み 〈名前〉")
        _type(page, "できること")
        expect(_find_answer(page)).to_contain_text("へ行く")
        _type(page, "保存　門の前")
        expect(_find_answer(page)).to_contain_text("「門の前」として保存しました。")
        _say(page, "鉄の門を開ける")
        _type(page, "なぜ？")
        expect(_find_answer(page)).to_contain_text("open.key_held")
        _type(page, "元に戻す")

        expect(_find_answer(page)).to_contain_text("取り消せることは何もない。")
        assert 1 == _read_revision(page)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_refusal_unfolds_its_rule_and_what_it_needs(
    browser: Browser, address: str, theme: str
) -> None:
    """A refusal can be unfolded to its rule and what it needs, also in a preview."""
    dark = theme == "dark"
    with PageVisit(browser, address, size=PHONE, theme="dark" if dark else "light") as visit:
        page = _begin(visit)
        _say(page, "look")
        _say(page, "open the iron gate")
        told = page.locator(".told")
        why = told.get_by_text("Why?")
        expect(why).to_have_count(1)
        why.click()
        expect(told.get_by_role("link", name="open.key_held")).to_be_visible()
        expect(told).to_contain_text("Required:")
        assert (0, []) == (visit.measure_overflow(), visit.find_faults())
        page.reload()
        why.click()
        expect(told.get_by_role("link", name="open.key_held")).to_be_visible()
        page.locator("input[data-words]").fill("open the iron gate")
        page.get_by_role("button", name="How would this be understood?").click()
        page.locator(".understood").get_by_text("Why?").click()

        ahead = page.locator(".understood").get_by_role("link", name="open.key_held")
        expect(ahead).to_be_visible()


def test_the_last_reasons_are_shown_whole(browser: Browser, address: str) -> None:
    """Unfolded reasons at the end of the text are in sight, with room below them."""
    with PageVisit(browser, address, size=PHONE) as visit:
        page = _begin(visit)
        for _ in range(3):
            _say(page, "open the iron gate")
        every = page.locator(".told details.why")
        expect(every).to_have_count(3)
        why = every.last
        why.locator("summary").click()
        expect(why.get_by_role("link", name="open.key_held")).to_be_visible()
        room = """(each) => document.querySelector(".scroll").getBoundingClientRect().bottom
            - each.getBoundingClientRect().bottom"""

        assert 8 <= why.evaluate(room)


def test_nothing_is_drawn_where_the_page_has_nothing_to_say(browser: Browser, address: str) -> None:
    """The place for hints has no height and no colour while it is empty."""
    with PageVisit(browser, address) as visit:
        page = _begin(visit)
        seen = _find_answer(page).evaluate(
            "(each) => [each.offsetHeight, getComputedStyle(each).backgroundColor]"
        )

        assert [0, "rgba(0, 0, 0, 0)"] == seen


def _seat(page: Page, model: str = "canned:models/answers.yaml") -> None:
    """Give the groundskeeper to an agent, as another browser tab would."""
    run = page.url.rpartition("/")[2]
    assert 200 == _post_seat(page, run, model)
    # The page must first learn the new revision; words sent before would be stale.
    expect(page.locator(".told[data-revision='1']")).to_be_attached()


def _post_seat(page: Page, run: str, model: str) -> int:
    status: int = page.evaluate(
        """async ([run, model]) => {
          const at = await (await fetch(`/api/v1/runs/${run}`)).json();
          const answer = await fetch(`/api/v1/runs/${run}/table/seat`, {
            method: "POST",
            headers: {
              "content-type": "application/json",
              "if-match": `"${at.revision}"`,
              "idempotency-key": crypto.randomUUID(),
            },
            body: JSON.stringify({ agents: { groundskeeper: "character" }, model }),
          });
          return answer.status;
        }""",
        [run, model],
    )
    return status


def _wait_for_agents(page: Page) -> None:
    """Wait until it is a person's turn, for the server and for the page.

    The page accepts no words while agents act, and learns a little later when they stop.
    """
    page.wait_for_function(
        "async (run) => !(await (await fetch(`/api/v1/runs/${run}/table`)).json()).going",
        arg=page.url.rpartition("/")[2],
    )
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_enabled()


def test_a_seated_agent_answers_after_each_turn(browser: Browser, address: str) -> None:
    """What a seated agent says and does is shown, and then it is the person's turn again."""
    with PageVisit(browser, address) as visit:
        page = _begin(visit)
        _seat(page)
        told = page.locator(".told")
        _say(page, "say hello")
        expect(told).to_contain_text("Good evening to you.")
        _wait_for_agents(page)
        _say(page, "look")
        expect(told).to_contain_text("I was dreaming.")
        _wait_for_agents(page)

        assert 1 == told.get_by_text("Good evening to you.").count()
        assert [] == visit.find_faults()
        _type(page, "undo")
        expect(_find_answer(page)).to_contain_text("There is nothing to take back.")


def test_an_agent_elsewhere_is_not_heard(browser: Browser, address: str) -> None:
    """An agent's turn in another room is not shown to the person."""
    with PageVisit(browser, address) as visit:
        page = _begin(visit)
        _seat(page)
        _say(page, "go east")
        page.wait_for_function(
            """async (run) => {
              const at = await (await fetch(`/api/v1/runs/${run}/table`)).json();
              return at.revision === 3 && !at.going;
            }""",
            arg=page.url.rpartition("/")[2],
        )

        expect(page.get_by_role("button", name="Send", exact=True)).to_be_enabled()
        expect(page.locator(".told")).not_to_contain_text("Good evening")


def test_an_agent_that_fails_says_why_and_how_to_continue(
    browser: Browser, address: str, project: Path
) -> None:
    """If an agent fails, its error code and hint are shown, and the person can continue."""
    few = project / "models" / "few.yaml"
    few.write_text('answers: ["Output: Hm."]\n', encoding="utf-8")
    with PageVisit(browser, address) as visit:
        page = _begin(visit)
        _seat(page, "canned:models/few.yaml")
        told = page.locator(".told")
        _say(page, "say hello")
        expect(told).to_contain_text("Hm.")
        _wait_for_agents(page)
        _say(page, "look")

        expect(page.get_by_role("alert")).to_be_visible()
        assert "CANNED" in page.get_by_role("alert").inner_text()
        _wait_for_agents(page)
        _say(page, "go east")
        expect(told).to_contain_text("Toolshed")


def test_a_run_without_agents_does_not_ask_for_them(browser: Browser, address: str) -> None:
    """In a run without agents the page reads the table and starts no agents."""
    asked: list[str] = []

    def note(request: Request) -> None:
        if "/table" in request.url:
            asked.append(f"{request.method} {request.url.rpartition('/')[2]}")

    with PageVisit(browser, address) as visit:
        page = _begin(visit)
        page.on("request", note)
        _say(page, "look")
        _say(page, "look")

        assert {"GET table"} >= {*asked}
