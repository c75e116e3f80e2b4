"""A project with something for every page: a run, a gate, an experiment, a story."""

from pathlib import Path
from typing import NamedTuple

from tests.journeys.gate_terminal import GateTerminal, answer_of, walk_to_decide

WORDS = ("look around", "open the iron gate", "go east", "open the oak chest")
"""What was said in the run: the second is refused."""
_PLAN = """
experiment_id: telling
question: Does it help to tell a character what is true?
scenarios: [coffee_trap]
seeds: 2
max_turns: 4
factors:
  inject: [off, on]
  gm: [off, on]
"""
_STORY = """---
id: lamp
title: The lamp
language: en
---
# The lamp

It is dark.

- Light it {#light}
  It burns.
- Leave it {#leave}
  It stays dark.
"""


class PlayedProject(NamedTuple):
    """What the project contains."""

    folder: Path
    """The project's folder."""
    run: str
    """A run of door and key, with a refusal in its second turn."""
    gate_run: str
    """A run of a process that waits for approval."""
    secret: str
    """The secret with which ann, who may approve, signs in."""


def make_project(folder: Path) -> PlayedProject:
    """Make such a project with the commands that people type."""
    (folder / "words.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    (folder / "plan.yaml").write_text(_PLAN, encoding="utf-8")
    (folder / "stories").mkdir()
    (folder / "stories" / "lamp.md").write_text(_STORY, encoding="utf-8")
    told = _run_command(folder, "play", "door_and_key", "--input", "words.txt")
    run = next(word for word in told.split() if word.startswith("run-"))
    _run_command(folder, "experiment", "run", "plan.yaml", "--no-report")
    desk = GateTerminal(folder)
    gate_run = walk_to_decide(desk)
    secret = Path(desk.add_reviewer()).read_text(encoding="utf-8").partition(":")[2]
    return PlayedProject(folder, run.strip(".,"), gate_run, secret)


def _run_command(folder: Path, *words: str) -> str:
    done = answer_of(folder, *words)
    assert 0 == done.code, done.err
    return done.out
