"""Concordia's part of the comparison; run by the Python of its own environment.

Two characters as its basic prefab makes them, its generic game master, its sequential
way of taking turns, a checkpoint after every turn. The model answers at once, and always
the same to the same question of the same turn, in whatever order its options stand.
Prints one JSON object: what each turn took, and the digest of every prompt.
"""

import json
import random  # noqa: TID251 - seeded, as far as it can be
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from hashlib import sha256
from importlib.metadata import version
from io import StringIO
from itertools import pairwise
from pathlib import Path
from time import perf_counter_ns, process_time_ns
from typing import Any

import numpy as np
from concordia.language_model import language_model
from concordia.prefabs.entity import basic
from concordia.prefabs.game_master import generic as game_master
from concordia.prefabs.simulation import generic as simulation
from concordia.typing.prefab import Config, InstanceConfig, Role

SAID = (
    "The lamp is lit, and the tide is out.",
    "Mara lifts the lamp and looks at the ferry.",
    "Ito says that the bell will ring at nine.",
)
SPECIFICATION = "prompt: What does {name} do next?;;type: free"
PREMISE = "Mara and Ito wait for the ferry. There is a lamp and a bell."


class ConcordiaStub(language_model.LanguageModel):
    """A model that costs nothing and remembers what it was asked."""

    def __init__(self) -> None:
        self.prompts: list[str] = []
        self.turn = 0
        self._alone = threading.Lock()

    def sample_text(self, prompt: str, **_: Any) -> str:
        """A sentence; the form of an action where that is wanted."""
        number = self._take_question(prompt)[0]
        if "Example formatted action specs" in prompt[-3000:]:
            return SPECIFICATION
        return f"{SAID[number % len(SAID)]} It is {number % 997} past nine."

    def sample_choice(
        self, prompt: str, responses: Sequence[str], **_: Any
    ) -> tuple[int, str, dict[str, Any]]:
        """One of the options by its text; never the end of the story."""
        number, options = self._take_question(prompt)
        assert len(options) == len(responses), prompt[-500:]
        places = sorted((text, place) for place, text in enumerate(options))
        drawn = places[number % len(places)][1]
        chosen = next((place for text, place in places if text == "No"), drawn)
        return chosen, responses[chosen], {}

    def _take_question(self, prompt: str) -> tuple[int, list[str]]:
        with self._alone:
            self.prompts.append(prompt)
        question = prompt.rpartition("Question: ")[2]
        lines = [line for line in question.split("\n") if line.startswith("  (")]
        options = [line.strip().partition(") ")[2] for line in lines]
        about = sorted(options) or [question[:200]]
        digest = sha256(f"{self.turn} {about}".encode()).digest()
        return int.from_bytes(digest[:4], "big"), options


def embed_text(text: str) -> np.ndarray:
    """Any vector, as long as it is the text's."""
    numbers = np.frombuffer(sha256(text.encode()).digest(), dtype=np.uint8)
    vector = numbers.astype(float) - 128
    return vector / np.linalg.norm(vector)


def open_simulation(model: ConcordiaStub, turns: int) -> simulation.Simulation:
    """A new evening at the ferry."""
    people = {"Mara": "Light the lamp.", "Ito": "Ring the bell."}
    cast = [
        InstanceConfig(prefab="person", role=Role.ENTITY, params={"name": name, "goal": goal})
        for name, goal in people.items()
    ]
    rules = InstanceConfig(prefab="rules", role=Role.GAME_MASTER, params={"name": "rules"})
    config = Config(
        default_premise=PREMISE,
        default_max_steps=turns,
        prefabs={"person": basic.Entity(), "rules": game_master.GameMaster()},
        instances=[*cast, rules],
    )
    return simulation.Simulation(config=config, model=model, embedder=embed_text)


def play_simulation(turns: int, folder: Path) -> tuple[ConcordiaStub, list[tuple[int, ...]]]:
    """The evening; for each turn clocks, calls, characters and bytes so far."""
    model, marks = ConcordiaStub(), list[tuple[int, ...]]()
    evening = open_simulation(model, turns)
    keep = evening.save_checkpoint

    def keep_checkpoint(step: int, checkpoint_path: str) -> None:
        keep(step, checkpoint_path)
        now = perf_counter_ns(), process_time_ns()
        size = (folder / f"step_{step}_checkpoint.json").stat().st_size
        asked = sum(map(len, model.prompts))
        log = len(json.dumps(evening.get_raw_log()))
        model.turn = step
        # What was looked up here is no part of the next turn.
        looked = perf_counter_ns() - now[0], process_time_ns() - now[1]
        marks.append((*now, *looked, len(model.prompts), asked, log, size))

    evening.save_checkpoint = keep_checkpoint
    with redirect_stdout(StringIO()):
        evening.play(max_steps=turns, checkpoint_path=str(folder), return_html_log=False)
    return model, marks


def iterate_turns(marks: list[tuple[int, ...]]) -> Iterator[dict[str, float]]:
    """What every turn but the first took."""
    for before, after in pairwise(marks):
        yield {
            "ms": (after[0] - before[0] - before[2]) / 1e6,
            "cpu_ms": (after[1] - before[1] - before[3]) / 1e6,
            "calls": after[4] - before[4],
            "characters": after[5] - before[5],
            "log_bytes": after[6] - before[6],
            "written_bytes": after[7],
        }


def main(turns: int, folder: str) -> None:
    """Measure, and print what was measured."""
    random.seed(0)
    np.random.seed(0)
    model, marks = play_simulation(turns, Path(folder))
    report = {
        "version": version("gdm-concordia"),
        "turns": list(iterate_turns(marks)),
        "prompts": [sha256(prompt.encode()).hexdigest() for prompt in model.prompts],
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
