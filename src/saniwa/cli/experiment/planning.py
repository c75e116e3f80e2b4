"""From what somebody typed to a plan that can be carried out, or all that is wrong."""

from typing import TYPE_CHECKING, Any

import click

from saniwa.cli.render import FINDINGS, answer, show_finding, text_of
from saniwa.cli.tally import tally
from saniwa.core.errors import SaniwaError
from saniwa.core.finding import Finding
from saniwa.core.quoted import printable
from saniwa.core.where import Where

if TYPE_CHECKING:
    from saniwa.experiment.authoring.reading import Read
    from saniwa.experiment.plan import Prepared


def planned(
    ctx: click.Context,
    plan: str | None,
    said: dict[str, Any],
    registry: str | None,
    *,
    replayed: bool,
    as_json: bool,
) -> "Prepared":
    """The plan, prepared; leaves with all findings where it has mistakes.

    Raises:
        click.UsageError: Neither a plan nor a scenario was named.
        SaniwaError: Something it names cannot be had.
    """
    from saniwa.experiment.authoring.reading import read_plan
    from saniwa.wiring.experiment.prepare import prepare, recommended_profile

    if plan is None and "scenarios" not in said:
        raise click.UsageError("name a PLAN, or a scenario with --scenario", ctx)
    read = read_plan(plan, said)
    if read.authored is not None and plan is None and "profile" not in said:
        profile = recommended_profile(said["scenarios"], registry)
        read = read_plan(None, {**said, "profile": profile})
        if not as_json:
            told = f"profile {profile}, as the registry recommends; others: --profile"
            click.echo(printable(told), err=True)
    if read.authored is None:
        _leave(ctx, read.report.findings, read, as_json=as_json)
    assert read.authored is not None, "a plan without mistakes is there"
    if not as_json:
        _warn(read)
    try:
        return prepare(read.authored, registry=registry, replayed=replayed)
    except SaniwaError as problem:
        found = problem.details.get("findings")
        if not isinstance(found, list) or not found or as_json:
            raise
        _leave(ctx, tuple(map(_finding, found)), read, as_json=False)
        raise


def _leave(
    ctx: click.Context, found: tuple[Finding, ...], read: "Read", *, as_json: bool
) -> None:
    if as_json:
        answer({"ok": False, "findings": [each.as_document() for each in found]})
    else:
        for each in found:
            file = each.where.file
            show_finding(each, read.texts.get(file) or text_of(file))
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
