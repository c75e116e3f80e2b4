"""`saniwa gate new`: a process of one's own, begun from another."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from saniwa.cli.gate.door import dir_option
from saniwa.cli.gate.lines import warn
from saniwa.cli.gate.named import file_named
from saniwa.cli.gate.naming import how_id_is_written
from saniwa.cli.gate.words import WORDS
from saniwa.cli.options import json_option
from saniwa.cli.render import answer
from saniwa.core.errors import ProcessError
from saniwa.core.quoted import printable, quoted
from saniwa.core.where import Where

if TYPE_CHECKING:
    from saniwa.process.authoring.reading import Read
    from saniwa.process.definition import Process

_ID = re.compile(r"""^(["']?process_id["']?\s*:).*$""", re.MULTILINE)


@click.command()
@click.argument("name", type=WORDS)
@click.option(
    "--from",
    "source",
    type=WORDS,
    default="exploration",
    show_default=True,
    metavar="ID|FILE",
    help="The process to begin from, in YAML.",
)
@dir_option
@json_option
def new(name: str, source: str, place: str | None, as_json: bool) -> None:
    """Write a process of your own, to begin from, where the gate finds it.

    It is another process under a new id, its comments included. Nothing is ever written
    over, and nothing is written that could not be read.

    \b
    Example:
      saniwa gate new tasting --from exploration
    """
    from saniwa.process.authoring.library import ShippedLibrary, checked
    from saniwa.process.authoring.reading import read_process
    from saniwa.wiring.gate import gate_folders

    read = read_process(file_named(source, place))
    text = _renamed(read, checked(read), _plain(name), source)
    path = gate_folders(place).processes / f"{name}.yaml"
    _write(path, text)
    if name in ShippedLibrary().names():
        warn(f"{name!r} is also a process that comes with Saniwa; yours is taken now")
    if as_json:
        answer({"process_id": name, "path": str(path)})
        return
    click.echo(printable(f"wrote {path}"))
    click.echo(printable(f"check it: saniwa gate check {name}"))


def _renamed(read: "Read", process: "Process", name: str, source: str) -> str:
    """The text of a process under another id; read once more, and nothing else changed."""
    from saniwa.process.authoring.reading import read_process_text

    document = read.document
    if document.text.lstrip().startswith("{"):
        raise click.BadParameter(f"--from: {source!r} is JSON, and not YAML in lines")
    # In quotes: without them YAML takes some names for numbers or truth values.
    text = _ID.sub(lambda key: f'{key[1]} "{name}"', document.text, count=1)
    if read_process_text(text).process != replace(process, process_id=name):
        why, line = how_id_is_written(document)
        raise click.BadParameter(
            f"--from: {source!r} cannot get another id: {why} (line {line}); "
            f"write it in one line at the top: process_id: {process.process_id}"
        )
    return text


def _plain(name: str) -> str:
    from saniwa.process.authoring.naming import is_plain

    if not is_plain(name):
        raise ProcessError(
            "NAME_UNUSABLE",
            f"{quoted(name)} cannot be the id of a process",
            hint="use letters, digits, '_' and '-', such as tasting",
            details={"process_id": name},
        )
    return name


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError as problem:
        raise ProcessError(
            "PROCESS_EXISTS",
            f"there is a process {quoted(path.stem)} already",
            where=Where(file=str(path)),
            hint="choose another id, or edit what is there",
        ) from problem
