"""`saniwa log` and `saniwa replay`: read a stored run, and check that it replays."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click
import msgspec

from saniwa.app.run_stores import format_moment, summarize_run
from saniwa.cli.command_definition import define_command, resolve_store
from saniwa.cli.render import exit_passed, print_json, print_result

if TYPE_CHECKING:
    from saniwa.runs.replay import ReplayResult
    from saniwa.store.run_records import RunSummary
    from saniwa.turn.record import Narration, Turn, TurnAside


@define_command("log")
def log(
    run: str | None,
    number: int | None,
    timeline: bool,
    search: str | None,
    export: bool,
    stories: bool,
    store: str | None,
    as_json: bool,
) -> None:
    """Show a run, named by its id, the beginning or end of it, or `last`."""
    from saniwa.app.run_stores import find_run, open_existing_store

    if stories:
        _list_stories(resolve_store(store), as_json=as_json)
        return
    with closing(open_existing_store(resolve_store(store))) as opened:
        if run is None:
            runs = list(opened.list_runs())
            nothing = "There are no runs yet. Start one: saniwa play"
            print_result(as_json, {"runs": runs}, [format_run(each) for each in runs] or [nothing])
            return
        run_id = find_run(opened, run)
        turns = opened.read_turns(run_id)
        if export:
            for turn in turns:
                print_json(turn)
        elif number is not None:
            turn = _find_turn(turns, number)
            print_result(as_json, turn, _format_whole_turn(turn))
        elif timeline or search is not None:
            for turn in _search_turns(turns, search):
                print_result(as_json, turn, [format_turn(turn)])
        else:
            overview = summarize_run(opened.load_record(run_id), turns)
            print_result(as_json, overview, _format_overview(overview))


def _list_stories(store: str, *, as_json: bool) -> None:
    from saniwa.app.run_service import RunService
    from saniwa.cli.play.story_plays import list_story_runs

    with closing(RunService.open(store)) as parts:
        rows = [
            {
                "run": run_id,
                "created": format_moment(origin.created),
                "story": origin.story,
                "file": origin.path,
                "language": origin.language,
                "owner": origin.owner,
            }
            for run_id, origin in list_story_runs(parts)
        ]
    lines = [f"{row['run']}  {row['created']}  {row['story'] or row['file']}" for row in rows]
    nothing = "No story has been played yet. Start one: saniwa play STORY"
    print_result(as_json, {"stories": rows}, lines or [nothing])


def format_run(run: "RunSummary") -> str:
    """Format a run as one line."""
    turns = "turn " if run.turns == 1 else "turns"
    return f"{run.run_id}  {format_moment(run.created)}  {run.turns:>5} {turns}  {run.scenario_id}"


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
    return f"  [narrated by {narration.by}: {', '.join(wrong)}]" if wrong else ""


def _format_aside(aside: "TurnAside") -> str:
    document = msgspec.to_builtins(aside)
    if document["kind"] == "edit":
        return f"rules edited: {document['book'].get('id', '')}"
    if document["kind"] == "seating":
        seats = sorted(document.get("seats", {}).items())
        return f"seats: {', '.join(f'{who} {player}' for who, player in seats)}"
    back = f"turn {document['to'] + 1}" if document["to"] >= 0 else "the beginning"
    return f"{document.get('why', 'undo')}, back to {back}"


def _format_whole_turn(turn: "Turn") -> Iterator[str]:
    yield format_turn(turn)
    yield f"  {format_moment(turn.timestamp)}  {turn.id}"
    yield from _format_values("parsed", turn.parsed_actions)
    for action, verdict in zip(turn.normalized_actions, turn.validation_results, strict=True):
        yield from _format_values("action", [action])
        outcome = "allowed" if verdict.success else f"refused, {verdict.reason_code}"
        yield f"    {outcome} by {verdict.check!r} {verdict.message}".rstrip(" \n")
    yield from _format_values("rejected", turn.rejections)
    yield from _format_values("asked", [turn.clarification] if turn.clarification else [])
    yield from _format_values("changes", turn.changes)
    yield from _format_values("narration", [turn.narration] if turn.narration else [])
    yield f"  world {turn.world_before} → {turn.world_after}, book {turn.book}"


def _format_values(name: str, values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        yield f"  {name}: {msgspec.json.encode(value).decode()}"


def _format_overview(overview: dict[str, Any]) -> Iterator[str]:
    for name, value in overview.items():
        counts = isinstance(value, dict)
        shown = ", ".join(f"{k} {n}" for k, n in value.items()) if counts else value
        yield f"{name:<13} {shown}".rstrip()


@define_command("replay")
def replay(run: str, store: str | None, as_json: bool) -> None:
    """Replay RUN: judge every recorded turn again, under the rules that applied to it.

    Exits with status 0 if every fingerprint, verdict and change matches the record, and
    with status 1 if not; then it shows both sides of the first difference.
    """
    from saniwa.app.run_stores import find_run, open_existing_store
    from saniwa.runs.replay import replay_run

    with closing(open_existing_store(resolve_store(store))) as opened:
        run_id = find_run(opened, run)
        result = replay_run(opened, run_id)
    same = result.first_difference is None
    lines = [f"{run_id}: {result.turns_checked} turns, every one the same."]
    print_result(as_json, result, lines if same else _format_difference(run_id, result))
    exit_passed(same)


def _format_difference(run_id: str, result: "ReplayResult") -> Iterator[str]:
    fields = msgspec.to_builtins(result.first_difference)
    turn = fields.pop("turn")
    place = f"turn {turn + 1}" if turn >= 0 else "the beginning"
    yield f"{run_id}: {place} differs."
    for name, value in fields.items():
        yield from _format_values(name, [value])
