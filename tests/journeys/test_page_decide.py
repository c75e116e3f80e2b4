"""Deciding in a real browser: who may decide, about what, with which reason."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.fakes.tool_agent import make_call, write_tool_agent
from tests.house.pages import ROOT
from tests.journeys.browser import PHONE, PageVisit
from tests.journeys.gate_terminal import WEBHOOK_PROCESS, GateTerminal, answer_of, walk_to_decide
from tests.journeys.played_project import PlayedProject
from tests.journeys.test_gate_checks import CHECKED_PROCESS

pytestmark = pytest.mark.slow


def _sign_in(page: Page, secret: str) -> None:
    page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    asked = page.get_by_role("dialog", name="Sign in")
    asked.get_by_label("Name").fill("ann")
    asked.get_by_label("Secret").fill(secret)
    asked.get_by_role("button", name="Sign in").click()
    expect(asked).to_be_hidden()


@pytest.fixture
def waiting_run(project: PlayedProject) -> str:
    """A new run for every test, which waits for a decision."""
    return walk_to_decide(GateTerminal(project.folder))


def test_a_run_is_approved_by_who_may(
    browser: Browser, server_address: str, project: PlayedProject, waiting_run: str
) -> None:
    """Only a reviewer who has signed in can approve; the reason is kept in the history."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/decide")
        page.locator(f'a[href*="{waiting_run}"]').first.click()
        expect(page.get_by_text("Sign in with one of these roles")).to_be_visible()
        expect(page.get_by_role("button", name="Approve", exact=True)).to_have_count(0)
        _sign_in(page, project.secret)
        page.get_by_role("button", name="Approve", exact=True).click()
        asked = page.get_by_role("dialog", name="Approve?")
        asked.get_by_role("button", name="Approve").click()
        expect(asked.get_by_text("Give a reason.")).to_be_visible()
        asked.get_by_label("Reason").fill("It dissolves, <b>twice</b>.")
        assert [] == visit.find_faults()
        asked.get_by_role("button", name="Approve").click()
        expect(asked).to_be_hidden()

        expect(page.get_by_text("This run has ended.")).to_be_visible()
        # In the history, and with the last decision.
        expect(page.get_by_text("It dissolves, <b>twice</b>.")).to_have_count(2)
        assert [] == visit.find_faults()


def test_an_agents_tool_call_is_decided_on_the_page(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """A tool call is listed for all; a person who has signed in refuses it with a reason."""
    answers = [make_call("append", line="<b>x</b>"), "Done."]
    write_tool_agent(project.folder / ".agent" / "hands", answers, mode="")
    stopped = answer_of(project.folder, "agent", "run", "hands")
    assert 4 == stopped.code, stopped.err
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/decide")
        expect(page.get_by_role("heading", name="hands wants to use append")).to_be_visible()
        expect(page.get_by_text('"line": "<b>x</b>"')).to_be_visible()
        expect(page.get_by_text("Sign in to answer this.")).to_be_visible()
        expect(page.get_by_role("button", name="Allow")).to_have_count(0)
        assert [] == visit.find_faults()
        _sign_in(page, project.secret)
        page.get_by_label("Reason (passed on to the agent)").fill("not <i>yet</i>")
        assert [] == visit.find_faults()
        page.get_by_role("button", name="Refuse").click()
        expect(page.get_by_role("heading", name="hands wants to use append")).to_have_count(0)

    done = answer_of(project.folder, "agent", "run", "hands", "--resume")
    assert 0 == done.code, done.err
    assert "a person refused it: not <i>yet</i>" in done.err
    assert not (project.folder / "workspace" / "effects.txt").exists()


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en-GB", "Claimed by the agent, not checked by the gate."),
        ("ja-JP", "エージェントの申告です。内容は確認されていません。"),
    ],
)
def test_evidence_says_whose_word_it_is(
    browser: Browser, server_address: str, waiting_run: str, language: str, told: str
) -> None:
    """Each piece of evidence is marked as not checked by the gate."""
    with PageVisit(browser, server_address, language=language) as visit:
        page = visit.go(f"/decide/{waiting_run}")

        expect(page.get_by_text(told).first).to_be_visible()
        assert page.get_by_text(told).count() >= 5
        assert [] == visit.find_faults()


def test_the_checks_of_a_run_are_run_again_on_the_page(
    browser: Browser, server_address: str, waiting_run: str
) -> None:
    """The page has the server run the gate's checks again, and shows the result."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go(f"/decide/{waiting_run}")
        with page.expect_request("**/verify?rerun=true"):
            page.get_by_role("button", name="Run the gate's checks again too").click()

        expect(page.get_by_text("The run is intact.")).to_be_visible()
        assert [] == visit.find_faults()


def test_a_rejection_needs_a_reason(
    browser: Browser, server_address: str, project: PlayedProject, waiting_run: str
) -> None:
    """A rejection needs a reason, and returns the work to the agent."""
    with PageVisit(browser, server_address, size=PHONE, touch=True) as visit:
        page = visit.go(f"/decide/{waiting_run}")
        _sign_in(page, project.secret)
        page.get_by_role("button", name="Reject", exact=True).tap()
        asked = page.get_by_role("dialog", name="Reject?")
        asked.get_by_role("button", name="Reject").tap()
        expect(asked.get_by_text("Give a reason.")).to_be_visible()
        assert [] == visit.find_faults()
        asked.get_by_label("Reason").fill("Once more, <i>please</i>.")
        asked.get_by_role("button", name="Reject").tap()
        expect(asked).to_be_hidden()

        decided = page.locator(".decided")
        expect(decided).to_contain_text("Rejected")
        expect(decided).to_contain_text("ann")
        expect(decided.get_by_text("Once more, <i>please</i>.")).to_be_visible()
        assert [] == visit.find_faults()


def test_a_shipped_process_follows_the_language_of_the_page(
    browser: Browser, server_address: str, waiting_run: str
) -> None:
    """A shipped process is shown in the language of the page, also after a change."""
    with PageVisit(browser, server_address, language="ja-JP") as visit:
        page = visit.go(f"/decide/{waiting_run}")
        expect(page.get_by_role("heading", name="探索")).to_be_visible()
        expect(page.get_by_text("決定案をdecision.mdに書き")).to_be_visible()

        page.get_by_role("button", name="言語").click()
        page.get_by_text("English", exact=True).click()

        expect(page.get_by_role("heading", name="Exploration")).to_be_visible()
        expect(page.get_by_text("Propose a decision in decision.md")).to_be_visible()
        assert [] == visit.find_faults()


def test_a_run_that_waits_for_others_leads_to_them(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """Child runs and lanes are links in both directions, and the run asks for no evidence.

    On the board, processes that are defined inside it are drawn, and cannot be started alone.
    """
    desk = GateTerminal(project.folder)
    for name in ("field_trip", "site_survey"):
        file = ROOT / "examples" / "processes" / f"{name}.yaml"
        desk.define(name, file.read_text(encoding="utf-8"))
    run_id = desk.begin("field_trip")
    desk.emit("start", 1, "--payload", '{"sites": ["north", "south"]}')
    with PageVisit(browser, server_address, size=PHONE) as visit:
        page = visit.go(f"/decide/{run_id}")
        others = page.get_by_role("region", name="Other runs and notifications")
        expect(others).to_contain_text("surveys: 0 of 2 runs have ended")
        expect(others).to_contain_text("needs 4 child runs that ended in 'done'")
        expect(page.get_by_text("other runs have to end first")).to_be_visible()
        assert [] == visit.find_faults()
        assert 0 == visit.measure_overflow()
        others.get_by_role("link").first.click()
        expect(others).to_contain_text(f"Part of run {run_id[-6:]}: surveys 1")
        others.get_by_role("link").click()
        page.wait_for_url(f"**/decide/{run_id}")
    with PageVisit(browser, server_address, language="ja-JP") as visit:
        page = visit.go(f"/decide/{run_id}")
        expect(page.get_by_text("終わった案件が4件必要（現在0件）")).to_be_visible()
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/decide")
        lane = page.get_by_role("region", name="field_trip/permits")
        expect(lane.locator(".room svg")).to_be_visible()
        expect(lane.get_by_role("button", name="Start:")).to_have_count(0)
        expect(page.get_by_role("button", name="Start: A field trip")).to_be_visible()
        assert [] == visit.find_faults()


def test_a_check_that_was_not_run_is_not_called_open(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """A run whose only guard is an unrun check says what the gate will check."""
    desk = GateTerminal(project.folder)
    desk.define("work", CHECKED_PROCESS)
    run_id = desk.begin("work")
    with PageVisit(browser, server_address) as visit:
        page = visit.go(f"/decide/{run_id}")
        missing = page.get_by_role("region", name="What is missing")
        expect(missing).to_contain_text("not allowed yet: the gate would run python3 tests.py")
        expect(missing).not_to_contain_text("every transition is open")
        assert [] == visit.find_faults()
    with PageVisit(browser, server_address, language="ja-JP") as visit:
        page = visit.go(f"/decide/{run_id}")
        expect(page.get_by_text("まだ許可されていない")).to_be_visible()


def test_a_notification_that_did_not_arrive_is_shown(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """An undelivered notification is shown with its error, but without its secret address."""
    desk = GateTerminal(project.folder)
    desk.define("bell", WEBHOOK_PROCESS)
    run_id = desk.begin("bell")
    with PageVisit(browser, server_address) as visit:
        page = visit.go(f"/decide/{run_id}")
        others = page.get_by_role("region", name="Other runs and notifications")
        expect(others).to_contain_text("was not delivered (attempts: 1; next: ")
        expect(others).not_to_contain_text("secret")
        assert [] == visit.find_faults()


def test_evidence_from_before_a_rejection_is_distinguished_from_new(
    browser: Browser, server_address: str, project: PlayedProject, waiting_run: str
) -> None:
    """Evidence from before a rejection is marked, and new evidence is not."""
    desk = GateTerminal(project.folder)
    with PageVisit(browser, server_address, language="ja-JP") as visit:
        page = visit.go(f"/decide/{waiting_run}")
        expect(page.locator(".decided")).to_have_count(0)
        expect(page.get_by_text("差し戻しより前に提出")).to_have_count(0)
        _send_back(desk)
        page.reload()
        expect(page.locator(".decided")).to_contain_text("前回の決定")
        expect(page.get_by_text("差し戻しより前に提出")).to_have_count(6)
        seen = ("--inline", 'evidence={"grams": 41}')
        again = desk.emit("submit_evidence", 7, *seen)
        assert 0 == again.code, again.out
        page.reload()

        expect(page.get_by_role("button", name=re.compile("を見る$"))).to_have_count(7)
        expect(page.get_by_text("差し戻しより前に提出")).to_have_count(6)
        assert [] == visit.find_faults()


def _send_back(desk: GateTerminal) -> None:
    """Reject the newest run from a terminal."""
    ann = ("--credential-file", "ann.credential")
    words = ("--digest", desk.read_digest(), "--reason", "Once more.", *ann)
    sent = desk.run_command("reject", *words)
    assert 0 == sent.code, sent.err


def test_evidence_is_read_and_its_change_is_reported_loudly(
    browser: Browser, server_address: str, project: PlayedProject, waiting_run: str
) -> None:
    """Evidence can be read, and evidence that has changed prevents an approval."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go(f"/decide/{waiting_run}")
        _sign_in(page, project.secret)
        page.get_by_role("button", name=re.compile(r"Look at .*decision\.md")).click()
        expect(page.get_by_text("Serve it warm.")).to_be_visible()
        _tamper(project.folder, waiting_run)
        page.reload()

        expect(page.get_by_text("Changed since it was submitted").first).to_be_visible()
        expect(page.get_by_role("button", name="Approve", exact=True)).to_be_disabled()
        assert [] == visit.find_faults()


@pytest.mark.parametrize(
    ("language", "told", "nothing"),
    [
        ("en-GB", "there is nothing left to approve", "Nothing: no state follows this one."),
        ("ja-JP", "承認することはもうありません", "ありません。これが最後の状態です。"),
    ],
)
def test_a_change_after_the_end_does_not_ask_for_an_approval(
    browser: Browser,
    server_address: str,
    project: PlayedProject,
    waiting_run: str,
    language: str,
    told: str,
    nothing: str,
) -> None:
    """Where evidence of a finished run has changed, the page says that nothing is left to approve."""
    desk = GateTerminal(project.folder)
    words = ("--digest", desk.read_digest(), "--credential-file", "ann.credential")
    assert 0 == desk.run_command("approve", *words).code
    _tamper(project.folder, waiting_run)
    with PageVisit(browser, server_address, language=language) as visit:
        page = visit.go(f"/decide/{waiting_run}")

        expect(page.get_by_role("alert")).to_contain_text(told)
        expect(page.get_by_role("alert")).not_to_contain_text("It cannot be approved")
        expect(page.get_by_text(nothing)).to_be_visible()
        assert [] == visit.find_faults()


def test_a_state_in_which_only_people_decide_says_so(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """Where only people decide, the page names the author and the folder of evidence in words."""
    desk = GateTerminal(project.folder)
    desk.run_command("new", "deploy")
    desk.run_command("create-run", "--process", "deploy", "--artifacts", ".", "--write-config")
    (project.folder / "report.md").write_text("done")
    sent = desk.emit("submit", 1, "--artifact", "report.md")
    assert 0 == sent.code, sent.out
    run_id = desk.run_command("state", "--json").document["run_id"]
    with PageVisit(browser, server_address) as visit:
        page = visit.go(f"/decide/{run_id}")

        expect(page.get_by_text("Apart from decisions, you can send no event")).to_be_visible()
        expect(page.get_by_text("Files are submitted from the project’s folder")).to_be_visible()
        expect(page.get_by_text("by agent", exact=True)).to_be_visible()
        page.get_by_role("banner").get_by_role("button", name="Sign in").click()
        asked = page.get_by_role("dialog", name="Sign in")
        asked.get_by_label("Name").fill("Ann")
        asked.get_by_label("Secret").fill(project.secret)
        asked.get_by_role("button", name="Sign in").click()
        expect(asked.get_by_text("Upper and lower case count.")).to_be_visible()
        visit.allow_messages("401")


def test_a_visitor_is_shown_how_to_register(
    browser: Browser, server_address: str, project: PlayedProject
) -> None:
    """The list shows how to register, without claiming that no person can sign in."""
    with PageVisit(browser, server_address) as visit:
        page = visit.go("/decide")
        page.get_by_text("Not registered yet?").click()
        expect(page.get_by_text("saniwa gate people add NAME --role reviewer")).to_be_visible()
        expect(page.get_by_text("No one can sign in")).to_have_count(0)
        assert [] == visit.find_faults()
        _sign_in(page, project.secret)
        expect(page.get_by_text("Not registered yet?")).to_have_count(0)


def _tamper(folder: Path, run: str) -> None:
    GateTerminal(folder).put(run, "decision.md", "Serve it cold.\n")


def test_a_decision_is_seen_by_who_looks_on(
    browser: Browser, server_address: str, project: PlayedProject, waiting_run: str
) -> None:
    """Another browser shows the new state by itself."""
    with PageVisit(browser, server_address) as one, PageVisit(browser, server_address) as other:
        looking = other.go(f"/decide/{waiting_run}")
        expect(looking.get_by_text("Sign in with one of these roles")).to_be_visible()
        page = one.go(f"/decide/{waiting_run}")
        _sign_in(page, project.secret)
        page.get_by_role("button", name="Approve", exact=True).click()
        asked = page.get_by_role("dialog", name="Approve?")
        asked.get_by_label("Reason").fill("Yes.")
        asked.get_by_role("button", name="Approve").click()

        expect(looking.get_by_text("This run has ended.")).to_be_visible()


_PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picked_picture_is_never_pasted_as_text(
    browser: Browser, server_address: str, project: PlayedProject, theme: str
) -> None:
    """A picture cannot be pasted as text; as a file in the run's folder it is submitted whole."""
    run = GateTerminal(project.folder).begin()
    dark = theme == "dark"
    with PageVisit(browser, server_address, size=PHONE, theme="dark" if dark else "light") as visit:
        page = visit.go(f"/decide/{run}")
        page.get_by_role("button", name="Submit").first.click()
        asked = page.get_by_role("dialog")
        picked = FilePayload(name="seen.png", mimeType="image/png", buffer=_PNG)
        asked.locator("input[type=file]").set_input_files([picked])
        expect(asked.get_by_role("alert")).to_contain_text("“seen.png” is not a text")
        path = asked.get_by_role("textbox", name="a file in the run’s folder")
        expect(path).to_have_value("seen.png")
        expect(asked.locator("textarea[rows='6']")).to_have_count(0)
        assert (0, []) == (visit.measure_overflow(), visit.find_faults())
        folder = project.folder / ".state_gate" / "artifacts" / run
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "seen.png").write_bytes(_PNG)
        asked.get_by_role("button", name="Send").click()
        expect(asked).to_be_hidden()
        page.get_by_role("button", name="Look at seen.png").click()

        expect(page.get_by_role("dialog").locator("img")).to_be_visible()
