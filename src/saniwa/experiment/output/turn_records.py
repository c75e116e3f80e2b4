"""Builds the records of turns: rows of `examples_index.csv`, entries of the turns log.

docs/reference/results.md describes every column.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final, Literal, NamedTuple

import msgspec
from msgspec.structs import asdict

from saniwa.core.text import escape_formulas, format_csv_row, replace_surrogates, truncate
from saniwa.experiment.answer_intents import has_changed_world
from saniwa.experiment.cell_outcome import AnswerAttempt, CellOutcome, CellTurn, Intent
from saniwa.experiment.output import output_folder
from saniwa.experiment.output.output_folder import make_visible_line
from saniwa.experiment.plan import Condition
from saniwa.turn.record import Turn

ColumnKind = Literal["text", "whole", "decimal", "flag"]
"""The type of a column: a text, a whole number, a decimal, true or false."""
ColumnValue = str | int | float | bool
"""The value of one field of the table."""


class ExampleRow(NamedTuple):
    """A turn, with what it is part of."""

    experiment_id: str
    """The id of the experiment."""
    condition: Condition
    """The condition it was played in."""
    outcome: CellOutcome
    """The cell it is part of."""
    passage: CellTurn
    """The turn."""

    @property
    def first(self) -> AnswerAttempt:
        """The first answer, before any guidance."""
        return self.passage.first

    @property
    def final(self) -> AnswerAttempt:
        """The final answer."""
        return self.passage.final

    @property
    def blocked_intent(self) -> Intent | None:
        """The first refusal of the turn; None if nothing was refused."""
        refused = self.first.refused_intents or self.final.refused_intents
        return refused[0] if refused else None


def _join_words(words: Iterable[str]) -> str:
    return "; ".join(words)


def _list_intents(attempt: AnswerAttempt) -> str:
    return _join_words(each.summary for each in attempt.intents)


def _list_codes(attempt: AnswerAttempt) -> str:
    return _join_words(each.deny_code for each in attempt.refused_intents)


def _list_inventions(passage: CellTurn) -> str:
    intents = (each for tried in passage.attempts for each in tried.refused_intents)
    return _join_words(sorted({each.target for each in intents if each.invented}))


def _make_total(name: str) -> Callable[[ExampleRow], int]:
    return lambda row: sum(getattr(each, name) for each in row.passage.attempts)


def _make_path(row: ExampleRow, name: str) -> str:
    return f"{output_folder.ARTIFACTS}/{output_folder.make_folder_name(row.outcome.key)}/{name}"


def _make_repaired_path(row: ExampleRow) -> str:
    if row.final.repaired_output is None:
        return ""
    return _make_path(row, output_folder.name_repaired_file(row.passage.number))


def _find_temperature(row: ExampleRow) -> float | None:
    """Return the temperature as it was sent; None if the model was not sent one."""
    return None if "temperature" in row.final.unsent else row.condition.temperature


def _make_blocked(name: str) -> Callable[[ExampleRow], str]:
    return lambda row: getattr(row.blocked_intent, name) if row.blocked_intent else ""


class ExampleColumn(NamedTuple):
    """A column of the table."""

    kind: ColumnKind
    """Its type."""
    told: Callable[[ExampleRow], ColumnValue | None]
    """Returns its value for a turn."""


_text: Final = partial(ExampleColumn, "text")
_whole: Final = partial(ExampleColumn, "whole")
_decimal: Final = partial(ExampleColumn, "decimal")
_flag: Final = partial(ExampleColumn, "flag")

EXAMPLE_COLUMNS: Final[dict[str, ExampleColumn]] = {
    "experiment_id": _text(lambda row: row.experiment_id),
    "session_id": _text(lambda row: row.outcome.key),
    "condition": _text(lambda row: row.condition.name),
    "inject": _flag(lambda row: row.condition.inject),
    "gm": _flag(lambda row: row.condition.gm),
    "model": _text(lambda row: row.condition.model),
    "temperature": _decimal(_find_temperature),
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
    "first_intents": _text(lambda row: _list_intents(row.first)),
    "final_intents": _text(lambda row: _list_intents(row.final)),
    "first_try_valid": _flag(lambda row: row.first.is_valid),
    "final_valid": _flag(lambda row: row.final.is_valid),
    "first_deny_codes": _text(lambda row: _list_codes(row.first)),
    "final_deny_codes": _text(lambda row: _list_codes(row.final)),
    "first_refused": _whole(lambda row: len(row.first.refused_intents)),
    "final_refused": _whole(lambda row: len(row.final.refused_intents)),
    "blocked_target": _text(_make_blocked("target")),
    "blocked_reason_code": _text(_make_blocked("reason_code")),
    "blocked_check": _text(_make_blocked("check")),
    "blocked_message": _text(_make_blocked("message")),
    "invented": _text(lambda row: _list_inventions(row.passage)),
    "question": _text(lambda row: row.final.question),
    "unread": _text(lambda row: _join_words(row.final.unread)),
    "retries": _whole(lambda row: len(row.passage.attempts) - 1),
    "retry_success": _flag(lambda row: len(row.passage.attempts) > 1 and row.final.is_valid),
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
    "fact_cards": _text(lambda row: _join_words(row.passage.fact_cards)),
    "stall_score": _decimal(lambda row: row.passage.stall_score),
    "severity": _text(lambda row: row.passage.severity),
    "stall_event": _flag(lambda row: row.passage.stall_event),
    "addressing": _text(lambda row: row.passage.addressing),
    "world_changed": _flag(lambda row: has_changed_world(row.passage.turn)),
    "world_before": _text(lambda row: row.passage.turn.world_before),
    "world_after": _text(lambda row: row.passage.turn.world_after),
    "latency_ms": _whole(_make_total("latency_ms")),
    "input_tokens": _whole(_make_total("input_tokens")),
    "output_tokens": _whole(_make_total("output_tokens")),
    "cost_microdollars": _whole(_make_total("cost")),
    "raw_output_path": _text(
        lambda row: _make_path(row, output_folder.name_raw_file(row.passage.number))
    ),
    "repaired_output_path": _text(_make_repaired_path),
    "parsed_path": _text(
        lambda row: _make_path(row, output_folder.name_parsed_file(row.passage.number))
    ),
}
"""The columns, in order."""


LONGEST_TEXT: Final = 500
"""The most characters of a text in the table."""


def render_rows(experiment_id: str, condition: Condition, outcome: CellOutcome) -> Iterator[bytes]:
    """Render the lines of a cell, one per turn."""
    for passage in outcome.passages:
        row = ExampleRow(experiment_id, condition, outcome, passage)
        values = (column.told(row) for column in EXAMPLE_COLUMNS.values())
        yield format_csv_row(to_csv_field(_shorten_text(value)) for value in values).encode()


def to_csv_field(value: ColumnValue | None) -> str:
    """Format a field of a table for spreadsheets; empty for None.

    Texts are put on one line, because programs disagree about line ends within a field;
    invisible characters are escaped, and no text can be read as a formula.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return escape_formulas(make_visible_line(replace_surrogates(value)))


def _shorten_text(value: ColumnValue | None) -> ColumnValue | None:
    return truncate(value, LONGEST_TEXT) if isinstance(value, str) else value


_TURN_FIELDS = (
    "speaker",
    "speaker_name",
    "give_up",
    "fail_reason",
    "silent_correction",
    "trigger",
    "fact_cards",
    "stall_score",
    "severity",
    "stall_event",
    "addressing",
)
_FORMAT_FIELDS = ("break_type", "repair_method", "repair_steps", "parser_error")


def build_turn_entry(experiment_id: str, outcome: CellOutcome, passage: CellTurn) -> dict[str, Any]:
    """Return everything that is known about a turn, with all defaults written out."""
    final = passage.final
    return {
        "experiment_id": experiment_id,
        "session_id": outcome.key,
        "condition": outcome.condition,
        "scenario": outcome.scenario,
        "seed": outcome.seed,
        "turn_number": passage.number,
        **{name: getattr(passage, name) for name in _TURN_FIELDS},
        "raw_output": final.raw_output,
        "repaired_output": final.repaired_output,
        "parsed": {
            "thought": final.thought,
            "speech": final.speech,
            "action_intents": [*map(asdict, final.intents)],
            "unread": final.unread,
            "question": final.question,
            **{name: getattr(final, name) for name in _FORMAT_FIELDS},
        },
        "verdicts": _encode_verdicts(passage.turn),
        "changes": msgspec.to_builtins(passage.turn.changes),
        "rejections": msgspec.to_builtins(passage.turn.rejections),
        "world_before": passage.turn.world_before,
        "world_after": passage.turn.world_after,
        "book": passage.turn.book,
        "attempts": [_encode_attempt(each) for each in passage.attempts],
        "guidance_cards": [each.card for each in passage.attempts if each.card],
        "latency_ms": sum(each.latency_ms for each in passage.attempts),
    }


def build_parsed(passage: CellTurn) -> dict[str, Any]:
    """Return what was parsed from the final answer, and from the first one."""
    final = passage.final
    return {
        "turn_number": passage.number,
        "speaker": passage.speaker_name,
        "thought": final.thought,
        "speech": final.speech,
        "action_intents": [
            {"intent": each.intent, "target": each.target, "detail": each.detail}
            for each in final.intents
        ],
        "raw_action_intents": [*map(asdict, passage.first.intents)],
        "final_action_intents": [*map(asdict, final.intents)],
        "format_break_triggered": final.break_type != "NONE",
        **{name: getattr(final, name) for name in _FORMAT_FIELDS},
        "parse_attempts": 1 + final.repair_steps,
        "repaired": final.repaired_output is not None,
        "repair_notes": describe_repair(final),
    }


def describe_repair(attempt: AnswerAttempt) -> str:
    """Describe how an answer was repaired; empty if it was not."""
    if attempt.repaired_output is None:
        return ""
    steps = "1 step" if attempt.repair_steps == 1 else f"{attempt.repair_steps} steps"
    return f"{attempt.break_type} repaired by {attempt.repair_method} in {steps}"


def _encode_attempt(attempt: AnswerAttempt) -> dict[str, Any]:
    return asdict(attempt) | {"intents": [*map(asdict, attempt.intents)], "valid": attempt.is_valid}


def _encode_verdicts(turn: Turn) -> list[dict[str, Any]]:
    """Return each action with the rule that decided it."""
    encoded = []
    for action, verdict in zip(turn.normalized_actions, turn.validation_results, strict=True):
        fields = {"action": msgspec.to_builtins(action)} | asdict(verdict)
        # Only crafts have effects.
        if effects := fields.pop("effects"):
            fields["effects"] = msgspec.to_builtins(effects)
        encoded.append(fields)
    return encoded
