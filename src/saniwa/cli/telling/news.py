"""How a reader is told that a story is another one than before, and what is wrong with it."""

from collections.abc import Mapping
from typing import Any, Final

import click

from saniwa.cli.render import show_finding, text_of
from saniwa.cli.showing import Screen
from saniwa.core.errors import SaniwaError
from saniwa.core.finding import Finding
from saniwa.core.quoted import printable
from saniwa.core.where import Where
from saniwa.run.performance import Performance
from saniwa.script.playing.state import Resumption
from saniwa.script.program import Enter

_MOST_FINDINGS: Final = 5
_LONGEST: Final = 40
"""Letters of a line that are quoted to recognise it by."""
_SAME: Final = frozenset({"exactly", "id"})


def tell_found(screen: Screen, playing: Performance, found: Resumption) -> None:
    """Tell how the place was found again, in a story that was read again."""
    if found.found in _SAME:
        screen.tell("found_same")
    else:
        gaps = {"line": found.line, "words": _quoted(playing), "label": _label(playing)}
        screen.tell(f"found_{found.found}", **gaps)
    if found.lost_calls:
        screen.tell("lost_calls", count=found.lost_calls)


def tell_edited(screen: Screen, playing: Performance, found: Resumption) -> None:
    """Tell how the place was found again, if the story was edited since it was left."""
    if found.found != "exactly":
        tell_found(screen, playing, found)


def _quoted(playing: Performance) -> str:
    """The beginning of the author's line where the story stands."""
    place = playing.player.program.where(playing.player.address)
    text = next(s.text for s in playing.story.scenes if s.file == place.file)
    line = text.split("\n")[place.line - 1].strip()
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _label(playing: Performance) -> str:
    """The passage where the story stands, as its author calls it."""
    program = playing.player.program
    key = program.label_of(playing.player.address)
    op = program.ops[program.labels[key]] if key else None
    return op.name if isinstance(op, Enter) else key


def show_mistakes(problem: SaniwaError) -> None:
    """Show what is wrong with a story, as `saniwa check` does."""
    told = problem.details.get("findings", ())
    errors = [_finding(each) for each in told if each["severity"] == "error"]
    if not errors:
        click.echo(printable(str(problem)))
    for finding in errors[:_MOST_FINDINGS]:
        show_finding(finding, text_of(finding.where.file))


def _finding(told: Mapping[str, Any]) -> Finding:
    place = {key: told[key] for key in ("file", "line", "column", "path")}
    return Finding(
        code=told["code"],
        message=told["message"],
        where=Where(**place),
        hint=told["hint"],
    )
