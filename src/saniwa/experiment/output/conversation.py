"""`CONVERSATION_REPORT.md`: every conversation, with what was refused and repaired."""

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from saniwa.core.text import truncate
from saniwa.core.text_encoding import replace_surrogates
from saniwa.experiment.layout import ARTIFACTS, make_folder_name
from saniwa.experiment.outcome import AnswerAttempt, CellOutcome, CellTurn, Intent
from saniwa.experiment.output.files import escape_markdown
from saniwa.experiment.output.turn_records import describe_repair
from saniwa.experiment.plan import Condition, ExperimentPlan

MAX_EXAMPLES: Final = 3
"""The most examples of one condition."""


class FormatBreak(NamedTuple):
    """An answer that broke the format."""

    key: str
    """The key of the cell."""
    turn: int
    """The turn, from 0."""
    attempt: AnswerAttempt
    """The answer."""


class FormatBreaks:
    """Collects format breaks cell by cell, and stores only those that will be shown."""

    def __init__(self) -> None:
        self.worst = dict[str, list[FormatBreak]]()
        """The examples of each condition: most repair steps first, then in order."""
        self.counts = Counter[str]()
        """How often the format was broken, by condition."""

    def add_outcome(self, outcome: CellOutcome) -> None:
        """Collect the format breaks of all attempts of a cell."""
        found = [
            FormatBreak(outcome.key, passage.number, attempt)
            for passage in outcome.passages
            for attempt in passage.attempts
            if attempt.break_type != "NONE"
        ]
        if found:
            name = outcome.condition
            self.counts[name] += len(found)
            ranked = sorted(
                [*self.worst.get(name, ()), *found],
                key=lambda example: -example.attempt.repair_steps,
            )
            self.worst[name] = ranked[:MAX_EXAMPLES]


LONGEST_TEXT: Final = 600
"""The most characters of a text on the page; the files have all of it."""
_LONGEST_NAME: Final = 120


def render_opening(plan: ExperimentPlan) -> str:
    """Render the head of the page."""
    question = f"\nQuestion: {_render_speech(plan.question)}\n" if plan.question else ""
    return (
        f"# Conversations: {_render_name(plan.experiment_id)}\n{question}\n"
        f"Texts are cut after {LONGEST_TEXT} letters; whole ones are in `{ARTIFACTS}/`, in the"
        " folder of each conversation.\n"
        f"\n{_render_legend(plan)}"
    )


def render_cell(condition: Condition, outcome: CellOutcome) -> Iterator[str]:
    """Render one conversation."""
    yield f"\n## Conversation {_render_name(outcome.key)}\n\n"
    yield f"Condition {_render_name(condition.name)}, scenario {_render_name(outcome.scenario)}, "
    yield f"seed {outcome.seed}. Files: {_render_name(make_folder_name(outcome.key))}\n\n"
    for passage in outcome.passages:
        yield from _render_turn(passage)
    yield f"\nThe end: {_render_ending(outcome)}\n"


def render_closing(breaks: FormatBreaks) -> Iterator[str]:
    """Render the examples of answers that broke the format."""
    yield "\n# Format breaks\n"
    if not breaks.worst:
        yield "\nNo answer broke the format.\n"
    for name, examples in sorted(breaks.worst.items()):
        yield f"\n## In condition {_render_name(name)}\n\n"
        yield f"{breaks.counts[name]} in all; the {len(examples)} that took most steps:\n\n"
        for example in examples:
            attempt = example.attempt
            where = (
                f"{_render_name(example.key)}, turn {example.turn + 1}, "
                f"attempt {attempt.number + 1}"
            )
            yield f"- {where}: {_render_format_break(attempt)}\n"
            yield f"  - came as: {_render_speech(attempt.raw_output)}\n"
            if attempt.repaired_output is not None:
                yield f"  - read as: {_render_speech(attempt.repaired_output)}\n"


def _render_legend(plan: ExperimentPlan) -> str:
    words = {True: "on", False: "off"}
    rows = (
        f"| {_render_name(each.name)} | {words[each.inject]} | {words[each.gm]} |\n"
        for each in plan.conditions
    )
    return f"| Condition | Inject | Game master |\n|---|---|---|\n{''.join(rows)}"


def _render_turn(passage: CellTurn) -> Iterator[str]:
    final = passage.final
    who = f"{passage.number:03d} {_render_name(passage.speaker_name)}"
    yield f"- **{who}**: {_render_speech(final.speech)}\n"
    for attempt in passage.attempts[:-1]:
        yield f"  - first: {_render_speech(attempt.speech)}\n"
        yield from _render_verdicts(attempt, "    ")
    yield from _render_verdicts(final, "  ")
    yield from (f"  - {each}\n" for each in _render_remarks(passage))


def _render_verdicts(attempt: AnswerAttempt, indent: str) -> Iterator[str]:
    for each in attempt.intents:
        if not each.allowed:
            yield f"{indent}- refused: {_render_refusal(each)}\n"
        elif each.is_deed:
            yield f"{indent}- allowed: {_render_deed(each)}\n"
    if attempt.unread:
        words = ", ".join(_render_name(each) for each in attempt.unread)
        yield f"{indent}- not understood: {words}\n"
    if attempt.break_type != "NONE":
        yield f"{indent}- {_render_format_break(attempt)}\n"


def _render_remarks(passage: CellTurn) -> Iterator[str]:
    if passage.give_up:
        yield f"given up after {len(passage.attempts)} answers; only the speech stands"
    if passage.silent_correction:
        yield "corrected without an apology"
    if passage.addressing:
        yield f"speaks to {_render_name(passage.addressing)}, who cannot hear it"
    if passage.stall_event:
        yield f"the talk stands still (score {passage.stall_score})"
    for card in passage.fact_cards:
        yield f"game master: {_render_speech(card)}"


def _render_refusal(intent: Intent) -> str:
    rule = f" by {_render_name(intent.check)}" if intent.check else ""
    code = _render_name(intent.deny_code)
    return f"{_render_deed(intent)}: {code}{rule}. {_render_speech(intent.message)}"


def _render_deed(intent: Intent) -> str:
    return _render_name(intent.summary)


def _render_format_break(attempt: AnswerAttempt) -> str:
    notes = describe_repair(attempt) or f"{attempt.break_type}, not repaired"
    error = f" ({_render_speech(attempt.parser_error)})" if attempt.parser_error else ""
    return f"format broken: {_render_name(notes)}{error}"


def _render_ending(outcome: CellOutcome) -> str:
    if outcome.error:
        return f"{_render_name(outcome.error)}: {_render_speech(outcome.error_message)}"
    if outcome.stopped:
        return f"{_render_speech(outcome.stopped)}."
    turns = len(outcome.passages)
    return "1 turn played." if turns == 1 else f"{turns} turns played."


def _render_speech(words: str) -> str:
    return _render_text(words, LONGEST_TEXT) or "(nothing)"


def _render_name(name: str) -> str:
    return _render_text(name, _LONGEST_NAME)


def _render_text(words: str, longest: int) -> str:
    return escape_markdown(replace_surrogates(truncate(words, longest))).strip(" ")
