"""One turn as data: its entry in `turns_log.json`, and its `_parsed.json`."""

from typing import Any

import msgspec

from saniwa.experiment.outcome import Attempt, Intent, Outcome, Passage
from saniwa.rulebook.verdict import Verdict
from saniwa.turn.trace import Turn

_TOLD = (
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
_FORM = ("break_type", "repair_method", "repair_steps", "parser_error")


def turn_entry(
    experiment_id: str, outcome: Outcome, passage: Passage
) -> dict[str, Any]:
    """Everything that is known of a turn, defaults written out."""
    final = passage.final
    return {
        "experiment_id": experiment_id,
        "session_id": outcome.key,
        "condition": outcome.condition,
        "scenario": outcome.scenario,
        "seed": outcome.seed,
        "turn_number": passage.number,
        **{name: getattr(passage, name) for name in _TOLD},
        "raw_output": final.raw_output,
        "repaired_output": final.repaired_output,
        "parsed": _understood(final),
        "verdicts": _verdicts(passage.turn),
        "changes": msgspec.to_builtins(passage.turn.changes),
        "rejections": msgspec.to_builtins(passage.turn.rejections),
        "world_before": passage.turn.world_before,
        "world_after": passage.turn.world_after,
        "book": passage.turn.book,
        "attempts": [_attempt(each) for each in passage.attempts],
        "guidance_cards": [each.card for each in passage.attempts if each.card],
        "latency_ms": sum(each.latency_ms for each in passage.attempts),
    }


def parsed_of(passage: Passage) -> dict[str, Any]:
    """What was read in the answer that stands, and in the first one beside it."""
    final = passage.final
    return {
        "turn_number": passage.number,
        "speaker": passage.speaker_name,
        "thought": final.thought,
        "speech": final.speech,
        "action_intents": [_claim(each) for each in final.intents],
        "raw_action_intents": [intent_record(i) for i in passage.first.intents],
        "final_action_intents": [intent_record(i) for i in final.intents],
        "format_break_triggered": final.break_type != "NONE",
        **{name: getattr(final, name) for name in _FORM},
        "parse_attempts": 1 + final.repair_steps,
        "repaired": final.repaired_output is not None,
        "repair_notes": repair_notes(final),
    }


def repair_notes(attempt: Attempt) -> str:
    """How an answer was repaired, in a few words; empty where it was not."""
    if attempt.repaired_output is None:
        return ""
    steps = "1 step" if attempt.repair_steps == 1 else f"{attempt.repair_steps} steps"
    return f"{attempt.break_type} repaired by {attempt.repair_method} in {steps}"


def intent_record(intent: Intent) -> dict[str, Any]:
    """An intent with all its fields."""
    return msgspec.structs.asdict(intent)


def _claim(intent: Intent) -> dict[str, str]:
    return {
        "intent": intent.intent,
        "target": intent.target,
        "detail": intent.detail,
    }


def _understood(attempt: Attempt) -> dict[str, Any]:
    return {
        "thought": attempt.thought,
        "speech": attempt.speech,
        "action_intents": [intent_record(each) for each in attempt.intents],
        "unread": attempt.unread,
        "question": attempt.question,
        **{name: getattr(attempt, name) for name in _FORM},
    }


def _attempt(attempt: Attempt) -> dict[str, Any]:
    fields = msgspec.structs.asdict(attempt)
    return fields | {
        "intents": [intent_record(each) for each in attempt.intents],
        "valid": attempt.valid,
    }


def _verdicts(turn: Turn) -> list[dict[str, Any]]:
    """Each action with the rule that decided about it."""
    judged = zip(turn.normalized_actions, turn.validation_results, strict=True)
    return [
        {"action": msgspec.to_builtins(action)} | _verdict(verdict)
        for action, verdict in judged
    ]


def _verdict(verdict: Verdict) -> dict[str, Any]:
    """All its fields; effects only where there are some, as only a craft has them."""
    fields = msgspec.structs.asdict(verdict)
    effects = fields.pop("effects")
    return fields | ({"effects": msgspec.to_builtins(effects)} if effects else {})
