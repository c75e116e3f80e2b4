"""bink's part of the comparison of stories; run by the Python of its own environment.

bink_walk.py STORY.json STEPS [--lines]: a story that inkjs has compiled, walked through
along the same choices as all peers. Prints one JSON object, or what it says.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path
from time import process_time_ns

from bink.story import Story

DRAWS = 50_000
WARM = 20_000
"""Lines shown before the clock runs."""


def draw_numbers() -> list[int]:
    """The numbers that both other walks choose by."""
    numbers, state = [], 1
    for _ in range(DRAWS):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        numbers.append(state >> 16)
    return numbers


class BinkWalk:
    """A walk through the story that can be continued."""

    def __init__(self, story: Story) -> None:
        self.story, self.numbers, self.at = story, draw_numbers(), 0

    def tell(self, steps: int, said: list[str] | None = None) -> None:
        """Play so many lines; lines and options are appended to `said`, if given."""
        story, told = self.story, 0
        while told < steps:
            if story.can_continue():
                line = story.cont().strip()
                told += bool(line)
                if said is not None and line:
                    said.append(line)
            else:
                choices = story.get_current_choices()
                if said is not None:
                    said.append(" / ".join(choices))
                story.choose_choice_index(self.numbers[self.at] % len(choices))
                self.at = (self.at + 1) % DRAWS


def main(place: str, steps: int, form: str) -> None:
    """Measure, and print what was measured."""
    walk = BinkWalk(Story(Path(place).read_text(encoding="utf-8")))
    if form == "--lines":
        said: list[str] = []
        walk.tell(steps, said)
        print(json.dumps({"version": version("bink"), "lines": said}))
        return
    walk.tell(WARM)
    start = process_time_ns()
    walk.tell(steps)
    spent = (process_time_ns() - start) / 1e6
    print(json.dumps({"version": version("bink"), "step_ms": spent / steps}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), "".join(sys.argv[3:]))
