"""Values on the command line: JSON as it is, or `@FILE`."""

from typing import TYPE_CHECKING, Any

import click
import msgspec

if TYPE_CHECKING:
    from saniwa.process.artifact import Claim

_LARGEST = 10_000_000


def json_value(text: str, option: str) -> Any:
    """The JSON in a text, or in the file that an `@` names."""
    try:
        return msgspec.json.decode(_content(text, option))
    except (ValueError, RecursionError) as problem:
        raise click.BadParameter(f"{option} is no JSON: {problem}") from problem


def json_object(text: str | None, option: str) -> dict[str, Any]:
    """The JSON object in a text or a file; an empty one for none."""
    if text is None:
        return {}
    value = json_value(text, option)
    if not isinstance(value, dict):
        raise click.BadParameter(f'{option} must be a JSON object, such as {{"a": 1}}')
    return value


def inline(text: str) -> "Claim":
    """The artifact in `TYPE=JSON` or `TYPE=@FILE`."""
    from saniwa.process.artifact import Claim

    kind, value = _split(text, "--inline", "TYPE=JSON")
    return Claim(type=kind, content=json_value(value, "--inline"))


def address(text: str) -> "Claim":
    """The artifact in `TYPE=URL#sha256=HEX`."""
    from saniwa.process.artifact import Claim

    kind, value = _split(text, "--url", "TYPE=URL#sha256=HEX")
    url, _, hash = value.partition("#sha256=")
    return Claim(type=kind, url=url, hash=hash)


def _split(text: str, option: str, form: str) -> tuple[str, str]:
    kind, equals, value = text.partition("=")
    if not equals or not kind:
        raise click.BadParameter(f"{option} is written {form}, and not {text[:60]!r}")
    return kind, value


def content_of(file: str, option: str, largest: int = _LARGEST) -> bytes:
    """Everything in a small regular file; nothing else is waited for."""
    from saniwa.core.small_file import UnfitFileError, small_file

    try:
        return small_file(file, largest)
    except UnfitFileError as problem:
        raise click.BadParameter(f"{option}: {file!r} {problem}") from problem
    except FileNotFoundError as problem:
        raise click.BadParameter(f"{option}: there is no file {file!r}") from problem
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or problem
        told = f"{option}: {file!r} cannot be read: {why}"
        raise click.BadParameter(told) from problem


def _content(text: str, option: str) -> bytes:
    if text.startswith("@"):
        return content_of(text[1:], option)
    return text.encode("utf-8", "surrogateescape")
