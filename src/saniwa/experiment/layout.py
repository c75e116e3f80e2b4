"""The folder of an experiment: what lies where. Nothing in it names a place outside."""

import re
from hashlib import sha256
from typing import Final

PREPARED: Final = "prepared.json"
"""The plan with all it needs; written first, never changed."""
CELLS: Final = "cells"
"""Finished cells, one file each; `KEY.json`."""
RESULTS: Final = "results.json"
TURNS_LOG: Final = "turns_log.json"
EXAMPLES: Final = "examples_index.csv"
CONVERSATION: Final = "CONVERSATION_REPORT.md"
REPORT: Final = "REPORT.md"
REPORT_PAGE: Final = "report.html"
ANALYSIS: Final = "analysis.json"
"""Estimates, comparisons and effects, as data."""
RUN_META: Final = "run_meta.json"
"""`run_meta` alone, as evidence for a gate."""
TIMES: Final = "times.json"
"""The one file that holds times, machines and workers: every other is the same bytes for
the same plan, seeds and answers."""
ARTIFACTS: Final = "artifacts"
"""One folder for each cell."""
WORLD: Final = "world_canonical.json"
RECORDING: Final = "tape.jsonl"
"""In a cell's folder, where models played: every question with its answer."""

_UNFIT: Final = re.compile(r"^\.|[\x00-\x1f\x7f/\\%\ud800-\udfff]")
_LONGEST: Final = 200


def make_folder_name(key: str) -> str:
    """The name of a cell's folder: its key, where that can be a name.

    What would lead elsewhere or cannot be written stands as `%2F`; of a key that is too
    long for a name the beginning is kept, with a hash of the whole.
    """
    name = _UNFIT.sub(_escape_match, key)
    encoded = name.encode()
    if len(encoded) <= _LONGEST:
        return name
    mark = sha256(encoded).hexdigest()[:16]
    return f"{encoded[: _LONGEST - 17].decode(errors='ignore')}~{mark}"


def _escape_match(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass"))


def name_attempt_file(turn: int, attempt: int) -> str:
    """The file with an answer that was tried before the one that stands."""
    return f"turn_{turn:03d}_attempt_{attempt}_raw_output.txt"


def name_raw_file(turn: int) -> str:
    """The file with an answer as it came."""
    return f"turn_{turn:03d}_raw_output.txt"


def name_repaired_file(turn: int) -> str:
    """The file with the answer after repair; only where it was repaired."""
    return f"turn_{turn:03d}_repaired_output.txt"


def name_parsed_file(turn: int) -> str:
    """The file with what was read in it."""
    return f"turn_{turn:03d}_parsed.json"
