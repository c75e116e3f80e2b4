"""`saniwa log`: read what happened in a run."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click
import msgspec

from saniwa.cli.options import json_option, store_option, store_place
from saniwa.cli.render import answer
from saniwa.core.quoted import printable
from saniwa.wiring.run_overview import format_moment, summarize_run

if TYPE_CHECKING:
    from saniwa.store.layout import RunRecord, RunSummary
    from saniwa.turn.trace import Aside, Narration, Turn


@click.command(
    epilog="""\b
Examples:
  saniwa log                          every run, oldest first
  saniwa log last                     an overview of the newest run
  saniwa log last --timeline          one line a turn
  saniwa log last --turn 3            everything about turn 3
  saniwa log last --search key        the turns that speak of it
  saniwa log last --export > run.jsonl
"""
)
@click.argument("run", required=False)
@click.option(
    "--turn",
    "number",
    type=int,
    metavar="N",
    help="Everything about one turn, counted from 1.",
)
@click.option("--timeline", is_flag=True, help="One line a turn.")
@click.option("--search", metavar="TEXT", help="Only the turns that speak of TEXT.")
@click.option("--export", is_flag=True, help="Every turn as one line of JSON.")
@store_option
@json_option
def log(
    run: str | None,
    number: int | None,
    timeline: bool,
    search: str | None,
    export: bool,
    store: str | None,
    as_json: bool,
) -> None:
    """Read a run: its id, the beginning or end of it, or `last`."""
    from saniwa.wiring import existing_store, find_run

    with closing(existing_store(store_place(store))) as kept:
        if run is None:
            _list(list(kept.runs()), as_json)
            return
        run_id = find_run(kept, run)
        turns = kept.turns(run_id)
        if export:
            _export(turns)
        elif number is not None:
            _show(_one(turns, number), as_json)
        elif timeline or search is not None:
            _timeline(_matching(turns, search), as_json)
        else:
            _overview(kept.record(run_id), turns, as_json)


def _list(runs: "list[RunSummary]", as_json: bool) -> None:
    if as_json:
        answer({"runs": runs})
        return
    for run in runs:
        click.echo(printable(line_of_run(run)))
    if not runs:
        click.echo("No runs are kept here yet. Start one with: saniwa play")


def line_of_run(run: "RunSummary") -> str:
    """A run on one line."""
    turns = "turn " if run.turns == 1 else "turns"
    return f"{run.run_id}  {format_moment(run.created)}  {run.turns:>5} {turns}  {run.scenario_id}"


def _export(turns: "Iterable[Turn]") -> None:
    for turn in turns:
        answer(turn)


def _one(turns: "Iterable[Turn]", number: int) -> "Turn":
    last = 0
    for turn in turns:
        if turn.number == number - 1:
            return turn
        last = turn.number + 1
    there = f"1 to {last}" if last else "none yet"
    raise click.BadParameter(f"there is no turn {number}; there are: {there}")


def _matching(turns: "Iterable[Turn]", text: str | None) -> "Iterator[Turn]":
    wanted = (text or "").casefold()
    for turn in turns:
        told = [turn.raw_text, *(v.message for v in turn.validation_results)]
        told += [msgspec.json.encode(a).decode() for a in turn.normalized_actions]
        told += [turn.narration.text] if turn.narration is not None else []
        if any(wanted in part.casefold() for part in told):
            yield turn


def _timeline(turns: "Iterable[Turn]", as_json: bool) -> None:
    for turn in turns:
        if as_json:
            answer(turn)
        else:
            click.echo(printable(line_of(turn)))


def line_of(turn: "Turn") -> str:
    """One turn in one line: its number from 1, speaker, words, what came of it."""
    if turn.aside is not None:
        outcome = _beside(turn.aside)
    elif turn.clarification is not None:
        outcome = f"? {turn.clarification.question}"
    else:
        outcomes = [
            "ok" if v.success else v.reason_code for v in turn.validation_results
        ]
        outcomes += [r.code for r in turn.rejections]
        outcome = ", ".join(outcomes) or "nothing"
    if turn.narration is not None:
        outcome += _flagged(turn.narration)
    words = " ".join(turn.raw_text.split())
    return f"{turn.number + 1:>4}  {turn.actor_id}: {words}  → {outcome}"


def _flagged(narration: "Narration") -> str:
    """What was wrong with the model's words, by kind; nothing where nothing was."""
    kinds = Counter(flag.kind for flag in narration.flags)
    wrong = [f"{kind} {count}" for kind, count in sorted(kinds.items())]
    wrong += [narration.error] if narration.error else []
    return f"  [told by {narration.by}: {', '.join(wrong)}]" if wrong else ""


def _beside(aside: "Aside") -> str:
    told = msgspec.to_builtins(aside)
    if told["kind"] == "edit":
        return f"rules edited: {told['book'].get('id', '')}"
    if told["kind"] == "seating":
        seats = sorted(told.get("seats", {}).items())
        return f"seats: {', '.join(f'{who} {player}' for who, player in seats)}"
    back = f"turn {told['to'] + 1}" if told["to"] >= 0 else "the beginning"
    return f"{told.get('why', 'undo')}, back to {back}"


def _show(turn: "Turn", as_json: bool) -> None:
    if as_json:
        answer(turn)
        return
    click.echo(printable(line_of(turn)))
    click.echo(printable(f"  {format_moment(turn.timestamp)}  {turn.id}"))
    _part("parsed", turn.parsed_actions)
    for action, verdict in zip(
        turn.normalized_actions, turn.validation_results, strict=True
    ):
        _part("action", [action])
        said = "allowed" if verdict.success else f"refused, {verdict.reason_code}"
        click.echo(
            printable(f"    {said} by {verdict.check!r} {verdict.message}").rstrip()
        )
    _part("rejected", turn.rejections)
    _part("asked", [turn.clarification] if turn.clarification else [])
    _part("changes", turn.changes)
    _part("narration", [turn.narration] if turn.narration else [])
    click.echo(
        printable(f"  world {turn.world_before} → {turn.world_after}, book {turn.book}")
    )


def _part(name: str, values: Iterable[Any]) -> None:
    for value in values:
        click.echo(printable(f"  {name}: {msgspec.json.encode(value).decode()}"))


def _overview(record: "RunRecord", turns: "Iterable[Turn]", as_json: bool) -> None:
    told = summarize_run(record, turns)
    if as_json:
        answer(told)
        return
    for name, value in told.items():
        shown = (
            ", ".join(f"{k} {n}" for k, n in value.items())
            if isinstance(value, dict)
            else value
        )
        click.echo(printable(f"{name:<13} {shown}".rstrip()))
