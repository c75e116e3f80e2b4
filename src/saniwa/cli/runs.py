"""`saniwa log` and `saniwa replay`: read a stored run, and check that it replays."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click
import msgspec

from saniwa.app.store import format_moment, summarize_run
from saniwa.cli.options import json_option, resolve_store, store_option
from saniwa.cli.render import EXIT_FINDINGS, EXIT_OK, print_json
from saniwa.core.text import escape_control_characters

if TYPE_CHECKING:
    from saniwa.store.run_records import RunRecord, RunSummary
    from saniwa.turn.record import Narration, Turn, TurnAside


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
    "--turn", "number", type=int, metavar="N", help="Everything about one turn, counted from 1."
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
    from saniwa.app.store import find_run, open_existing_store

    with closing(open_existing_store(resolve_store(store))) as opened:
        if run is None:
            _list_runs(list(opened.list_runs()), as_json)
            return
        run_id = find_run(opened, run)
        turns = opened.read_turns(run_id)
        if export:
            _export_turns(turns)
        elif number is not None:
            _show_turn(_find_turn(turns, number), as_json)
        elif timeline or search is not None:
            _show_timeline(_search_turns(turns, search), as_json)
        else:
            _show_overview(opened.load_record(run_id), turns, as_json)


def _list_runs(runs: "list[RunSummary]", as_json: bool) -> None:
    if as_json:
        print_json({"runs": runs})
        return
    for run in runs:
        click.echo(escape_control_characters(format_run(run)))
    if not runs:
        click.echo("No runs are kept here yet. Start one with: saniwa play")


def format_run(run: "RunSummary") -> str:
    """Format a run as one line."""
    turns = "turn " if run.turns == 1 else "turns"
    return f"{run.run_id}  {format_moment(run.created)}  {run.turns:>5} {turns}  {run.scenario_id}"


def _export_turns(turns: "Iterable[Turn]") -> None:
    for turn in turns:
        print_json(turn)


def _find_turn(turns: "Iterable[Turn]", number: int) -> "Turn":
    last = 0
    for turn in turns:
        if turn.number == number - 1:
            return turn
        last = turn.number + 1
    available = f"1 to {last}" if last else "none yet"
    raise click.BadParameter(f"there is no turn {number}; there are: {available}")


def _search_turns(turns: "Iterable[Turn]", text: str | None) -> "Iterator[Turn]":
    wanted = (text or "").casefold()
    for turn in turns:
        texts = [turn.raw_text, *(v.message for v in turn.validation_results)]
        texts += [msgspec.json.encode(a).decode() for a in turn.normalized_actions]
        texts += [turn.narration.text] if turn.narration is not None else []
        if any(wanted in part.casefold() for part in texts):
            yield turn


def _show_timeline(turns: "Iterable[Turn]", as_json: bool) -> None:
    for turn in turns:
        if as_json:
            print_json(turn)
        else:
            click.echo(escape_control_characters(format_turn(turn)))


def format_turn(turn: "Turn") -> str:
    """Format a turn as one line: its number from 1, the actor, the words, the outcome."""
    if turn.aside is not None:
        outcome = _format_aside(turn.aside)
    elif turn.clarification is not None:
        outcome = f"? {turn.clarification.question}"
    else:
        outcomes = ["ok" if v.success else v.reason_code for v in turn.validation_results]
        outcomes += [r.code for r in turn.rejections]
        outcome = ", ".join(outcomes) or "nothing"
    if turn.narration is not None:
        outcome += _format_flags(turn.narration)
    words = " ".join(turn.raw_text.split())
    return f"{turn.number + 1:>4}  {turn.actor_id}: {words}  → {outcome}"


def _format_flags(narration: "Narration") -> str:
    """Count the flags on the model's narration by kind; empty if there are none."""
    kinds = Counter(flag.kind for flag in narration.flags)
    wrong = [f"{kind} {count}" for kind, count in sorted(kinds.items())]
    wrong += [narration.error] if narration.error else []
    return f"  [told by {narration.by}: {', '.join(wrong)}]" if wrong else ""


def _format_aside(aside: "TurnAside") -> str:
    document = msgspec.to_builtins(aside)
    if document["kind"] == "edit":
        return f"rules edited: {document['book'].get('id', '')}"
    if document["kind"] == "seating":
        seats = sorted(document.get("seats", {}).items())
        return f"seats: {', '.join(f'{who} {player}' for who, player in seats)}"
    back = f"turn {document['to'] + 1}" if document["to"] >= 0 else "the beginning"
    return f"{document.get('why', 'undo')}, back to {back}"


def _show_turn(turn: "Turn", as_json: bool) -> None:
    if as_json:
        print_json(turn)
        return
    click.echo(escape_control_characters(format_turn(turn)))
    click.echo(escape_control_characters(f"  {format_moment(turn.timestamp)}  {turn.id}"))
    _show_values("parsed", turn.parsed_actions)
    for action, verdict in zip(turn.normalized_actions, turn.validation_results, strict=True):
        _show_values("action", [action])
        outcome = "allowed" if verdict.success else f"refused, {verdict.reason_code}"
        click.echo(
            escape_control_characters(
                f"    {outcome} by {verdict.check!r} {verdict.message}"
            ).rstrip()
        )
    _show_values("rejected", turn.rejections)
    _show_values("asked", [turn.clarification] if turn.clarification else [])
    _show_values("changes", turn.changes)
    _show_values("narration", [turn.narration] if turn.narration else [])
    click.echo(
        escape_control_characters(
            f"  world {turn.world_before} → {turn.world_after}, book {turn.book}"
        )
    )


def _show_values(name: str, values: Iterable[Any]) -> None:
    for value in values:
        click.echo(escape_control_characters(f"  {name}: {msgspec.json.encode(value).decode()}"))


def _show_overview(record: "RunRecord", turns: "Iterable[Turn]", as_json: bool) -> None:
    overview = summarize_run(record, turns)
    if as_json:
        print_json(overview)
        return
    for name, value in overview.items():
        shown = (
            ", ".join(f"{k} {n}" for k, n in value.items()) if isinstance(value, dict) else value
        )
        click.echo(escape_control_characters(f"{name:<13} {shown}".rstrip()))


@click.command(epilog="\b\nExample:\n  saniwa replay last")
@click.argument("run")
@store_option
@json_option
@click.pass_context
def replay(ctx: click.Context, run: str, store: str | None, as_json: bool) -> None:
    """Judge every turn of RUN again, from its recorded claims, under the rules of its time.

    Ends with 0 when every fingerprint, verdict and change is as recorded, and with 1
    when not, showing both sides of the first difference.
    """
    from saniwa.app.store import find_run, open_existing_store
    from saniwa.runs.replay import replay_run as play_again

    with closing(open_existing_store(resolve_store(store))) as opened:
        run_id = find_run(opened, run)
        result = play_again(opened, run_id)
    if as_json:
        print_json(result)
    elif result.first_difference is None:
        click.echo(
            escape_control_characters(
                f"{run_id}: {result.turns_checked} turns, every one the same."
            )
        )
    else:
        _show_difference(run_id, result.first_difference)
    ctx.exit(EXIT_OK if result.first_difference is None else EXIT_FINDINGS)


def _show_difference(run_id: str, difference: Any) -> None:
    fields = msgspec.to_builtins(difference)
    turn = fields.pop("turn")
    place = f"turn {turn + 1}" if turn >= 0 else "the beginning"
    click.echo(escape_control_characters(f"{run_id}: {place} differs."))
    for name, value in fields.items():
        click.echo(escape_control_characters(f"  {name}: {msgspec.json.encode(value).decode()}"))
