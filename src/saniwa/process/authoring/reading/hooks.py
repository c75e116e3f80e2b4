"""What happens on entering and leaving a state, read from a definition."""

import re
from typing import Any, Literal, cast

from saniwa.core.quoted import quoted
from saniwa.process.authoring.naming import good_name
from saniwa.process.authoring.page import Page, Path
from saniwa.process.authoring.reading.form import HOOKS
from saniwa.process.authoring.reading.shape import Fields, fields, needs
from saniwa.process.authoring.reading.tagged import tag_of
from saniwa.process.definition import Hook, Notify, SetVariable, WriteArtifact

LONGEST_ADDRESS = 2_000
"""Letters the address of a webhook may have."""
_WAYS = ("log", "webhook")
_ADDRESS = re.compile(
    r"https?://[^\s\x00-\x1f\x7f/?#@\\]+(?:[/?#][^\s\x00-\x1f\x7f\\]*)?", re.IGNORECASE
).fullmatch


def hooks_of(page: Page, items: list[Any], path: Path) -> list[tuple[Hook, Path]]:
    """The hooks of a list that could be read, each with the way to it."""
    ways = [(*path, nth) for nth in range(len(items))]
    read = [(_hook(page, items[nth], way), way) for nth, way in enumerate(ways)]
    return [(hook, way) for hook, way in read if hook is not None]


def _hook(page: Page, value: Any, path: Path) -> Hook | None:
    kind = tag_of(page, value, path, HOOKS, "a hook")
    if kind is None:
        return None
    found = fields(page, value, path, HOOKS[kind], f"a {kind!r} hook")
    assert found is not None, "what has a type is a mapping"
    if kind == "write_artifact":
        return _written(page, found, path)
    if kind == "set_variable":
        return _set(page, found, path)
    return _told(page, found, path)


def _written(page: Page, found: Fields, path: Path) -> Hook | None:
    wanted = ("artifact_type", "content")
    if not needs(page, found, wanted, path, "a 'write_artifact' hook"):
        return None
    return WriteArtifact(
        artifact_type=found.said("artifact_type"), content=found.said("content")
    )


def _set(page: Page, found: Fields, path: Path) -> Hook | None:
    if not needs(page, found, ("variable", "value"), path, "a 'set_variable' hook"):
        return None
    variable = found.said("variable")
    if not good_name(page, variable, found["variable"].path):
        return None
    return SetVariable(variable=variable, value=found.said("value"))


def _told(page: Page, found: Fields, path: Path) -> Hook | None:
    via, url = found.said("via", "log"), found.said("url", "")
    if via not in _WAYS:
        page.error(
            "UNKNOWN_VALUE",
            f"nobody is told by {quoted(via)}",
            found["via"].path,
            hint="write 'log' or 'webhook'",
        )
        return None
    if via == "webhook" and not needs(page, found, ("url",), path, "a webhook"):
        return None
    if url and (len(url) > LONGEST_ADDRESS or _ADDRESS(url) is None):
        page.error(
            "ADDRESS_UNUSABLE",
            f"{quoted(url)} is no address that can be told",
            found["url"].path,
            hint="write an http or https address, without a name or password in it",
        )
        return None
    way = cast(Literal["log", "webhook"], via)
    return Notify(via=way, url=url, message=found.said("message", ""))
