"""`saniwa experiment show`: print an experiment, a cell, one turn, or matching turns."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

import click

from saniwa.app.experiments.folder import Experiment, read_outcome
from saniwa.app.experiments.replay import collect_turn_requests, find_cell, load_finished_cell
from saniwa.cli.command_definition import define_command
from saniwa.cli.experiment.options import open_experiment_store
from saniwa.cli.render import format_count, print_json, print_result, show_text
from saniwa.core.errors import ExperimentError
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.experiment.cell_outcome import AnswerAttempt, CellOutcome, CellTurn, Intent, WorkRecord
from saniwa.experiment.plan import ExperimentCell, ExperimentPlan, iterate_cells
from saniwa.experiment.ports import OutcomeStore
from saniwa.experiment.turn_filter import (
    FILTER_NAMES,
    TurnFilter,
    find_matching_turns,
    list_filter_values,
)
from saniwa.models.oracle import OracleRequest

_MAX_VALUES_LISTED: Final = 12


def parse_filters(words: Sequence[str]) -> TurnFilter:
    """Parse the values of `--where NAME=VALUE`.

    Raises:
        click.UsageError: There is no `=`, or no such name.
    """
    if not words:
        return ()

    filters = []
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in FILTER_NAMES:
            hint = suggest_nearest(name, FILTER_NAMES) or f"one of {', '.join(FILTER_NAMES)}"
            raise click.UsageError(f"--where {quote_value(word)}: write NAME=VALUE; {hint}")
        filters.append((name, value))
    return tuple(filters)


def check_filters(filters: TurnFilter, plan: ExperimentPlan) -> None:
    """Check that a turn of the plan can match, where all possible values are known.

    Raises:
        click.UsageError: No turn can have such a value.
    """
    for name, value in filters:
        known = list_filter_values(name, plan)
        if known and value.casefold() not in (each.casefold() for each in known):
            hint = (
                suggest_nearest(value, known) or f"one of {', '.join(known[:_MAX_VALUES_LISTED])}"
            )
            problem = f"no turn can have the {name} {quote_value(value)}"
            raise click.UsageError(f"--where: {problem}; {hint}")


def build_row(outcome: CellOutcome, passage: CellTurn) -> dict[str, Any]:
    """Describe a matching turn for JSON output."""
    refused = next((each.refused_intents for each in passage.attempts if each.refused_intents), ())
    return {
        "cell": outcome.key,
        "turn": passage.number,
        "speaker": passage.speaker_name,
        "said": passage.first.raw_output,
        "refused": [f"{each.deny_code}: {each.summary}" for each in refused],
        "attempts": len(passage.attempts),
        "given_up": passage.give_up,
    }


def format_row(row: dict[str, Any]) -> str:
    """Format a matching turn as one line."""
    head = f"{row['cell']}  {row['turn'] + 1:>3}  {row['speaker']}"
    return f"{head}  {', '.join(row['refused']) or 'nothing was refused'}"


_MAX_CELLS_SHOWN = 40
_MAX_TURNS_SHOWN = 200


@define_command("experiment show")
def show(
    *,
    named: str = "last",
    cell: str | None,
    turn: Annotated[int, click.IntRange(min=1)] | None,
    output: str = "results",
    where: tuple[str, ...],
    store: str | None,
    as_json: bool,
) -> None:
    """Show an experiment; with CELL its dialogue; with TURN the prompt, answer and refusals.

    A cell is named by its key, by the end of its key, such as D_coffee_trap_0, or by its
    number from 0; turns count from 1. --where lists the turns behind a figure; with
    several, a turn must match all of them, in any of its attempts.

    \b
    Examples:
      saniwa experiment show last
      saniwa experiment show last D_coffee_trap_0 3
      saniwa experiment show last --where condition=A --where deny=MISSING_OBJECT
    """
    asked = parse_filters(where)
    if asked and turn is not None:
        asked = (*asked, ("turn", str(turn)))
    with open_experiment_store(named, output, store) as (experiment, outcomes):
        if asked:
            _show_matches(experiment, outcomes, cell, asked, as_json=as_json)
            return
        if cell is None:
            _show_experiment(experiment, outcomes, as_json=as_json)
            return
        found, outcome = load_finished_cell(experiment, outcomes, cell)
    if turn is None:
        print_result(as_json, outcome, render_dialogue(outcome))
    else:
        _show_turn(experiment, found, outcome, turn, as_json=as_json)


def _show_matches(
    experiment: Experiment,
    outcomes: OutcomeStore,
    cell: str | None,
    asked: TurnFilter,
    *,
    as_json: bool,
) -> None:
    plan, fingerprint = experiment.prepared.plan, experiment.prepared.fingerprint
    check_filters(asked, plan)
    rows = []
    for each in iterate_cells(plan) if cell is None else [find_cell(plan, cell)]:
        outcome = read_outcome(outcomes, each, fingerprint)
        if outcome is not None:
            rows += [build_row(outcome, turn) for turn in find_matching_turns(outcome, asked)]
    if as_json:
        print_json({"turns": rows})
        return
    for row in rows[:_MAX_TURNS_SHOWN]:
        show_text(format_row(row))
    if len(rows) > _MAX_TURNS_SHOWN:
        click.echo(f"… and {format_count(len(rows) - _MAX_TURNS_SHOWN, 'more turn')}")
    click.echo(format_count(len(rows), "turn"), err=True)


def _show_experiment(experiment: Experiment, outcomes: OutcomeStore, *, as_json: bool) -> None:
    plan, fingerprint = experiment.prepared.plan, experiment.prepared.fingerprint
    done = frozenset(outcomes.list_keys())
    cells = list(iterate_cells(plan))
    keys = {cell.key for cell in cells}
    if as_json:
        listed = [cell.key for cell in cells]
        print_json({"plan": plan, "cells": listed, "done": sorted(done & keys)})
        return
    show_text(plan.experiment_id, bold=True)
    for label, words in (
        ("folder", str(experiment.folder)),
        ("question", plan.question),
        ("mode", plan.mode),
        ("cells", f"{len(done & keys)} of {len(cells)} done"),
        ("plan", fingerprint),
    ):
        if words:
            show_text(f"  {label:<9} {words}")
    for cell in cells[:_MAX_CELLS_SHOWN]:
        outcome = read_outcome(outcomes, cell, fingerprint)
        show_text(format_cell(cell, outcome))
    if len(cells) > _MAX_CELLS_SHOWN:
        click.echo(f"  … and {format_count(len(cells) - _MAX_CELLS_SHOWN, 'more cell')}")


def _show_turn(
    experiment: Experiment, cell: ExperimentCell, outcome: CellOutcome, turn: int, *, as_json: bool
) -> None:
    if turn > len(outcome.passages):
        raise ExperimentError(
            "CELL_UNKNOWN",
            f"the cell {quote_value(cell.key)} has no turn {turn}",
            hint=f"it has {format_count(len(outcome.passages), 'turn')}, from 1",
        )
    passage = outcome.passages[turn - 1]
    requests = collect_turn_requests(experiment.prepared, cell, outcome, turn - 1)
    document = {"told": requests, "passage": passage}
    print_result(as_json, document, render_turn(passage, requests))


def format_cell(cell: ExperimentCell, outcome: CellOutcome | None) -> str:
    """Format a cell as one line."""
    head = f"  {cell.number:>4}  {cell.key}"
    if outcome is None:
        return f"{head}  not done"
    if outcome.work is not None:
        return f"{head}  {_summarize_work(outcome, outcome.work)}"
    parts = [format_count(len(outcome.passages), "turn")]
    refused = sum(len(each.first.refused_intents) for each in outcome.passages)
    if refused:
        parts.append(f"{refused} refused")
    given_up = sum(each.give_up for each in outcome.passages)
    if given_up:
        parts.append(f"{given_up} given up")
    if outcome.error:
        parts.append(f"ended with {outcome.error}")
    elif outcome.stopped:
        parts.append(outcome.stopped)
    return f"{head}  {', '.join(parts)}"


def _summarize_work(outcome: CellOutcome, work: WorkRecord) -> str:
    refused = [each for each in work.submissions if each.code]
    fabricated = sum(bool(each.fabricated) for each in refused)
    parts = [
        "passed" if outcome.goal_reached else "not passed",
        f"ended in {work.state!r}",
        format_count(len(work.submissions), "submission"),
    ]
    parts += [f"{len(refused)} refused"] if refused else []
    parts += [f"{fabricated} fabricated"] if fabricated else []
    return ", ".join([*parts, outcome.error or outcome.stopped])


def _render_work(work: WorkRecord) -> Iterator[str]:
    for number, each in enumerate(work.submissions, start=1):
        brought = f" with {', '.join(each.evidence)}" if each.evidence else ""
        answer = f"refused {each.code}: {each.message}" if each.code else f"accepted: {each.state}"
        yield f"{number:>3}  {each.event}{brought}: {_flatten(answer)}"
        if each.fabricated:
            yield f"       fabricated evidence: {', '.join(each.fabricated)}"
    used = ", ".join(f"{name} {count}" for name, count in work.tools.items()) or "none"
    yield f"tool calls: {used}; {work.failed_tools} failed or refused"
    yield f"model calls: {work.calls}; tokens: {work.input_tokens + work.output_tokens}"


def render_dialogue(outcome: CellOutcome) -> Iterator[str]:
    """Render a cell as a dialogue: final words and actions, and refused attempts.

    For an agent, what it sent to the gate and what was answered.
    """
    yield outcome.key
    if outcome.work is not None:
        yield from _render_work(outcome.work)
    for passage in outcome.passages:
        final = passage.final
        deeds = " ".join(_describe_intent(intent) for intent in final.intents if intent.is_deed)
        words = " ".join(filter(None, (deeds, _flatten(final.speech))))
        yield f"{passage.number + 1:>3}  {passage.speaker_name}: {words or '(nothing)'}"
        for attempt in passage.attempts[:-1]:
            yield f"       {_describe_refusal(attempt)}; tried again"
        if passage.give_up:
            yield f"       {_describe_refusal(final)}; given up; only the speech counts"
        elif final.refused_intents:
            yield f"       {_describe_refusal(final)}; it did not happen"
    if outcome.error:
        yield f"ended with error[{outcome.error}]: {outcome.error_message}"
    elif outcome.stopped:
        yield f"ended: {outcome.stopped}"


def render_turn(passage: CellTurn, requests: Sequence[OracleRequest]) -> Iterator[str]:
    """Render one turn attempt by attempt, with the prompts of each."""
    yield f"turn {passage.number + 1}: {passage.speaker_name}"
    for number, attempt in enumerate(passage.attempts):
        yield ""
        yield f"attempt {number + 1}, seed {attempt.seed}"
        if number < len(requests):
            prompt, system = requests[number].messages[-1].text, requests[number].system
            yield from _render_part("prompt", prompt if number else f"{system}\n\n{prompt}")
        yield from _render_part("answer", attempt.raw_output)
        yield from _render_verdicts(attempt)
        yield from _render_part(
            "guidance for the next attempt" if number + 1 < len(passage.attempts) else "guidance",
            attempt.card,
        )
    yield ""
    yield from _render_consequences(passage)


def _render_verdicts(attempt: AnswerAttempt) -> Iterator[str]:
    if attempt.break_type != "NONE":
        steps = format_count(attempt.repair_steps, "step")
        yield f"  format: {attempt.break_type}, {attempt.repair_method} in {steps}"
    for intent in attempt.intents:
        if intent.allowed:
            yield f"  allowed: {_describe_intent(intent)}"
        else:
            yield (
                f"  refused: {_describe_intent(intent)}: {intent.deny_code} "
                f"({intent.reason_code}, check {intent.check or 'none'}): {intent.message}"
            )
    for deed in attempt.unread:
        yield f"  not understood: {_flatten(deed)}"
    if attempt.question:
        yield f"  unclear: {_flatten(attempt.question)}"


def _render_consequences(passage: CellTurn) -> Iterator[str]:
    applied = len(passage.turn.applied_actions)
    kinds = ", ".join(str(each.__struct_config__.tag) for each in passage.turn.changes)
    changes = format_count(len(passage.turn.changes), "change")
    yield f"result: {format_count(applied, 'action')}, {changes}{f' ({kinds})' if kinds else ''}"
    if passage.final.refused_intents and not passage.give_up:
        yield "  the refused action did not happen, and the speaker is not told; only the rest counts"
    if passage.give_up:
        yield f"  given up: {passage.fail_reason}"
    elif passage.silent_correction:
        yield "  corrected silently: a different action, without an apology"
    if passage.addressing:
        yield f"  spoke to a character who cannot hear: {passage.addressing}"
    yield f"  stall {passage.stall_score:g} ({passage.severity})"
    for card in passage.fact_cards:
        yield f"  facts for the next speaker: {card}"


def _render_part(label: str, text: str) -> Iterator[str]:
    if not text:
        return
    yield f"  {label}:"
    for line in text.split("\n"):
        yield f"    | {line}"


def _describe_refusal(attempt: AnswerAttempt) -> str:
    if not attempt.refused_intents:
        return f"unclear: {_flatten(attempt.question)}"
    first = attempt.refused_intents[0]
    # A further part follows, so the message ends without its full stop.
    message = first.message.rstrip(".。")
    return f"refused {first.deny_code}: {_describe_intent(first)}: {message}"


def _describe_intent(intent: Intent) -> str:
    target = f" {_flatten(intent.target)}" if intent.target else ""
    return f"*{intent.type}{target}*"


def _flatten(text: str) -> str:
    return " ".join(text.split())
