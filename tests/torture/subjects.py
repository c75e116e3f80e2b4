"""What is stored on a disk, each by a command of users: written, read again, continued."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from saniwa.app.gate.gate_opening import open_gate
from tests.fakes.player_crowd import WALK
from tests.journeys.gate_terminal import CommandAnswer, GateTerminal
from tests.journeys.terminal import Terminal
from tests.torture.child_process import run_command
from tests.torture.ordeals.agents import ANSWERS, DONE, TOPIC
from tests.torture.ordeals.gates import DOOR
from tests.torture.ordeals.killed_players import list_told_words
from tests.torture.ordeals.killed_stories import STORY


class TortureSubject(Protocol):
    """Something that is stored; it counts what was acknowledged."""

    @property
    def acknowledged_count(self) -> int:
        """How many changes were acknowledged so far."""
        ...

    def act(self) -> CommandAnswer:
        """Make some more changes, and count what was acknowledged."""
        ...

    def ask(self) -> CommandAnswer:
        """Read all of it, with a command."""
        ...

    def look(self) -> CommandAnswer:
        """The same; everything acknowledged must be there."""
        ...


class PlayedScenario:
    """A run of a scenario."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._said = list[str]()
        (folder / "words.txt").write_text("\n".join(WALK * 8) + "\n")

    @property
    def acknowledged_count(self) -> int:
        """Turns."""
        return len(self._said)

    def act(self) -> CommandAnswer:
        """Continue the run, or begin it."""
        begun = "--resume=last" if self._said else "door_and_key"
        answer = run_command(self._folder, "play", begun, "--input", "words.txt")
        self._said += list_told_words(answer.out.encode())
        return answer

    def ask(self) -> CommandAnswer:
        """Read the run."""
        return run_command(self._folder, "log", "last", "--export")

    def look(self) -> CommandAnswer:
        """Every acknowledged turn is there, in order, and no refused one."""
        answer = self.ask()
        if answer.code == 0:
            kept = [json.loads(line)["rawText"] for line in answer.out.split("\n") if line]  # fmt: skip
            assert self._said == kept
        return answer


class PlayedStory:
    """A story, with its place saved next to the store."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.acknowledged_count = 0
        (folder / "count.md").write_text(STORY)
        (folder / "lines.txt").write_text("1\n" * 40)
        (folder / "nothing.txt").write_text("\n")
        with Terminal("play", "count.md", folder=folder) as page:
            assert "It is 1." in page.read_shown()
            assert "It is 2." in page.type_line("1")

    def act(self) -> CommandAnswer:
        """Make forty choices."""
        return self._resume_lines("lines.txt")

    def ask(self) -> CommandAnswer:
        """Resume it, and choose nothing."""
        return self._run_lines("nothing.txt")

    def look(self) -> CommandAnswer:
        """Resume at the last printed place."""
        return self._resume_lines("nothing.txt")

    def _run_lines(self, lines: str) -> CommandAnswer:
        going_on = ("--resume", "--input", lines, "--fast")
        return run_command(self._folder, "play", "count.md", *going_on)

    def _resume_lines(self, lines: str) -> CommandAnswer:
        answer = self._run_lines(lines)
        # What follows the notice is played from memory, as the notice says.
        stored, _, _ = answer.out.partition("[TRACE_UNWRITABLE]")
        counted = [int(number) for number in re.findall(r"It is (\d+)\.", stored)]
        if counted:
            assert (
                not self.acknowledged_count
                or self.acknowledged_count <= counted[0] <= self.acknowledged_count + 1
            )
            self.acknowledged_count = counted[-1]
        return answer


class GateRunSubject:
    """A process run at a gate."""

    def __init__(self, folder: Path) -> None:
        self._desk = GateTerminal(folder)
        self.acknowledged_count = 0
        self._desk.define("door", DOOR)
        self._desk.begin("door")

    def act(self) -> CommandAnswer:
        """Send one event with a large payload."""
        revision = self.acknowledged_count + 1
        payload = json.dumps({"note": "x" * 3000})
        answer = self._desk.emit("turn", revision, "--payload", payload)
        if answer.code == 0:
            assert answer.document["success"]
            self.acknowledged_count += 1
        return answer

    def ask(self) -> CommandAnswer:
        """Read the history."""
        return self._desk.run_command("history", "--json")

    def look(self) -> CommandAnswer:
        """Every accepted event is there once, and no refused one."""
        answer = self.ask()
        if answer.code == 0:
            kept = [json.loads(line) for line in answer.out.split("\n") if line]
            events = [each for each in kept if "event" in each]
            assert self.acknowledged_count + 1 == len(events), answer
        return answer


class WorkerSubject:
    """A worker at a gate, with its journal."""

    told = 0

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with open_gate(folder / ".state_gate") as gate:
            self._run = gate.create_run("exploration").run_id

    def act(self) -> CommandAnswer:
        """Let it work, from the beginning or from where it stopped."""
        begun = list((self._folder / ".saniwa/agents/worker").glob("*.jsonl"))
        more = (
            ("--resume",)
            if any(file.stat().st_size for file in begun)
            else (*("--run", self._run, *ANSWERS, *TOPIC),)
        )
        answer = run_command(self._folder, "agent", "run", "worker", *more)
        # It ends where only a person can continue, with exit status 4.
        if "AGENT_WAITING" in answer.out:
            self.acknowledged_count = len(DONE)
            return CommandAnswer(0, answer.out, answer.err)
        return answer

    def ask(self) -> CommandAnswer:
        """Read the history."""
        return GateTerminal(self._folder).run_command("history", self._run, "--json")

    def look(self) -> CommandAnswer:
        """The events so far are the first of the expected ones, each once."""
        answer = self.ask()
        if answer.code == 0:
            kept = [json.loads(line) for line in answer.out.split("\n") if line]
            events = [each["event"] for each in kept if "event" in each]
            assert DONE[: len(events)] == events
            assert len(events) >= self.acknowledged_count
        return answer


SUBJECTS: tuple[Callable[[Path], TortureSubject], ...] = (
    PlayedScenario,
    PlayedStory,
    GateRunSubject,
    WorkerSubject,
)
"""Each of them, made in an empty folder."""
