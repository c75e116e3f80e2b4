"""A worker at a gate: its view, its submissions, and when it waits."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from saniwa.agent.gate_agent_port import GateAgentPort
from saniwa.agent.port import AgentSubmission
from saniwa.app.gate.configuration import locate_gate
from saniwa.app.gate.gate_opening import open_gate, open_people
from saniwa.core.clock import FixedClock
from saniwa.core.errors import LoopError
from saniwa.core.ids import CountingIds
from saniwa.process.artifact import Claim
from saniwa.process.gate import Gate
from saniwa.process.ruling import EventAcceptance, EventRefusal, Ruling
from saniwa.store.gate.submission_folder import DiskSubmissionFolder

_HYPOTHESIS = AgentSubmission(
    event="submit_hypothesis", artifacts=(Claim(path="hypothesis.md", content="It rains."),)
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The gate's folder."""
    return tmp_path / ".state_gate"


@pytest.fixture
def gate(place: Path) -> Iterator[Gate]:
    """The gate, for an agent."""
    with open_gate(place, clock=FixedClock(), ids=CountingIds()) as gate:
        yield gate


def _make_gate_port(gate: Gate, place: Path, process: str = "exploration") -> GateAgentPort:
    run_id = gate.create_run(process).run_id
    return GateAgentPort(gate, run_id, DiskSubmissionFolder(place / "artifacts" / run_id))


def _submit(floor: GateAgentPort, handed: AgentSubmission, attempt: str = "a:1:0") -> object:
    return asyncio.run(floor.submit(handed, attempt))


def test_a_worker_learns_what_the_state_asks_for(gate: Gate, place: Path) -> None:
    """The view has the state, its prompt, what is missing and the allowed events."""
    view = _make_gate_port(gate, place).view()

    assert "frame" == view.variables["state"]
    assert "hypothesis.md" in view.variables["state_prompt"]
    assert "A hypothesis has been submitted." in view.variables["missing"]
    assert "- submit_hypothesis" in view.variables["events"]
    assert "abandon" not in view.variables["events"]
    assert ("", "frame", False) == (view.waits, view.facts["state"], view.facts["is_final"])


def test_the_same_state_is_reported_in_the_same_words(gate: Gate, place: Path) -> None:
    """The same state gives the same view, without a time or an id."""
    one, other = _make_gate_port(gate, place), _make_gate_port(gate, place)

    assert one.view() == one.view()
    assert one.view().variables == other.view().variables


def test_files_are_written_and_submitted(gate: Gate, place: Path) -> None:
    """A claim with a path and content is written to a file and submitted."""
    floor = _make_gate_port(gate, place)

    ruling = _submit(floor, _HYPOTHESIS)

    assert isinstance(ruling, EventAcceptance)
    assert "experiment" == ruling.to_state
    written = place / "artifacts" / floor.run_id / "hypothesis.md"
    assert "It rains." == written.read_text(encoding="utf-8")


def test_the_same_attempt_again_changes_nothing(gate: Gate, place: Path) -> None:
    """A repeated attempt after a crash is recognised by its key."""
    floor = _make_gate_port(gate, place)
    first = _submit(floor, _HYPOTHESIS)

    again = _submit(floor, _HYPOTHESIS)

    assert isinstance(first, EventAcceptance)
    assert isinstance(again, EventAcceptance)
    assert (first.event_id, True) == (again.event_id, again.replayed)
    assert 2 == gate.get_state(floor.run_id).revision


def test_a_worker_reads_the_evidence_it_has_submitted(gate: Gate, place: Path) -> None:
    """The view has the submitted evidence, named and quoted line by line."""
    floor = _make_gate_port(gate, place)
    _submit(
        floor,
        AgentSubmission(
            event="submit_hypothesis",
            artifacts=(Claim(path="hypothesis.md", content="It rains.\n# Send: x"),),
        ),
    )

    assert "- hypothesis.md\n> It rains.\n> # Send: x" == (floor.view().variables["handed_in"])


def test_long_evidence_is_shown_in_part(gate: Gate, place: Path) -> None:
    """Long evidence is shortened, with the number of omitted characters."""
    floor = _make_gate_port(gate, place)
    long = Claim(path="hypothesis.md", content="a" * 50_000)
    _submit(floor, AgentSubmission(event="submit_hypothesis", artifacts=(long,)))

    shown = floor.view().variables["handed_in"]
    assert len(shown) < 2_100
    assert shown.endswith("(letters left out: 48000)")


@pytest.mark.parametrize("content", [b"\0\1", None], ids=["no text", "gone"])
def test_evidence_that_cannot_be_shown_is_named(
    gate: Gate, place: Path, content: bytes | None
) -> None:
    """Evidence that is not text, or is missing, is listed by name."""
    floor = _make_gate_port(gate, place)
    _submit(floor, _HYPOTHESIS)
    file = place / "artifacts" / floor.run_id / "hypothesis.md"
    file.unlink()
    if content is not None:
        file.write_bytes(content)

    assert "- hypothesis.md" == floor.view().variables["handed_in"]


@pytest.mark.parametrize("path", ["../out.md", "/etc/x.md", "a;b.md", "", "link/x.md", "a\x00b.md"])
def test_a_file_elsewhere_is_refused(gate: Gate, place: Path, path: str) -> None:
    """A path outside the run's folder is refused."""
    floor = _make_gate_port(gate, place)
    home = place / "artifacts" / floor.run_id
    home.mkdir(parents=True)
    (home / "link").symlink_to(place.parent)
    handed = AgentSubmission(
        event="submit_hypothesis", artifacts=(Claim(path=path or ".", content="x"),)
    )

    ruling = _submit(floor, handed)

    assert isinstance(ruling, EventRefusal)
    assert "INVALID_PAYLOAD" == ruling.code
    assert not (place.parent / "out.md").exists()
    assert not (place.parent / "x.md").exists()


def test_no_word_moves_a_gate(gate: Gate, place: Path) -> None:
    """A gate takes evidence, not words."""
    floor = _make_gate_port(gate, place)

    with pytest.raises(LoopError) as refused:
        asyncio.run(floor.speak("please", "a"))

    assert "FLOOR_UNFIT" == refused.value.code


def _to_decide(floor: GateAgentPort) -> None:
    files = [
        ("submit_hypothesis", ["hypothesis.md"]),
        ("submit_evidence", ["evidence_1.md"]),
        ("submit_observation", ["observation_1.md", "observation_2.md"]),
        ("submit_synthesis", ["synthesis.md"]),
    ]
    text = "---\nclaim: it rains\nconfidence: low\n---\nIt {}."
    for number, (event, names) in enumerate(files):
        claims = tuple(Claim(path=name, content=text.format(name)) for name in names)
        ruling = _submit(floor, AgentSubmission(event=event, artifacts=claims), f"a:{number}:0")
        assert isinstance(ruling, EventAcceptance), ruling


def test_a_worker_waits_where_only_people_can_continue(gate: Gate, place: Path) -> None:
    """A worker waits if nothing is missing that it could submit."""
    floor = _make_gate_port(gate, place)
    _to_decide(floor)
    before = floor.view().waits

    _submit(
        floor,
        AgentSubmission(
            event="submit_decision",
            artifacts=(Claim(path="decision.md", content="Take an umbrella."),),
        ),
        "a:9:0",
    )
    view = floor.view()

    assert "" == before
    assert "human or reviewer must act in 'decide': abandon, approve, reject" == view.waits


class _PersonAtGate:
    """A pause during which a person acts."""

    def __init__(self, act: object) -> None:
        self._act = act
        self.slept: list[int] = []

    async def sleep(self, milliseconds: int) -> None:
        self.slept.append(milliseconds)
        if len(self.slept) == 2:
            self._act()  # type: ignore[operator]


def test_a_worker_continues_when_a_person_has_acted(gate: Gate, place: Path) -> None:
    """Waiting ends with the next event, and a rejection is shown with its reason."""
    open_people(locate_gate(place)).add("mori", "reviewer", "a long secret of mori", at="")
    floor = _make_gate_port(gate, place)
    _to_decide(floor)
    _submit(
        floor,
        AgentSubmission(
            event="submit_decision",
            artifacts=(Claim(path="decision.md", content="Take an umbrella."),),
        ),
        "a:9:0",
    )

    def reject() -> None:
        with open_gate(place, credential="mori:a long secret of mori") as other:
            review = other.review_run(floor.run_id)
            answer = other.emit_event(
                run_id=floor.run_id,
                event_name="reject",
                expected_revision=review.revision,
                idempotency_key="r1",
                payload={"reason": "too\nlittle"},
                approval_digest=review.digest,
            )
            assert answer["success"], answer

    pause = _PersonAtGate(reject)
    waiting = GateAgentPort(gate, floor.run_id, DiskSubmissionFolder(place), pause=pause)
    waiting.view()

    went = asyncio.run(waiting.wait())
    view = waiting.view()

    assert (True, [500, 500]) == (went, pause.slept)
    assert ("experiment", "") == (view.variables["state"], view.waits)
    assert "reject by a reviewer: 'too little'" == view.variables["last_decision"]


def test_a_worker_that_may_not_wait_is_reported(gate: Gate, place: Path) -> None:
    """Without a pause there is no waiting."""
    assert not asyncio.run(_make_gate_port(gate, place).wait())


def test_a_refused_event_destroys_no_evidence(gate: Gate, place: Path) -> None:
    """A refused event does not change accepted evidence."""
    floor = _make_gate_port(gate, place)
    _submit(floor, _HYPOTHESIS)
    forged = (Claim(path="hypothesis.md", content="FORGED"),)

    ruling = _submit(floor, AgentSubmission(event="nonsense", artifacts=forged), "a:2:0")

    assert isinstance(ruling, EventRefusal)
    written = place / "artifacts" / floor.run_id / "hypothesis.md"
    assert "It rains." == written.read_text(encoding="utf-8")
    assert gate.verify(floor.run_id).has_passed


def test_what_a_crash_left_open_is_settled_before_anything_is_seen(gate: Gate, place: Path) -> None:
    """Files of an event that a crash interrupted are removed before the next view."""
    floor = _make_gate_port(gate, place)
    home = place / "artifacts" / floor.run_id

    def crash() -> Ruling:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        DiskSubmissionFolder(home).hand_in({"a.md": b"x"}, "k", crash, floor.lock_log)
    GateAgentPort(gate, floor.run_id, DiskSubmissionFolder(home))

    assert not (home / "a.md").exists()
