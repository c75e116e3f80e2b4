"""A program that is killed while it records."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from saniwa.core.redaction import Redactor
from saniwa.models.recording import ReplayingOracle
from saniwa.store.json_lines_file import JsonLinesFile
from tests.fakes.processes import end_with_test
from tests.house.pages import ROOT

_PROGRAM = """
import asyncio, sys
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.recording import RecordingOracle
from saniwa.core.redaction import Redactor
from saniwa.models.oracle import OracleMessage, OracleRequest
from saniwa.store.json_lines_file import JsonLinesFile

async def work():
    words = CannedOracle(lambda asked: asked.messages[-1].text * 500)
    recording = RecordingOracle(words, JsonLinesFile(sys.argv[1]), Redactor())
    number = 0
    while True:
        asked = OracleRequest(messages=(OracleMessage(role="user", text=f"question {number}"),))
        await recording.answer(asked)
        print(number, flush=True)
        number += 1

asyncio.run(work())
"""


@pytest.mark.slow
@pytest.mark.parametrize("after", [0, 1, 7, 40])
def test_no_acknowledged_answer_is_lost_to_a_kill(after: int, tmp_path: Path) -> None:
    """After a kill the recording has every answer that was returned, and can be continued."""
    tape = tmp_path / "tape.jsonl"
    program = end_with_test(
        subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(tape)], stdout=subprocess.PIPE, cwd=ROOT, text=True
        )
    )
    assert program.stdout is not None
    for _ in range(after + 1):
        acknowledged = int(program.stdout.readline())
    os.kill(program.pid, signal.SIGKILL)
    rest = program.stdout.read().split()
    program.wait()
    program.stdout.close()
    acknowledged = int(rest[-1]) if rest else acknowledged

    entries = list(JsonLinesFile(tape).read_entries())
    kept = [e["request"]["messages"][0]["text"] for e in entries]

    assert [f"question {n}" for n in range(len(kept))] == kept
    assert len(kept) >= acknowledged + 1
    ReplayingOracle(JsonLinesFile(tape), Redactor())

    torn = json.dumps(entries[0]).encode()[:-20]
    with tape.open("ab") as stream:
        stream.write(torn)
    lines = JsonLinesFile(tape)
    lines.append(entries[0])
    lines.close()

    assert ["LOG_MENDED"] == [finding.code for finding in lines.repairs]
    assert len(kept) + 1 == len(list(JsonLinesFile(tape).read_entries()))
