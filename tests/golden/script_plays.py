"""Golden scripts: a story, and every step of some plays of it.

`name.md` has its partner in `name.steps.json`. A script without a partner must be refused.
After an intended change, run `python -m tests.golden.script_plays`, which plays everything
again and writes the steps; then read the diff.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from saniwa.story.player import Player
from saniwa.story.step_result import StepResult
from saniwa.story.story import Story, parse_story
from saniwa.story.tools.trace import TraceEnd, trace_story

FOLDER = Path(__file__).parent / "scripts"
SCRIPTS = sorted(FOLDER.glob("*.md"))
PAIRED = [file for file in SCRIPTS if file.with_suffix(".steps.json").exists()]
REFUSED = [file for file in SCRIPTS if file not in PAIRED]


def read_plays(file: Path) -> list[dict[str, Any]]:
    """The plays in a script's partner."""
    text = file.with_suffix(".steps.json").read_text(encoding="utf-8")
    plays: list[dict[str, Any]] = json.loads(text)["plays"]
    return plays


def read_golden_story(file: Path) -> Story:
    """Read a golden script under its bare name, so that its path does not matter."""
    return parse_story(file.read_bytes().decode(), file.name)


def make_player_for(story: Story, play: dict[str, Any]) -> Player:
    """A player with the options of the play."""
    return Player(
        story.program,
        seed=play.get("seed", 0),
        assets=story.assets,
        batch=play.get("batch", "step"),
        annotate=play.get("annotate", False),
    )


def to_written(steps: Sequence[StepResult | TraceEnd]) -> list[Any]:
    """Steps as the partner has them."""
    return [msgspec.to_builtins(step) for step in steps]


def play_golden(story: Story, play: dict[str, Any]) -> Iterator[StepResult | TraceEnd]:
    """Play it with the current code."""
    choices, answers = play.get("choices", []), play.get("answers", [])
    return trace_story(make_player_for(story, play), choices, answers)


def rewrite() -> None:
    """Play everything again and write the partners."""
    for file in PAIRED:
        story = read_golden_story(file)
        plays = read_plays(file)
        for play in plays:
            *steps, end = to_written(list(play_golden(story, play)))
            play["steps"], play["end"] = steps, end
        file.with_suffix(".steps.json").write_text(_render_plays(plays), encoding="utf-8")


def _render_plays(plays: list[dict[str, Any]]) -> str:
    """Write one step per line, so that a diff shows what changed."""
    parts = []
    for play in plays:
        lines = [f"   {_render_line(step)}" for step in play["steps"]]
        rest = {k: v for k, v in play.items() if k not in ("steps", "end")}
        opening = "".join(f"{_render_line(k)}: {_render_line(v)}, " for k, v in rest.items())
        steps = ",\n".join(lines)
        parts.append(f' {{{opening}"steps": [\n{steps}],\n  "end": {_render_line(play["end"])}}}')
    return '{"plays": [\n' + ",\n".join(parts) + "\n]}\n"


def _render_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    rewrite()
