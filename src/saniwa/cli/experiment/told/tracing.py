"""Cells and turns as people read them: told, said, refused, guided, kept."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from saniwa.cli.tally import counted

if TYPE_CHECKING:
    from saniwa.agent.oracle import Request
    from saniwa.experiment.cell import Cell
    from saniwa.experiment.outcome import Attempt, Intent, Outcome, Passage


def cell_line(cell: "Cell", outcome: "Outcome | None") -> str:
    """A cell in one line."""
    head = f"  {cell.number:>4}  {cell.key}"
    if outcome is None:
        return f"{head}  not done"
    told = [counted(len(outcome.passages), "turn")]
    refused = sum(len(each.first.refused) for each in outcome.passages)
    if refused:
        told.append(f"{refused} refused")
    given_up = sum(each.give_up for each in outcome.passages)
    if given_up:
        told.append(f"{given_up} given up")
    if outcome.error:
        told.append(f"ended with {outcome.error}")
    elif outcome.stopped:
        told.append(outcome.stopped)
    return f"{head}  {', '.join(told)}"


def talk_of(outcome: "Outcome") -> Iterator[str]:
    """A cell as a talk: what stood in the end, and what became of the rest."""
    yield outcome.key
    for passage in outcome.passages:
        final = passage.final
        deeds = " ".join(_deed(intent) for intent in final.intents if _is_deed(intent))
        said = " ".join(filter(None, (deeds, _flat(final.speech))))
        yield f"{passage.number + 1:>3}  {passage.speaker_name}: {said or '(nothing)'}"
        for attempt in passage.attempts[:-1]:
            yield f"       {_refusal(attempt)}; tried again"
        if passage.give_up:
            yield f"       {_refusal(final)}; given up, only the words stand"
        elif final.refused:
            yield f"       {_refusal(final)}; it did not happen"
    if outcome.error:
        yield f"ended with [{outcome.error}] {outcome.error_message}"
    elif outcome.stopped:
        yield f"ended: {outcome.stopped}"


def trace_of(passage: "Passage", told: "Sequence[Request]") -> Iterator[str]:
    """One turn, attempt by attempt, with the prompts it was asked by."""
    yield f"turn {passage.number + 1}: {passage.speaker_name}"
    for number, attempt in enumerate(passage.attempts):
        yield ""
        yield f"attempt {number + 1}, seed {attempt.seed}"
        if number < len(told):
            yield from _part("told", _words(told[number], first=number == 0))
        yield from _part("said", attempt.raw_output)
        yield from _judged(attempt)
        yield from _part(
            "guided" if number + 1 < len(passage.attempts) else "card", attempt.card
        )
    yield ""
    yield from _kept(passage)


def _judged(attempt: "Attempt") -> Iterator[str]:
    if attempt.break_type != "NONE":
        steps = counted(attempt.repair_steps, "step")
        yield f"  format: {attempt.break_type}, {attempt.repair_method} in {steps}"
    for intent in attempt.intents:
        if intent.allowed:
            yield f"  allowed: {_deed(intent)}"
        else:
            yield (
                f"  refused: {_deed(intent)}: {intent.deny_code} "
                f"({intent.reason_code}, check {intent.check or 'none'}): {intent.message}"
            )
    for deed in attempt.unread:
        yield f"  not understood: {_flat(deed)}"
    if attempt.question:
        yield f"  unclear: {_flat(attempt.question)}"


def _kept(passage: "Passage") -> Iterator[str]:
    applied = len(passage.turn.applied_actions)
    yield f"kept: {counted(applied, 'action')}, {counted(len(passage.turn.changes), 'change')}"
    if passage.give_up:
        yield f"  given up: {passage.fail_reason}"
    elif passage.silent_correction:
        yield "  corrected silently: another deed, and no apology"
    if passage.addressing:
        yield f"  spoke to somebody who cannot hear: {passage.addressing}"
    yield f"  stall {passage.stall_score:g} ({passage.severity})"
    for card in passage.fact_cards:
        yield f"  the next speaker is told {card}"


def _words(request: "Request", *, first: bool) -> str:
    said = request.messages[-1].text
    return f"{request.system}\n\n{said}" if first else said


def _part(label: str, text: str) -> Iterator[str]:
    if not text:
        return
    yield f"  {label}:"
    for line in text.split("\n"):
        yield f"    | {line}"


def _refusal(attempt: "Attempt") -> str:
    if not attempt.refused:
        return f"unclear: {_flat(attempt.question)}"
    first = attempt.refused[0]
    return f"refused {first.deny_code}: {_deed(first)}: {first.message}"


def _deed(intent: "Intent") -> str:
    target = f" {_flat(intent.target)}" if intent.target else ""
    return f"*{intent.type}{target}*"


def _is_deed(intent: "Intent") -> bool:
    return intent.type != "speak"


def _flat(text: str) -> str:
    return " ".join(text.split())
