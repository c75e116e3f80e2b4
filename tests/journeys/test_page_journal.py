"""The journal of an agent in a real browser: found, read, filtered, followed."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, expect

from tests.house.pages import ROOT
from tests.journeys.browser import PHONE, PageVisit, open_server
from tests.journeys.gate_terminal import GateTerminal, answer_of

pytestmark = pytest.mark.slow

_EXAMPLE = ROOT / "examples" / "worker"


class _WorkedProject(NamedTuple):
    folder: Path
    address: str
    run: str
    journal: Path

    @property
    def path(self) -> str:
        return f"/decide/journals/{self.journal.stem}"


@pytest.fixture
def worker_project(tmp_path: Path) -> Iterator[_WorkedProject]:
    """The agent of the examples, after its first report, which waits for a reviewer."""
    desk = GateTerminal(tmp_path)
    desk.define("survey", (_EXAMPLE / "survey.yaml").read_text(encoding="utf-8"))
    desk.add_reviewer()
    for name in ("surveyor", "workspace"):
        shutil.copytree(_EXAMPLE / name, tmp_path / name)
    model = f"canned:{_EXAMPLE / 'answers.yaml'}"
    words = ("--process", "survey", "--allow-tool", "measure", "--model", model)
    done = answer_of(tmp_path, "agent", "run", "./surveyor", *words)
    assert 4 == done.code, done.err
    (journal,) = (tmp_path / "surveyor" / "logs").glob("agent-*.jsonl")
    (run,) = (each.stem for each in (tmp_path / ".state_gate" / "runs").glob("*.csv"))
    with open_server(tmp_path) as address:
        yield _WorkedProject(tmp_path, address, run, journal)


def _find_iteration(number: int) -> str:
    return f'section:has(h2:text-matches("^(Iteration|反復) {number} "))'


def test_a_reviewer_reads_what_the_agent_did(
    browser: Browser, worker_project: _WorkedProject
) -> None:
    """Links lead from the run to its agent's journal, and from evidence to its call and back."""
    with PageVisit(browser, worker_project.address) as visit:
        page = visit.go("/decide")
        page.locator(f'a[href*="{worker_project.run}"]').first.click()
        page.get_by_role("region", name="Agents that work here").get_by_role("link").click()
        page.wait_for_url(re.compile(re.escape(worker_project.path) + "$"))
        expect(page.get_by_role("heading", level=1)).to_have_text("surveyor")
        expect(page.get_by_text("waits for a person: AGENT_WAITING")).to_be_visible()
        totals = page.get_by_role("region", name="Totals")
        expect(totals).to_contain_text(re.compile(r"Iterations\s*5\s*of at most 40"))
        expect(totals).to_contain_text(re.compile(r"Tool calls\s*6\s*of at most 60"))
        expect(totals).to_contain_text("3 accepted, 2 refused")
        prompt = page.locator(_find_iteration(4)).get_by_text("The question: which draft")
        expect(prompt).to_be_hidden()
        page.locator(_find_iteration(4)).get_by_text("Prompt", exact=True).click()
        expect(prompt).to_be_visible()
        assert (0, []) == (visit.measure_overflow(), visit.find_faults())
        visit.take_picture("journal-en")

        page.get_by_role("link", name=re.compile("^works on run")).click()
        page.get_by_role("link", name="Look at the call that made measurement.json").click()
        call = page.get_by_role("group", name="Tool measure done")
        expect(call).to_be_focused()
        expect(call).to_contain_text("allowed in advance when the agent was started")
        expect(call).to_contain_text(re.compile(r"took \d+"))
        expect(call).to_contain_text("words_per_sentence")
        expect(page.get_by_role("heading", level=2)).to_have_text(
            ["Totals", re.compile("^Iteration 3 ")]
        )
        assert [] == visit.find_faults()
        page.get_by_role("link", name="Show the whole journal").click()
        expect(page.locator(_find_iteration(1))).to_be_visible()


def test_iterations_are_filtered_by_keys(browser: Browser, worker_project: _WorkedProject) -> None:
    """Iterations are filtered by tool and by refusal; a reload keeps the filter."""
    with PageVisit(browser, worker_project.address) as visit:
        page = visit.go(worker_project.path)
        switch = page.get_by_role("switch", name="Only with something refused or failed")
        switch.focus()
        page.keyboard.press("Space")
        shown: list[str | re.Pattern[str]] = [
            "Totals",
            re.compile("^Iteration 4 "),
            re.compile("^Iteration 2 "),
        ]
        expect(page.get_by_role("heading", level=2)).to_have_text(shown)
        page.reload()
        expect(page.get_by_role("heading", level=2)).to_have_text(shown)
        expect(switch).to_be_checked()
        switch.focus()
        page.keyboard.press("Space")
        page.get_by_label("Iterations with the tool").select_option("Glob")

        expect(page.get_by_role("heading", level=2)).to_have_text(
            ["Totals", re.compile("^Iteration 1 ")]
        )


def test_new_iterations_appear_while_the_agent_works(
    browser: Browser, worker_project: _WorkedProject
) -> None:
    """New iterations appear without a reload while the agent works."""
    desk = GateTerminal(worker_project.folder)
    with PageVisit(browser, worker_project.address) as visit:
        page = visit.go(worker_project.path)
        expect(page.locator(_find_iteration(5))).to_be_visible()
        expect(page.locator(_find_iteration(6))).to_have_count(0)
        review = desk.run_command("review", "last", "--json").document
        who = ("--credential-file", "ann.credential")
        words = ("--digest", review["digest"], "--reason", "say how much was counted")
        sent = desk.run_command("reject", "last", *who, *words)
        assert 0 == sent.code, sent.err
        answer_of(worker_project.folder, "agent", "run", "./surveyor", "--resume")

        expect(page.locator(_find_iteration(6))).to_contain_text("accepted")
        expect(page.get_by_text("resumed 1 time", exact=True)).to_be_visible()


def test_a_japanese_reader_has_a_phone(browser: Browser, worker_project: _WorkedProject) -> None:
    """The list, a journal and a call fit a phone in dark mode, in Japanese."""
    call = f"{worker_project.journal.stem}:3:tool-1"
    with PageVisit(
        browser, worker_project.address, size=PHONE, theme="dark", language="ja-JP", touch=True
    ) as visit:
        page = visit.go("/decide/journals")
        expect(page.get_by_role("link", name=re.compile("surveyor"))).to_be_visible()
        assert (0, []) == (visit.measure_overflow(), visit.find_faults())
        page.get_by_role("link", name=re.compile("surveyor")).tap()
        expect(page.locator(_find_iteration(5))).to_be_visible()
        assert (0, []) == (visit.measure_overflow(), visit.find_faults())
        visit.take_picture("journal-ja")
        visit.go(f"{worker_project.path}?call={call}")
        expect(page.get_by_role("group", name="ツール measure 完了")).to_be_in_viewport()
        visit.take_picture("journal-call-ja")

        assert (0, []) == (visit.measure_overflow(), visit.find_faults())


def test_a_damaged_journal_says_so(browser: Browser, worker_project: _WorkedProject) -> None:
    """Damaged parts of a journal are marked, its text is never markup, and the rest is shown."""
    text = worker_project.journal.read_text(encoding="utf-8")
    changed = text.replace("drafts/harbour.md\\ndrafts/tower.md", "<img src=x onerror=alert(1)>")
    no_seal = '{"at":1,"event":"warning","message":"<b>bold</b>"}\n'
    worker_project.journal.write_text(changed + no_seal, encoding="utf-8")
    with PageVisit(browser, worker_project.address) as visit:
        page = visit.go(worker_project.path)

        expect(page.get_by_role("alert")).to_contain_text("its seal does not match its content")
        expect(page.get_by_text("<b>bold</b>")).to_be_visible()
        expect(page.get_by_text("Unreadable entry")).to_be_visible()
        assert 0 == page.locator("main img").count()
        assert [] == visit.find_faults()
        visit.allow_messages("404")
        visit.go("/decide/journals/agent-0")
        expect(page.get_by_text("This run does not exist.")).to_be_visible()
