"""Plays a story in a separate process: story_walk.py STORY.md STEPS [--lines].

Imports only what playing needs, so that only this memory is measured.
`--lines` prints lines and options instead of the times.
"""

import json
import sys
from array import array
from collections.abc import Callable
from pathlib import Path
from time import perf_counter_ns, process_time_ns

from saniwa.story.player import Player
from saniwa.story.saves import read_save, restore_player, save_player
from saniwa.story.step_result import Branch, Next, Say
from saniwa.story.story import read_story

DRAWS = 50_000
"""Random numbers before they come again."""
HALF = 5_000
"""Lines shown before the story is saved."""
WARM = 100_000
"""Lines shown before the clock runs, so that both engines have warmed up."""


class _Draw:
    """The generator both walks choose by."""

    def __init__(self) -> None:
        # Drawn beforehand, so that drawing is no part of what is measured.
        self._drawn, self._at, state = array("H"), 0, 1
        for _ in range(DRAWS):
            state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
            self._drawn.append(state >> 16)

    def draw_below(self, count: int) -> int:
        """A number from 0 on."""
        at, self._at = self._at, (self._at + 1) % DRAWS
        return self._drawn[at] % count


def _measure(story: str, steps: int, form: str) -> None:
    """Tell the story in this process and print what was found."""
    player = Player(read_story(story).program)
    draw = _Draw()
    if form == "--lines":
        print(json.dumps(_tell_lines(player, steps, draw)))
        return
    _tell(player, HALF, draw)
    kept = _measure_saving(player)
    _tell(player, WARM, draw)
    start = process_time_ns()
    _tell(player, steps, draw)
    spent = (process_time_ns() - start) / 1e6
    peak = _read_peak_memory()
    print(json.dumps({"step_ms": spent / steps, "peak_bytes": peak, **kept}))


def _read_peak_memory() -> int:
    """The most memory this program has held, in bytes.

    Not what the system counts for the process: that includes its parent's memory.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (line for line in status.split("\n") if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def _tell(player: Player, steps: int, draw: _Draw) -> None:
    step, choose, branch, below = (player.step, player.choose, Next.WAIT_BRANCH, draw.draw_below)
    for _ in range(steps):
        shown = step()
        if shown.next is branch:
            question = shown.directives[-1]
            assert isinstance(question, Branch)
            choose(below(len(question.args.choices)))


def _measure_saving(player: Player) -> dict[str, float]:
    content = save_player(player).to_json()
    saved = _time_median(lambda: save_player(player).to_json())
    restored = _time_median(lambda: restore_player(player, read_save(content)))
    return {"save_ms": saved, "restore_ms": restored, "saved_bytes": len(content)}


def _time_median(work: Callable[[], object]) -> float:
    times = []
    for _ in range(200):
        start = perf_counter_ns()
        work()
        times.append((perf_counter_ns() - start) / 1e6)
    return sorted(times)[100]


def _tell_lines(player: Player, steps: int, draw: _Draw) -> list[str]:
    said: list[str] = []
    told = 0
    while told < steps:
        for directive in player.step().directives:
            if isinstance(directive, Say):
                told += 1
                speaker, text = directive.args.speaker, directive.args.text
                said.append(f"{speaker}: {text}" if speaker else text)
            elif isinstance(directive, Branch):
                choices = directive.args.choices
                said.append(" / ".join(choices))
                player.choose(draw.draw_below(len(choices)))
    return said


if __name__ == "__main__":
    _measure(sys.argv[1], int(sys.argv[2]), "".join(sys.argv[3:]))
