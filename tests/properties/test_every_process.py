"""Differences between two processes of one machine appear in no byte that Saniwa writes."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

_TOLD = """
import asyncio
import msgspec
from saniwa.process.event_record import render_rows
from saniwa.rulebook.judge import find_admissible_actions
from saniwa.world.fingerprint import compute_world_hash
from saniwa.world.model import Id
from tests.fakes.paper_process import PaperGates
from tests.fakes.runs import GARDEN, open_courtyard_run

LAMPS = {f"lamp-{n}": {"name": "lamp", "location": "shed"} for n in range(6)}
WORDS = ("take the lamp", "take old metal", "2", "take all", "take the brass kye", "north",
         "drop everything", "east", "take the lamp", "take all", "eat the loaf", "look")

async def story():
    run = open_courtyard_run(scenario=GARDEN | {"props": GARDEN["props"] | LAMPS})
    for words in WORDS:
        told = await run.say(words)
        print(msgspec.json.encode((told.turn, told.step)).decode())
    print(await run.undo())
    print([repr(action) for action in find_admissible_actions(run.world, Id("player"), run.book)])
    print(compute_world_hash(run.world), run.book.fingerprint)

asyncio.run(story())
office = PaperGates()
run_id = office.begin_reviewed()
office.decide(run_id, "approve")
print(*render_rows(office.log.read_entries(run_id), safe=True))
print(office.make_gate().review_run(run_id), office.make_gate().list_events(run_id, include_blocked=True))
"""


def _iterate_environments() -> Iterator[dict[str, str]]:
    """Environments with other hash seeds, time zones and locales, as far as they are installed."""
    for seed, zone, country in (
        ("0", "UTC", "C"),
        ("1", "Asia/Tokyo", "ja_JP.UTF-8"),
        ("2", "America/St_Johns", "tr_TR.UTF-8"),
    ):
        yield {"PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": country, "LANG": country}


@pytest.mark.slow
def test_turns_and_rows_are_the_same_in_every_process() -> None:
    """Neither hash seed, time zone nor locale changes a turn, a StepResult or a row."""
    told = {
        subprocess.run(
            [sys.executable, "-X", "utf8", "-c", _TOLD],
            env={**os.environ, **process},
            capture_output=True,
            check=True,
        ).stdout
        for process in _iterate_environments()
    }

    assert 1 == len(told)
    assert all(b"2026-01-01T00:00" in each for each in told)
