"""The columns of `examples_index.csv`: one row a turn, one thing a column.

docs/reference/results.md says what each of them holds.
"""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from saniwa.experiment.layout import (
    ARTIFACTS,
    folder_name,
    parsed_name,
    raw_name,
    repaired_name,
)
from saniwa.experiment.outcome import Attempt, Intent, Outcome, Passage
from saniwa.experiment.plan import Condition
from saniwa.experiment.playing.intents import alters

Value = str | int | float | bool
"""What stands in one cell of the table."""


class Row(NamedTuple):
    """A turn, with what it is part of."""

    experiment_id: str
    """The experiment."""
    condition: Condition
    """How it was played."""
    outcome: Outcome
    """The cell it is part of."""
    passage: Passage
    """The turn."""

    @property
    def first(self) -> Attempt:
        """The answer before anybody said anything to it."""
        return self.passage.first

    @property
    def final(self) -> Attempt:
        """The answer that stands."""
        return self.passage.final

    @property
    def blocked(self) -> Intent | None:
        """The first refusal of the turn; None where nothing was refused."""
        refused = self.first.refused or self.final.refused
        return refused[0] if refused else None


def _listed(words: Iterable[str]) -> str:
    return "; ".join(words)


def _meant(attempt: Attempt) -> str:
    return _listed(f"{each.intent} {each.target}".rstrip() for each in attempt.intents)


def _codes(attempt: Attempt) -> str:
    return _listed(each.deny_code for each in attempt.refused)


def _invented(passage: Passage) -> str:
    intents = (each for tried in passage.attempts for each in tried.refused)
    return _listed(sorted({each.target for each in intents if each.invented}))


def _total(name: str) -> Callable[[Row], int]:
    return lambda row: sum(getattr(each, name) for each in row.passage.attempts)


def _path(row: Row, name: str) -> str:
    return f"{ARTIFACTS}/{folder_name(row.outcome.key)}/{name}"


def _repaired_path(row: Row) -> str:
    if row.final.repaired_output is None:
        return ""
    return _path(row, repaired_name(row.passage.number))


def _blocked(name: str) -> Callable[[Row], str]:
    return lambda row: getattr(row.blocked, name) if row.blocked else ""


COLUMNS: Final[dict[str, Callable[[Row], Value]]] = {
    "experiment_id": lambda row: row.experiment_id,
    "session_id": lambda row: row.outcome.key,
    "condition": lambda row: row.condition.name,
    "inject": lambda row: row.condition.inject,
    "gm": lambda row: row.condition.gm,
    "model": lambda row: row.condition.model,
    "temperature": lambda row: row.condition.temperature,
    "rulebook": lambda row: row.condition.rulebook,
    "prompt": lambda row: row.condition.prompt,
    "language": lambda row: row.condition.language,
    "faults": lambda row: row.condition.faults,
    "scenario": lambda row: row.outcome.scenario,
    "seed": lambda row: row.outcome.seed,
    "turn_number": lambda row: row.passage.number,
    "speaker": lambda row: row.passage.speaker,
    "speaker_name": lambda row: row.passage.speaker_name,
    "thought": lambda row: row.final.thought,
    "speech": lambda row: row.final.speech,
    "raw_output": lambda row: row.final.raw_output,
    "raw_letters": lambda row: len(row.final.raw_output),
    "finish": lambda row: row.final.finish,
    "first_intents": lambda row: _meant(row.first),
    "final_intents": lambda row: _meant(row.final),
    "first_try_valid": lambda row: row.first.valid,
    "final_valid": lambda row: row.final.valid,
    "first_deny_codes": lambda row: _codes(row.first),
    "final_deny_codes": lambda row: _codes(row.final),
    "first_refused": lambda row: len(row.first.refused),
    "final_refused": lambda row: len(row.final.refused),
    "blocked_target": _blocked("target"),
    "blocked_reason_code": _blocked("reason_code"),
    "blocked_check": _blocked("check"),
    "blocked_message": _blocked("message"),
    "invented": lambda row: _invented(row.passage),
    "question": lambda row: row.final.question,
    "unread": lambda row: _listed(row.final.unread),
    "retries": lambda row: len(row.passage.attempts) - 1,
    "retry_success": lambda row: len(row.passage.attempts) > 1 and row.final.valid,
    "give_up": lambda row: row.passage.give_up,
    "fail_reason": lambda row: row.passage.fail_reason,
    "silent_correction": lambda row: row.passage.silent_correction,
    "format_break_triggered": lambda row: row.final.break_type != "NONE",
    "break_type": lambda row: row.final.break_type,
    "repair_method": lambda row: row.final.repair_method,
    "repair_steps": lambda row: row.final.repair_steps,
    "repaired": lambda row: row.final.repaired_output is not None,
    "parser_error": lambda row: row.final.parser_error,
    "trigger": lambda row: row.passage.trigger,
    "fact_cards": lambda row: _listed(row.passage.fact_cards),
    "stall_score": lambda row: row.passage.stall_score,
    "severity": lambda row: row.passage.severity,
    "stall_event": lambda row: row.passage.stall_event,
    "addressing": lambda row: row.passage.addressing,
    "world_changed": lambda row: alters(row.passage.turn),
    "world_before": lambda row: row.passage.turn.world_before,
    "world_after": lambda row: row.passage.turn.world_after,
    "latency_ms": _total("latency_ms"),
    "input_tokens": _total("input_tokens"),
    "output_tokens": _total("output_tokens"),
    "cost_microdollars": _total("cost"),
    "raw_output_path": lambda row: _path(row, raw_name(row.passage.number)),
    "repaired_output_path": _repaired_path,
    "parsed_path": lambda row: _path(row, parsed_name(row.passage.number)),
}
"""What each column holds, in order."""
