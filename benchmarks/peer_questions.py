"""What is asked of us: the rows of the table of peers, each under a short name.

A row of the result says which of them it answers; a test sees that none is forgotten.
"""

from enum import StrEnum
from typing import NamedTuple


class PeerRow(StrEnum):
    """One row of the table of peers, by the name it has in our table."""

    ACTION = "one action"
    ACTION_TOO = "one action, others"
    ADMISSIBLE = "admissible"
    TURN = "turn"
    CALLS = "calls"
    PROMPT = "prompt"
    SAME_PROMPTS = "same prompts"
    RESTORE = "restore"
    SAMPLE = "sample"
    CHECK = "check a story"
    STEPS = "steps"
    SAVE = "save"
    MEMORY = "memory"
    DURABLE = "durable"
    IN_MEMORY = "in memory"
    ITERATION = "iteration"
    COLD_START = "cold start"
    PACKAGES = "packages"


class PeerQuestion(NamedTuple):
    """What a row of the table of peers says."""

    work: str
    """What is done."""
    beside: tuple[str, ...]
    """The peers to compare with, as their names begin in the table."""
    mark: str
    """What we are to reach."""


QUESTIONS: dict[PeerRow, PeerQuestion] = {
    PeerRow.ACTION: PeerQuestion(
        "decide and apply one action, 20 rooms, 40 things",
        ("TextWorld",),
        "under 0.05 ms, flat to 100,000 entities",
    ),
    PeerRow.ACTION_TOO: PeerQuestion("the same", ("Evennia", "Jericho"), ""),
    PeerRow.ADMISSIBLE: PeerQuestion(
        "all admissible actions of that state", ("TextWorld", "TextWorldExpress"), "under 0.6 ms"
    ),
    PeerRow.TURN: PeerQuestion(
        "a turn, trace written",
        ("Concordia",),
        "under 1 ms beyond the disk's own sync; under 3 KB; no growth",
    ),
    PeerRow.CALLS: PeerQuestion("model calls a turn", ("Concordia",), "1 to 2"),
    PeerRow.PROMPT: PeerQuestion("prompt a turn", ("Concordia",), "under 8k characters"),
    PeerRow.SAME_PROMPTS: PeerQuestion(
        "same prompts in two processes with the same model answers", ("Concordia",), "all"
    ),
    PeerRow.RESTORE: PeerQuestion(
        "clone or restore a state", ("TextWorld", "Jericho"), "under 0.05 ms"
    ),
    PeerRow.SAMPLE: PeerQuestion(
        "a one-call sample in an experiment", ("inspect-ai",), "under 2 ms, offline"
    ),
    PeerRow.CHECK: PeerQuestion(
        "compile and check a story of 10,000 lines, fresh process",
        ("inkjs", "Ren'Py"),
        "under 400 ms",
    ),
    PeerRow.STEPS: PeerQuestion("steps a second on it", ("inkjs", "bink"), "over 500,000"),
    PeerRow.SAVE: PeerQuestion("save and restore in mid-story", ("inkjs",), "under 0.3 ms, 4 KB"),
    PeerRow.MEMORY: PeerQuestion("peak memory for the story", ("inkjs",), "under 60 MB"),
    PeerRow.DURABLE: PeerQuestion(
        "durable gate events a second, one writer",
        ("LangGraph", "DBOS", "Burr"),
        "over 90 % of the disk's own append-and-sync, flat to 100,000 rows",
    ),
    PeerRow.IN_MEMORY: PeerQuestion(
        "the same in memory", ("XState", "transitions", "python-statemachine"), "over 200,000"
    ),
    PeerRow.ITERATION: PeerQuestion(
        "an agent iteration with a stub model",
        ("LangGraph", "pydantic-ai", "OpenAI Agents SDK"),
        "under 0.2 ms, flat",
    ),
    PeerRow.COLD_START: PeerQuestion(
        "cold start of the command line",
        ("TextWorld", "inspect-ai", "Evennia"),
        "under 0.25 s to the first help line",
    ),
    PeerRow.PACKAGES: PeerQuestion(
        "packages to install",
        ("TextWorld", "inspect-ai", "Evennia", "Concordia"),
        "core under 15; the rest in extras",
    ),
}
