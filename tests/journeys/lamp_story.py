"""A short story about a lamp keeper, and a terminal that plays it."""

import os
import subprocess
from pathlib import Path

from tests.fakes.commands import run_command
from tests.journeys.terminal import Terminal

PROMPTS = ("\n> ", "\n▾ ")
LAMP = """\
---
id: lamp
vars: {trust: 0, who: ""}
assets: art
---
# The lamp keeper

[SHOW_IMAGE file=bridge layer=bg]
[PLAY_BGM name=rain]

## bridge

Rain on the bridge. {#rain}

Ben: You came back. {#ben}

- Ask about the lamp {once}
  Ben: It burns till dawn. {#dawn}
  [SET trust += 1]
- Say nothing {show if trust > 0}
  [WAIT 3000s]
  The rain has stopped. {#stopped}
- Give your name {once}
  [ASK prompt="Your name?" name=who]
  Ben: Well met, {who}. {#met}
- [Walk on](#street)

[again](#bridge)

## street

The street is empty. {#empty} <!-- ending: street -->
"""


def start_reading(folder: Path, *command: str, story: str = "lamp.md") -> Terminal:
    """Start the story at a terminal in the folder."""
    return Terminal("play", story, *command, folder=folder, prompt=PROMPTS)


def play(folder: Path, *command: str, lines: str | bytes = b"") -> subprocess.CompletedProcess[str]:
    """Run `saniwa play` with input from a pipe."""
    raw = lines.encode() if isinstance(lines, str) else lines
    return run_command(
        folder, "play", *command, stdin=raw, environment=os.environ | {"NO_COLOR": "1"}
    )
