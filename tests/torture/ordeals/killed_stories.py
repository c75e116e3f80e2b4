"""A story that counts its choices, played by processes that are killed."""

import json
import re
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed
from typing import Any

from tests.journeys.terminal import Terminal
from tests.torture.child_process import TortureChild, run_command, spin
from tests.torture.ordeal import Ordeal, TrialTally

LIVES = 4
"""How often the process is killed in one trial."""
STORY = """\
---
id: count
vars: {n: 0}
---
# Count

## again

[SET n += 1]

It is {n}.

- Once more
  [again](#again)
"""
_COUNTED = re.compile(rb"It is (\d+)\.")


def _kill_reader(folder: Path, chance: Random) -> TrialTally:
    """A story in the terminal, with its place saved next to the store."""
    (folder / "count.md").write_text(STORY)
    (folder / "lines.txt").write_text("1\n" * 300)
    with Terminal("play", "count.md", folder=folder) as page:
        assert "It is 1." in page.read_shown()
        assert "It is 2." in page.type_line("1")
    told = 2
    for _ in range(LIVES):
        with TortureChild(folder, "play", "count.md", "--resume", "--input", "lines.txt") as it:  # fmt: skip
            it.hear(300 + chance.randrange(3000))
            spin(chance)
            counted = [int(number) for number in _COUNTED.findall(it.kill())]
        assert counted, it.errors
        assert list(range(counted[0], counted[-1] + 1)) == counted
        # The choice under way may have been saved without being printed.
        assert told <= counted[0] <= told + 1
        told = counted[-1]
    ended = run_command(folder, "play", "count.md", "--resume", "--input", "lines.txt")
    assert 0 == ended.code, ended.err
    (first, *_, last) = map(int, _COUNTED.findall(ended.out.encode()))
    assert told <= first <= told + 1
    assert first + 300 == last
    return TrialTally(harmed=LIVES + 1, acknowledged=last)


class _StoryHost:
    """An engine at the end of a pipe: each request is done once, also across restarts."""

    def __init__(self) -> None:
        self.run = ""
        self.revision = 0
        self.pending: dict[str, Any] = {"op": "begin", "key": "begin"}

    def rejoin_run(self, child: TortureChild) -> None:
        """Find the run where it was left, and repeat the request without an answer."""
        if self.run:
            told = _ask(child, {"op": "resume", "run": self.run})
            there = told["moment"]["revision"]
            assert self.revision <= there <= self.revision + 1
        self._take(_ask(child, self.pending))

    def choose(self, child: TortureChild) -> None:
        """Choose, and check the answer."""
        self._take(_ask(child, self.make_next_request()))

    def make_next_request(self) -> dict[str, Any]:
        """The next request, which has no answer yet."""
        asked = {"op": "choose", "index": 0, "revision": self.revision}
        self.pending = asked | {"key": f"choice-{self.revision}"}
        return self.pending

    def _take(self, told: dict[str, Any]) -> None:
        """Check the answer to the last request: it was done, once."""
        assert self.revision + 1 == told["moment"]["revision"], told
        self.run = told["moment"]["run"]
        self.revision += 1
        said = told["moment"]["step"]["directives"][0]["args"]["text"]
        assert f"It is {self.revision}." == said


def _ask(child: TortureChild, asked: dict[str, Any]) -> dict[str, Any]:
    child.tell(json.dumps(asked).encode())
    line = child.hear_line()
    assert line.endswith(b"\n"), f"no answer to {asked}; {child.errors}"
    told: dict[str, Any] = json.loads(line)
    assert told["ok"], told
    return told


def _kill_story_host(folder: Path, chance: Random) -> TrialTally:
    """A story over a pipe, each request under a key."""
    (folder / "count.md").write_text(STORY)
    host = _StoryHost()
    for _ in range(LIVES):
        with TortureChild(folder, "host", "--stdio", "--story", "count.md") as child:
            host.rejoin_run(child)
            for _ in range(chance.randrange(60)):
                host.choose(child)
            # Killed with a request under way: it may be done or not, and never twice.
            child.tell(json.dumps(host.make_next_request()).encode())
            spin(chance, 5e-3)
            child.kill()
    with TortureChild(folder, "host", "--stdio", "--story", "count.md") as child:
        host.rejoin_run(child)
        host.choose(child)
        child.read_rest()
        assert (0, "") == (child.code, child.errors)
    return TrialTally(harmed=LIVES, acknowledged=host.revision)


ORDEALS = (
    Ordeal(
        name="story-killed",
        tried="`saniwa play STORY.md` is killed with -9 between and during choices.",
        promised="It continues at the last choice shown, or the next; none is skipped.",
        trial=_kill_reader,
    ),
    Ordeal(
        name="host-killed",
        tried="`saniwa host --stdio` is killed during a request, which is repeated later.",
        promised="Every answer stays valid, and a request under one key is done exactly once.",
        trial=_kill_story_host,
    ),
)
