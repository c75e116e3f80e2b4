"""`saniwa gate install` and `uninstall`: the settings of an agent's host."""

import difflib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias, get_args

import click

from saniwa.cli import render
from saniwa.cli.command_definition import define_command
from saniwa.cli.gate.hook import HookHost

if TYPE_CHECKING:
    from saniwa.app.gate.agent_host_settings import InstallChoice, SettingsChange


class _HostName(click.Choice[HookHost]):
    """The name of a host; an unknown one is answered with the way to set it up by hand."""

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        """Return the message for another name."""
        message = super().get_invalid_choice_message(value, ctx)
        return (
            f"{message} For another host, write its settings yourself: `saniwa mcp --only gate` "
            "is the MCP server, `saniwa gate hook --help` lists the hooks, and "
            "docs/guide/coding-agents.md (Other hosts) says how they are called."
        )


_Host: TypeAlias = Annotated[HookHost, _HostName(get_args(HookHost))]


@define_command("gate install")
def install(
    *,
    host: _Host,
    program: str = "",
    fail_closed: bool,
    dry_run: bool,
    only_check: bool,
    place: str | None,
    as_json: bool,
) -> None:
    """Write the hooks and the MCP server of the gate into the settings of an agent host.

    HOST is claude-code, codex, cursor or vscode. The settings are written to the current
    folder, which must be the project's. Other settings are kept; installing again changes
    nothing. Then the hooks and the server are started once; what cannot start is a warning.

    A host has no active virtual environment: where it would not find `saniwa`, the absolute
    path is written.

    With --check, writes nothing: starts what is installed, and exits with status 1 if the
    settings are missing or are not those that `gate install` writes, or cannot start.
    """
    from saniwa.app.gate.agent_host_settings import (
        InstallChoice,
        load_host_settings,
        plan_installation,
    )
    from saniwa.app.gate.host_start import find_program, find_start_problems

    choice = InstallChoice(host, program or find_program(), _choose_gate(place), fail_closed)
    if only_check:
        problems = _find_problems(choice, named=bool(program))
        lines = problems or [f"{host}: the settings are in place; the hooks and the server start"]
        render.print_result(as_json, {"host": host, "problems": problems}, lines)
        render.exit_passed(not problems)
    changes = plan_installation(Path(), choice)
    problems = [] if dry_run else find_start_problems(choice)
    _apply(host, changes, dry_run=dry_run, as_json=as_json, problems=problems)
    for problem in () if as_json else problems:
        render.show_warning(problem)
    if not as_json and not dry_run:
        render.show_text(f"next: {load_host_settings()[host].next}")


def _find_problems(choice: "InstallChoice", *, named: bool) -> list[str]:
    """Say what is wrong with what is installed; `named`: the program must be that of `choice`."""
    from saniwa.app.gate.agent_host_settings import find_installed_choice, plan_installation
    from saniwa.app.gate.host_start import find_start_problems

    installed = find_installed_choice(Path(), choice)
    if installed is None:
        return [f"not installed; run: saniwa gate install {choice.host}"]
    expected = choice if named else installed
    differing = [each for each in plan_installation(Path(), expected) if each.action != "keep"]
    differ = [f"{each.path}: the settings differ; install them again" for each in differing]
    return differ + find_start_problems(expected)


@define_command("gate uninstall")
def uninstall(host: _Host, dry_run: bool, as_json: bool) -> None:
    """Remove what `saniwa gate install` wrote to the current folder, and nothing else.

    Files without other settings are deleted.
    """
    from saniwa.app.gate.agent_host_settings import InstallChoice, plan_removal

    _apply(host, plan_removal(Path(), InstallChoice(host)), dry_run=dry_run, as_json=as_json)


def _choose_gate(place: str | None) -> str | None:
    """Return the gate's folder for the settings; None if the environment names the gate."""
    from saniwa.app.gate.configuration import GATE_FOLDER, locate_gate

    if place is None and os.environ.get("SANIWA_GATE"):
        return None
    if place is None:
        places = locate_gate()
        return str(places.root) if places.is_above else GATE_FOLDER
    if locate_gate(place).address:
        raise click.BadParameter(
            "other users may read the settings, and an address may contain a secret: "
            "omit --dir, and set $SANIWA_GATE to the database where the host runs",
            param_hint="--dir",
        )
    return place


def _apply(
    host: str,
    changes: "list[SettingsChange]",
    *,
    dry_run: bool,
    as_json: bool,
    problems: list[str] | None = None,
) -> None:
    if not dry_run:
        for change in changes:
            _write(change)
    listed = [
        {
            "path": change.path.as_posix(),
            "action": change.action,
            "entries": change.entries,
            "kept": change.kept,
        }
        for change in changes
    ]
    document = {"host": host, "dry_run": dry_run, "files": listed}
    document |= {} if problems is None else {"problems": problems}
    rows = (row for change in changes for row in _format_change(change, dry_run=dry_run))
    render.print_result(as_json, document, rows)


def _write(change: "SettingsChange") -> None:
    try:
        change.write()
    except OSError as problem:
        message = f"{change.path} cannot be written: {problem.strerror}"
        raise click.UsageError(message) from problem


_DONE = {"create": "wrote", "change": "changed", "delete": "deleted", "keep": "unchanged"}


def _format_change(change: "SettingsChange", *, dry_run: bool) -> Iterator[str]:
    name = change.path.as_posix()
    done = f"would {change.action}" if dry_run and change.action != "keep" else _DONE[change.action]
    about = f": {', '.join(change.entries)}" if change.entries else ""
    yield f"{done} {name}{about}"
    for entry in change.kept:
        yield f"  kept {entry}: it was not written by `gate install`"
    if dry_run:
        before, after = ((text or "").splitlines() for text in (change.before, change.after))
        for line in difflib.unified_diff(before, after, name, name, lineterm=""):
            yield f"  {line}"
