"""The columns of `examples_index.csv`: one row a turn, one thing a column.

docs/reference/results.md says what each of them holds.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, Literal, NamedTuple

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

Kind = Literal["text", "whole", "decimal", "flag"]
"""What a column holds: a text, a whole number, a decimal, true or false."""
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
    return _listed(each.short for each in attempt.intents)


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


def _temperature(row: Row) -> float | None:
    """As it was sent; nothing where the model was not given one."""
    return None if "temperature" in row.final.unsent else row.condition.temperature


def _blocked(name: str) -> Callable[[Row], str]:
    return lambda row: getattr(row.blocked, name) if row.blocked else ""


class Column(NamedTuple):
    """One column."""

    kind: Kind
    """What it holds."""
    told: Callable[[Row], Value | None]
    """What stands in it for a turn."""


_text: Final = partial(Column, "text")
_whole: Final = partial(Column, "whole")
_decimal: Final = partial(Column, "decimal")
_flag: Final = partial(Column, "flag")

COLUMNS: Final[dict[str, Column]] = {
    "experiment_id": _text(lambda row: row.experiment_id),
    "session_id": _text(lambda row: row.outcome.key),
    "condition": _text(lambda row: row.condition.name),
    "inject": _flag(lambda row: row.condition.inject),
    "gm": _flag(lambda row: row.condition.gm),
    "model": _text(lambda row: row.condition.model),
    "temperature": _decimal(_temperature),
    "rulebook": _text(lambda row: row.condition.rulebook),
    "prompt": _text(lambda row: row.condition.prompt),
    "language": _text(lambda row: row.condition.language),
    "faults": _text(lambda row: row.condition.faults),
    "scenario": _text(lambda row: row.outcome.scenario),
    "seed": _whole(lambda row: row.outcome.seed),
    "turn_number": _whole(lambda row: row.passage.number),
    "speaker": _text(lambda row: row.passage.speaker),
    "speaker_name": _text(lambda row: row.passage.speaker_name),
    "thought": _text(lambda row: row.final.thought),
    "speech": _text(lambda row: row.final.speech),
    "raw_output": _text(lambda row: row.final.raw_output),
    "raw_letters": _whole(lambda row: len(row.final.raw_output)),
    "finish": _text(lambda row: row.final.finish),
    "first_intents": _text(lambda row: _meant(row.first)),
    "final_intents": _text(lambda row: _meant(row.final)),
    "first_try_valid": _flag(lambda row: row.first.valid),
    "final_valid": _flag(lambda row: row.final.valid),
    "first_deny_codes": _text(lambda row: _codes(row.first)),
    "final_deny_codes": _text(lambda row: _codes(row.final)),
    "first_refused": _whole(lambda row: len(row.first.refused)),
    "final_refused": _whole(lambda row: len(row.final.refused)),
    "blocked_target": _text(_blocked("target")),
    "blocked_reason_code": _text(_blocked("reason_code")),
    "blocked_check": _text(_blocked("check")),
    "blocked_message": _text(_blocked("message")),
    "invented": _text(lambda row: _invented(row.passage)),
    "question": _text(lambda row: row.final.question),
    "unread": _text(lambda row: _listed(row.final.unread)),
    "retries": _whole(lambda row: len(row.passage.attempts) - 1),
    "retry_success": _flag(
        lambda row: len(row.passage.attempts) > 1 and row.final.valid
    ),
    "give_up": _flag(lambda row: row.passage.give_up),
    "fail_reason": _text(lambda row: row.passage.fail_reason),
    "silent_correction": _flag(lambda row: row.passage.silent_correction),
    "format_break_triggered": _flag(lambda row: row.final.break_type != "NONE"),
    "break_type": _text(lambda row: row.final.break_type),
    "repair_method": _text(lambda row: row.final.repair_method),
    "repair_steps": _whole(lambda row: row.final.repair_steps),
    "repaired": _flag(lambda row: row.final.repaired_output is not None),
    "parser_error": _text(lambda row: row.final.parser_error),
    "trigger": _text(lambda row: row.passage.trigger),
    "fact_cards": _text(lambda row: _listed(row.passage.fact_cards)),
    "stall_score": _decimal(lambda row: row.passage.stall_score),
    "severity": _text(lambda row: row.passage.severity),
    "stall_event": _flag(lambda row: row.passage.stall_event),
    "addressing": _text(lambda row: row.passage.addressing),
    "world_changed": _flag(lambda row: alters(row.passage.turn)),
    "world_before": _text(lambda row: row.passage.turn.world_before),
    "world_after": _text(lambda row: row.passage.turn.world_after),
    "latency_ms": _whole(_total("latency_ms")),
    "input_tokens": _whole(_total("input_tokens")),
    "output_tokens": _whole(_total("output_tokens")),
    "cost_microdollars": _whole(_total("cost")),
    "raw_output_path": _text(lambda row: _path(row, raw_name(row.passage.number))),
    "repaired_output_path": _text(_repaired_path),
    "parsed_path": _text(lambda row: _path(row, parsed_name(row.passage.number))),
}
"""The columns, in order."""
