"""What is asked of us: the rows of the table of peers, each under a short name.

A row of the result says which of them it answers; a test sees that none is forgotten.
"""

from enum import StrEnum
from typing import NamedTuple


class Asked(StrEnum):
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


class Question(NamedTuple):
    """What a row of the table of peers says."""

    work: str
    """What is done."""
    beside: tuple[str, ...]
    """Whom it is to be measured beside, as their names begin in our table."""
    mark: str
    """What we are to reach."""


QUESTIONS: dict[Asked, Question] = {
    Asked.ACTION: Question(
        "decide and apply one action, 20 rooms, 40 things",
        ("TextWorld",),
        "under 0.05 ms, flat to 100,000 entities",
    ),
    Asked.ACTION_TOO: Question("the same", ("Evennia", "Jericho"), ""),
    Asked.ADMISSIBLE: Question(
        "all admissible actions of that state", ("TextWorld", "TextWorldExpress"), "under 0.6 ms"
    ),
    Asked.TURN: Question(
        "a turn, trace written",
        ("Concordia",),
        "under 1 ms beyond the disk's own sync; under 3 KB; no growth",
    ),
    Asked.CALLS: Question("model calls a turn", ("Concordia",), "1 to 2"),
    Asked.PROMPT: Question("prompt a turn", ("Concordia",), "under 8k characters"),
    Asked.SAME_PROMPTS: Question(
        "same model answers, two processes: same prompts", ("Concordia",), "all"
    ),
    Asked.RESTORE: Question("clone or restore a state", ("TextWorld", "Jericho"), "under 0.05 ms"),
    Asked.SAMPLE: Question(
        "a one-call sample in an experiment", ("inspect-ai",), "under 2 ms, offline"
    ),
    Asked.CHECK: Question(
        "compile and check a story of 10,000 lines, fresh process",
        ("inkjs", "Ren'Py"),
        "under 400 ms",
    ),
    Asked.STEPS: Question("steps a second on it", ("inkjs", "bink"), "over 500,000"),
    Asked.SAVE: Question("save and restore in mid-story", ("inkjs",), "under 0.3 ms, 4 KB"),
    Asked.MEMORY: Question("peak memory for it", ("inkjs",), "under 60 MB"),
    Asked.DURABLE: Question(
        "durable gate events a second, one writer",
        ("LangGraph", "DBOS", "Burr"),
        "over 90 % of the disk's own append-and-sync, flat to 100,000 rows",
    ),
    Asked.IN_MEMORY: Question(
        "the same in memory", ("XState", "transitions", "python-statemachine"), "over 200,000"
    ),
    Asked.ITERATION: Question(
        "an agent iteration with a stub model",
        ("LangGraph", "pydantic-ai", "OpenAI Agents SDK"),
        "under 0.2 ms, flat",
    ),
    Asked.COLD_START: Question(
        "cold start of the command line",
        ("TextWorld", "inspect-ai", "Evennia"),
        "under 0.25 s to the first help line",
    ),
    Asked.PACKAGES: Question(
        "packages to install",
        ("TextWorld", "inspect-ai", "Evennia", "Concordia"),
        "core under 15; the rest in extras",
    ),
}
