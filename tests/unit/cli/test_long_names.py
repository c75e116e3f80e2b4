"""Every command, called with names too long for a file system."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from saniwa.cli.main import main, saniwa

_LONG = ("x" * 5_000, "x" * 300 + ".md", "𠮟" * 250, "𠮟" * 250 + ".yaml")
_TEXTS = ("StringParamType", "Words", "Path", "File", "UnprocessedParamType")
_WRITTEN = {"--output", "--token-file", "gate new --dir"}
"""Writing there fails with the system's own error."""
_NEEDED = {
    "agent": "character",
    "book": "default",
    "expected_revision": "0",
    "file": "story.md",
    "files": "story.md",
    "language": "ja",
    "name": "somebody",
    "process": "exploration",
    "role": "human",
    "scenario_id": "mine",
    "words": "submit",
}
_MORE = {
    # An address reserved for documentation: no machine listens there.
    "serve": ("--no-open", "--host=192.0.2.1"),
    "experiment run": ("--seeds=1", "--max-turns=1"),
}


def _iterate_commands(group: click.Group, above: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command in a group, by its full path."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command, way = group.get_command(context, name), f"{above} {name}".strip()
        if isinstance(command, click.Group):
            yield from _iterate_commands(command, way)
        elif command is not None:
            yield way, command


def _spell_parameter(parameter: click.Parameter, value: str) -> str:
    if isinstance(parameter, click.Argument):
        return value
    option = parameter.opts[-1]
    return option if getattr(parameter, "is_flag", False) else f"{option}={value}"


def _iterate_lines(way: str) -> Iterator[tuple[str, list[str]]]:
    """The command with a long name in place of one of its texts at a time."""
    command = _COMMANDS[way]
    for one in command.params:
        if type(one.type).__name__ not in _TEXTS:
            continue
        needed = [each for each in command.params if each.required or each is one]
        for name in _LONG:
            words = [
                _spell_parameter(each, name if each is one else _NEEDED.get(str(each.name), "x"))
                for each in sorted(needed, key=lambda each: each is one)
            ]
            more = () if one.name == "host" else _MORE.get(way, ())
            yield one.opts[-1], [*way.split(), *more, *words]


_COMMANDS = dict(_iterate_commands(saniwa))


@pytest.mark.parametrize("way", _COMMANDS)
def test_a_name_no_file_could_have_is_refused_like_any_other(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A name too long for a file is refused with a documented code, without an internal error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "story.md").write_text("# A\n\nHello.\n")
    for option, words in _iterate_lines(way):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        with pytest.raises(SystemExit) as left:
            main(words)
        told = "".join(capfd.readouterr())
        written = not _WRITTEN.isdisjoint({option, f"{way} {option}"})

        assert left.value.code in (0, 1, 2, 3, 4), (option, told)
        assert "INTERNAL_ERROR" not in told, (option, told)
        assert "SYSTEM_ERROR" not in told or written, (option, told)
