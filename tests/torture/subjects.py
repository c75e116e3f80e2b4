"""What is kept on a disk, each by a command people type: done, found again, gone on with."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from saniwa.app.gate.access import open_gate
from tests.fakes.crowd import WALK
from tests.journeys.desk import Answer, Desk
from tests.journeys.terminal import Terminal
from tests.torture.child import typed
from tests.torture.ordeals.agents import DONE, TAPE, TOPIC
from tests.torture.ordeals.gates import DOOR
from tests.torture.ordeals.playing import told_words
from tests.torture.ordeals.telling import STORY


class Subject(Protocol):
    """Something that is kept; it knows what was acknowledged."""

    @property
    def told(self) -> int:
        """How much was told to be done so far."""
        ...

    def act(self) -> Answer:
        """Do some more of it, and take in what was acknowledged."""
        ...

    def ask(self) -> Answer:
        """Ask for all that was acknowledged, by a command."""
        ...

    def look(self) -> Answer:
        """The same; each of it must be there."""
        ...


class Played:
    """A run of a scenario."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._said = list[str]()
        (folder / "words.txt").write_text("\n".join(WALK * 8) + "\n")

    @property
    def told(self) -> int:
        """Turns."""
        return len(self._said)

    def act(self) -> Answer:
        """Go on with the run, or begin it."""
        begun = "--resume=last" if self._said else "door_and_key"
        answer = typed(self._folder, "play", begun, "--input", "words.txt")
        self._said += told_words(answer.out.encode())
        return answer

    def ask(self) -> Answer:
        """Read the run."""
        return typed(self._folder, "log", "last", "--export")

    def look(self) -> Answer:
        """Every turn that was told, in order; what was refused is not there."""
        answer = self.ask()
        if answer.code == 0:
            kept = [json.loads(line)["rawText"] for line in answer.out.split("\n") if line]  # fmt: skip
            assert self._said == kept
        return answer


class Read:
    """A story, its place kept beside the store."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.told = 0
        (folder / "count.md").write_text(STORY)
        (folder / "lines.txt").write_text("1\n" * 40)
        (folder / "nothing.txt").write_text("\n")
        with Terminal("play", "count.md", folder=folder) as page:
            assert "It is 1." in page.shown()
            assert "It is 2." in page.type("1")

    def act(self) -> Answer:
        """Make forty choices."""
        return self._resumed("lines.txt")

    def ask(self) -> Answer:
        """Take it up, and choose nothing."""
        return self._typed("nothing.txt")

    def look(self) -> Answer:
        """The place told last."""
        return self._resumed("nothing.txt")

    def _typed(self, lines: str) -> Answer:
        going_on = ("--resume", "--input", lines, "--fast")
        return typed(self._folder, "play", "count.md", *going_on)

    def _resumed(self, lines: str) -> Answer:
        answer = self._typed(lines)
        counted = [int(number) for number in re.findall(r"It is (\d+)\.", answer.out)]
        if counted:
            assert not self.told or self.told <= counted[0] <= self.told + 1
            self.told = counted[-1]
        return answer


class Sent:
    """A run of a process at a gate."""

    def __init__(self, folder: Path) -> None:
        self._desk = Desk(folder)
        self.told = 0
        self._desk.define("door", DOOR)
        self._desk.begin("door")

    def act(self) -> Answer:
        """Send one event, with something in its hands."""
        revision = self.told + 1
        payload = json.dumps({"note": "x" * 3000})
        answer = self._desk.emit("turn", revision, "--payload", payload)
        if answer.code == 0:
            assert answer.document["success"]
            self.told += 1
        return answer

    def ask(self) -> Answer:
        """Read the history."""
        return self._desk.type("history", "--json")

    def look(self) -> Answer:
        """Every event once, and none that was refused."""
        answer = self.ask()
        if answer.code == 0:
            kept = [json.loads(line) for line in answer.out.split("\n") if line]
            events = [each for each in kept if "event" in each]
            assert self.told + 1 == len(events), answer
        return answer


class Worked:
    """A worker at a gate, with its journal."""

    told = 0

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with open_gate(folder / ".state_gate") as gate:
            self._run = gate.create_run("exploration").run_id

    def act(self) -> Answer:
        """Let it work, from the beginning or from where it stopped."""
        begun = list((self._folder / ".saniwa/agents/worker").glob("*.jsonl"))
        more = (
            ("--resume",)
            if any(file.stat().st_size for file in begun)
            else (*("--run", self._run, "--replay", str(TAPE), *TOPIC),)
        )
        answer = typed(self._folder, "agent", "run", "worker", *more)
        # It ends where only a person can go on, which is told with 4.
        if "AGENT_WAITING" in answer.out:
            self.told = len(DONE)
            return Answer(0, answer.out, answer.err)
        return answer

    def ask(self) -> Answer:
        """Read the history."""
        return Desk(self._folder).type("history", self._run, "--json")

    def look(self) -> Answer:
        """The events so far are the beginning of those it is to send, once each."""
        answer = self.ask()
        if answer.code == 0:
            kept = [json.loads(line) for line in answer.out.split("\n") if line]
            events = [each["event"] for each in kept if "event" in each]
            assert DONE[: len(events)] == events
            assert len(events) >= self.told
        return answer


SUBJECTS: tuple[Callable[[Path], Subject], ...] = (Played, Read, Sent, Worked)
"""Each of them, kept in an empty folder."""
