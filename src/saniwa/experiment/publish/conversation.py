"""`CONVERSATION_REPORT.md`: the talk, cell by cell, with what was refused and repaired."""

from collections.abc import Iterator
from typing import Final

from saniwa.core.quoted import cut
from saniwa.core.sound import sound
from saniwa.experiment.layout import ARTIFACTS, folder_name
from saniwa.experiment.outcome import Attempt, Intent, Outcome, Passage
from saniwa.experiment.plan import Condition, Plan
from saniwa.experiment.publish.breaks import Breaks
from saniwa.experiment.publish.turns import repair_notes
from saniwa.experiment.shown import in_markdown

LONGEST: Final = 600
"""Letters of a text on the page; the whole stands beside the turn."""
_SHORT: Final = 120


def opening(plan: Plan) -> str:
    """The head of the page."""
    question = f"\nQuestion: {_said(plan.question)}\n" if plan.question else ""
    return (
        f"# Conversations: {_named(plan.experiment_id)}\n{question}\n"
        f"Texts are cut after {LONGEST} letters; whole ones are in `{ARTIFACTS}/`, in the"
        " folder of each conversation.\n"
        f"\n{_legend(plan)}"
    )


def cell_part(condition: Condition, outcome: Outcome) -> Iterator[str]:
    """One conversation."""
    yield f"\n## Conversation {_named(outcome.key)}\n\n"
    yield f"Condition {_named(condition.name)}, scenario {_named(outcome.scenario)}, "
    yield f"seed {outcome.seed}. Files: {_named(folder_name(outcome.key))}\n\n"
    for passage in outcome.passages:
        yield from _turn(passage)
    yield f"\nThe end: {_ending(outcome)}\n"


def closing(breaks: Breaks) -> Iterator[str]:
    """The examples of answers that broke the format."""
    yield "\n# Format breaks\n"
    if not breaks.conditions():
        yield "\nNo answer broke the format.\n"
    for name in breaks.conditions():
        examples = breaks.worst(name)
        yield f"\n## In condition {_named(name)}\n\n"
        yield f"{breaks.count(name)} in all; the {len(examples)} that took most steps:\n\n"
        for example in examples:
            attempt = example.attempt
            where = (
                f"{_named(example.key)}, turn {example.turn + 1}, "
                f"attempt {attempt.number + 1}"
            )
            yield f"- {where}: {_form(attempt)}\n"
            yield f"  - came as: {_said(attempt.raw_output)}\n"
            if attempt.repaired_output is not None:
                yield f"  - read as: {_said(attempt.repaired_output)}\n"


def _legend(plan: Plan) -> str:
    told = {True: "on", False: "off"}
    rows = (
        f"| {_named(each.name)} | {told[each.inject]} | {told[each.gm]} |\n"
        for each in plan.conditions
    )
    return f"| Condition | Inject | Game master |\n|---|---|---|\n{''.join(rows)}"


def _turn(passage: Passage) -> Iterator[str]:
    final = passage.final
    who = f"{passage.number:03d} {_named(passage.speaker_name)}"
    yield f"- **{who}**: {_said(final.speech)}\n"
    for attempt in passage.attempts[:-1]:
        yield f"  - first: {_said(attempt.speech)}\n"
        yield from _judged(attempt, "    ")
    yield from _judged(final, "  ")
    yield from (f"  - {each}\n" for each in _remarks(passage))


def _judged(attempt: Attempt, indent: str) -> Iterator[str]:
    for each in attempt.intents:
        if not each.allowed:
            yield f"{indent}- refused: {_refusal(each)}\n"
        elif each.is_deed:
            yield f"{indent}- allowed: {_deed(each)}\n"
    if attempt.unread:
        words = ", ".join(_named(each) for each in attempt.unread)
        yield f"{indent}- not understood: {words}\n"
    if attempt.break_type != "NONE":
        yield f"{indent}- {_form(attempt)}\n"


def _remarks(passage: Passage) -> Iterator[str]:
    if passage.give_up:
        yield f"given up after {len(passage.attempts)} answers; only the speech stands"
    if passage.silent_correction:
        yield "corrected without an apology"
    if passage.addressing:
        yield f"speaks to {_named(passage.addressing)}, who cannot hear it"
    if passage.stall_event:
        yield f"the talk stands still (score {passage.stall_score})"
    for card in passage.fact_cards:
        yield f"game master: {_said(card)}"


def _refusal(intent: Intent) -> str:
    rule = f" by {_named(intent.check)}" if intent.check else ""
    code = _named(intent.deny_code)
    return f"{_deed(intent)}: {code}{rule}. {_said(intent.message)}"


def _deed(intent: Intent) -> str:
    return _named(intent.short)


def _form(attempt: Attempt) -> str:
    notes = repair_notes(attempt) or f"{attempt.break_type}, not repaired"
    error = f" ({_said(attempt.parser_error)})" if attempt.parser_error else ""
    return f"format broken: {_named(notes)}{error}"


def _ending(outcome: Outcome) -> str:
    if outcome.error:
        return f"{_named(outcome.error)}: {_said(outcome.error_message)}"
    if outcome.stopped:
        return f"{_said(outcome.stopped)}."
    turns = len(outcome.passages)
    return "1 turn played." if turns == 1 else f"{turns} turns played."


def _said(words: str) -> str:
    return _shown(words, LONGEST) or "(nothing)"


def _named(name: str) -> str:
    return _shown(name, _SHORT)


def _shown(words: str, longest: int) -> str:
    return in_markdown(sound(cut(words, longest))).strip(" ")
