"""From what somebody typed to a plan that can be carried out, or all that is wrong."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from saniwa.cli.render import FINDINGS, answer, show_finding, text_of
from saniwa.cli.tally import counted, tally
from saniwa.core.errors import SaniwaError
from saniwa.core.finding import Finding
from saniwa.core.quoted import printable
from saniwa.core.there import is_there
from saniwa.core.where import Where

if TYPE_CHECKING:
    from saniwa.experiment.authoring.reading import Read
    from saniwa.experiment.plan import Plan, Prepared

_MOST_NAMED = 8
_MOST_SHOWN = 100
_ALL = 4


def planned(
    ctx: click.Context,
    plan: str | None,
    said: dict[str, Any],
    registry: str | None,
    *,
    replayed: bool,
    unasked: bool,
    as_json: bool,
) -> "Prepared":
    """The plan, prepared; leaves with all findings where it has mistakes.

    Raises:
        click.UsageError: Neither a plan nor a scenario was named.
        DocumentError: The plan's file is no JSON or YAML.
    """
    from saniwa.wiring.experiment import prepare
    from saniwa.wiring.experiment.forecast import unasked as anybody

    if plan is None and "scenarios" not in said:
        raise click.UsageError("name a PLAN, or a scenario with --scenario", ctx)
    read, by = _read(ctx, plan, said, registry)
    named: dict[str, Any] = {
        "registry": registry,
        "replayed": replayed,
        "environment": anybody() if unasked else None,
    }
    if read.authored is None:
        wrong = prepare.misnamed(read.draft, **named)
        _leave(ctx, (*read.report.findings, *wrong), read, as_json=as_json)
    assert read.authored is not None, "a plan without mistakes is there"
    try:
        prepared = prepare.prepare(read.authored, **named)
    except SaniwaError as problem:
        wrong = _findings(problem)
        _leave(ctx, (*read.report.findings, *wrong), read, as_json=as_json)
        raise
    if not as_json:
        _warn(read)
        for twin in prepare.twins(prepared, registry):
            click.echo(printable(f"warning: {twin}"), err=True)
        told = _profile(prepared.plan, by, said) if plan is None else ""
        if told:
            click.echo(printable(told), err=True)
    return prepared


def _read(
    ctx: click.Context,
    plan: str | None,
    said: dict[str, Any],
    registry: str | None,
) -> "tuple[Read, str]":
    """What somebody typed, read; and who chose the profile, where nobody named one."""
    from saniwa.experiment.authoring.reading import read_plan
    from saniwa.wiring.experiment.prepare import SMALLEST, recommended_profile

    if plan is not None:
        _check_is_plan(ctx, plan, registry)
        return read_plan(plan, said), ""
    if "profile" in said:
        return read_plan(None, said), ""
    recommended = recommended_profile(said["scenarios"], registry)
    by = ", as the registry recommends" if recommended else ""
    return read_plan(None, {**said, "profile": recommended or SMALLEST}), by


def _profile(plan: "Plan", by: str, said: Mapping[str, Any]) -> str:
    """What a profile that nobody chose has decided; empty where it has nothing."""
    names = ", ".join(condition.name for condition in plan.conditions[:_MOST_NAMED])
    open_to_it = {
        "conditions": names,
        "seeds": counted(len(plan.seeds), "seed"),
        "max_turns": counted(plan.max_turns, "turn"),
    }
    decided = [told for key, told in open_to_it.items() if key not in said]
    if "profile" in said or not decided:
        return ""
    told = f"profile {plan.profile}: {', '.join(decided)}{by}"
    whole = len({condition.letter for condition in plan.conditions}) == _ALL
    if whole or "conditions" in said:
        return told
    return f"{told}; all four conditions: --profile full"


def _check_is_plan(ctx: click.Context, named: str, registry: str | None) -> None:
    """Say so where somebody names a scenario in the place of a plan."""
    from saniwa.wiring.scenario import find_entry

    path = Path(named)
    if not path.suffix and not is_there(path):
        with suppress(SaniwaError):
            find_entry(named, registry)
            told = f"{named!r} is a scenario, not a plan: say --scenario {named}"
            raise click.UsageError(told, ctx)


def _findings(problem: SaniwaError) -> tuple[Finding, ...]:
    """All that was wrong, or the one thing that was."""
    found = problem.details.get("findings")
    if isinstance(found, list) and found:
        return tuple(map(_finding, found))
    where = problem.where or Where()
    told = Finding(
        code=str(problem.code), message=problem.message, where=where, hint=problem.hint
    )
    return (told,)


def _leave(
    ctx: click.Context, found: tuple[Finding, ...], read: "Read", *, as_json: bool
) -> None:
    if as_json:
        answer({"ok": False, "findings": [each.as_document() for each in found]})
    else:
        for each in found[:_MOST_SHOWN]:
            file = each.where.file
            show_finding(each, read.texts.get(file) or text_of(file))
        if len(found) > _MOST_SHOWN:
            click.echo(f"… and {len(found) - _MOST_SHOWN} more")
        click.echo(tally(found))
    ctx.exit(FINDINGS)


def _warn(read: "Read") -> None:
    for each in read.report.findings:
        click.echo(printable(f"{each.severity}: {each.message}"), err=True)


def _finding(document: dict[str, Any]) -> Finding:
    where = Where(
        file=document["file"],
        line=document["line"],
        column=document["column"],
        path=document["path"],
    )
    return Finding(
        code=document["code"],
        severity=document["severity"],
        message=document["message"],
        where=where,
        hint=document["hint"],
    )
