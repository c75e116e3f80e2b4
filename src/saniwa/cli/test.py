"""`saniwa test`: random play, what it reaches, and the shortest way to a failure."""

import shlex
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
import msgspec

from saniwa.cli.explored import explored
from saniwa.cli.options import json_option
from saniwa.cli.render import FINDINGS, FINE, answer
from saniwa.core.quoted import cut, printable

if TYPE_CHECKING:
    from saniwa.script.desk.exploring.trial import Broken, Trial

_LONGEST = 60
_MOST_MISSED = 20


@click.command(epilog="\b\nExample:\n  saniwa test story.md --walks 1000")
@click.argument("file", metavar="FILE")
@click.option(
    "--walks",
    type=click.IntRange(1, 1_000_000),
    default=200,
    show_default=True,
    help="How often to play.",
)
@click.option("--seed", type=int, default=0, help="Where chance starts.")
@click.option(
    "--steps",
    type=click.IntRange(1, 1_000_000),
    default=1_000,
    show_default=True,
    help="Steps before a walk is long enough.",
)
@json_option
@click.pass_context
def test(
    ctx: click.Context, file: str, walks: int, seed: int, steps: int, as_json: bool
) -> None:
    """Play FILE by chance, many times, and tell what was never reached.

    The same seed plays the same ways. A walk that fails is shortened to the fewest
    choices that still fail, as a `saniwa trace` to type. Ends with 1 when one fails.
    """
    from saniwa.script.desk.exploring.trial import try_story

    program, terrain = explored(file)
    result = try_story(
        program, walks=walks, seed=seed, most=steps, terrain=terrain, tell=_progress
    )
    if as_json:
        answer(_document(file, result))
    else:
        for line in _told(file, result):
            click.echo(printable(line))
    ctx.exit(FINDINGS if result.failures else FINE)


def _progress(done: int, walks: int) -> None:
    if sys.stderr.isatty() and (done % 20 == 0 or done == walks):
        end = "\r\x1b[K" if done == walks else ""
        click.echo(f"\r{done} of {walks} walks{end}", nl=False, err=True)


def _document(file: str, result: "Trial") -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(result)
    for made, failure in zip(plain["failures"], result.failures, strict=True):
        made["command"] = _command(file, failure)
    return {"ok": not result.failures, "file": file, **plain}


def _told(file: str, result: "Trial") -> Iterator[str]:
    for failure in result.failures:
        yield f"walk {failure.walk} failed: [{failure.code}] {failure.message}"
        yield f"  at {failure.where}"
        yield f"  again with: {_command(file, failure)}"
    steps = f"{result.steps} step{'' if result.steps == 1 else 's'}"
    yield f"{result.walks} walks, {steps}, {result.ended} came to an end (seed {result.seed})."
    for name in ("lines", "options", "sections", "endings"):
        part = getattr(result.reach, name)
        yield f"  {name:<9} {part.reached} of {part.total}"
    for name in ("lines", "options", "sections", "endings"):
        part = getattr(result.reach, name)
        if part.missed:
            yield f"{name.capitalize()} never reached:"
        for each in part.missed[:_MOST_MISSED]:
            words = cut(each.name.replace("\n", " "), _LONGEST)
            yield f"  {each.where}  {words}"
        if len(part.missed) > _MOST_MISSED:
            yield f"  and {len(part.missed) - _MOST_MISSED} more"
    for note in result.notes:
        yield f"Note: {note}."


def _command(file: str, failure: "Broken") -> str:
    words = ["saniwa", "trace", shlex.quote(file)]
    if failure.choices:
        words += ["--choices", ",".join(str(number) for number in failure.choices)]
    for text in failure.answers:
        words += ["--answers", _typed(text)]
    if failure.seed:
        words += ["--seed", str(failure.seed)]
    return " ".join(words)


def _typed(text: str) -> str:
    """An answer as it can be typed into a shell."""
    if text.isprintable():
        return shlex.quote(text)
    escaped = text.encode("unicode_escape").decode("ascii").replace("'", "\\'")
    return f"$'{escaped}'"
