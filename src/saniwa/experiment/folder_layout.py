"""The files and folders of an experiment's folder. No file refers to a path outside it."""

import re
from hashlib import sha256
from typing import Final

PREPARED: Final = "prepared.json"
"""The plan with everything it names; written first, never changed."""
CELLS: Final = "cells"
"""Finished cells, one file each: `KEY.json`."""
SIGNATURES: Final = "signatures"
"""Who ran a cell of models, signed: one file each, `KEY.json`; only with `--sign`."""
RESULTS: Final = "results.json"
TURNS_LOG: Final = "turns_log.json"
EXAMPLES: Final = "examples_index.csv"
CONVERSATION: Final = "CONVERSATION_REPORT.md"
REPORT: Final = "REPORT.md"
REPORT_PAGE: Final = "report.html"
ANALYSIS: Final = "analysis.json"
"""Estimates, comparisons and effects, as data."""
RUN_META: Final = "run_meta.json"
"""Only `run_meta`, as evidence for a gate."""
TIMES: Final = "times.json"
"""The only file with times, machines and workers: all others have the same bytes for
the same plan, seeds and answers.
"""
ARTIFACTS: Final = "artifacts"
"""One folder for each cell."""
WORLD: Final = "world_canonical.json"
WORK: Final = "work.json"
"""What an agent did at a gate, in the folder of its cell."""
RECORDING: Final = "tape.jsonl"
"""Every request with its answer, in the folder of a cell that models played."""

_UNFIT: Final = re.compile(r"^\.|[\x00-\x1f\x7f/\\%\ud800-\udfff]")
_LONGEST: Final = 200


def make_folder_name(key: str) -> str:
    """Return the name of a cell's folder: its key, if that is a valid name.

    Characters that are unsafe in a file name are escaped as `%2F`; a key that is too
    long is cut, followed by a hash of the whole.
    """
    name = _UNFIT.sub(_escape_match, key)
    encoded = name.encode()
    if len(encoded) <= _LONGEST:
        return name
    digest = sha256(encoded).hexdigest()[:16]
    return f"{encoded[: _LONGEST - 17].decode(errors='ignore')}~{digest}"


def _escape_match(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass"))


def name_attempt_file(turn: int, attempt: int) -> str:
    """Return the file name of an answer that was tried before the final one."""
    return f"turn_{turn:03d}_attempt_{attempt}_raw_output.txt"


def name_raw_file(turn: int) -> str:
    """Return the file name of the final answer, unchanged."""
    return f"turn_{turn:03d}_raw_output.txt"


def name_repaired_file(turn: int) -> str:
    """Return the file name of the repaired answer; exists only if it was repaired."""
    return f"turn_{turn:03d}_repaired_output.txt"


def name_parsed_file(turn: int) -> str:
    """Return the file name of the parsed answer."""
    return f"turn_{turn:03d}_parsed.json"
