"""Mappings whose `type` says what else they hold."""

from collections.abc import Mapping
from typing import Any

from saniwa.core.quoted import quoted
from saniwa.process.authoring.page import Page, Path
from saniwa.process.authoring.reading.form import Form
from saniwa.process.authoring.reading.shape import snake, wrong_type


def tag_of(
    page: Page, value: Any, path: Path, forms: Mapping[str, Form], owner: str
) -> str | None:
    """What the mapping says it is; a finding if that is none of the known ones."""
    if not isinstance(value, dict):
        wrong_type(page, path, owner, "a mapping", value)
        return None
    key = next((key for key in value if snake(key) == "type"), None)
    if key is None or value[key] is None:
        known = ", ".join(repr(each) for each in forms)
        page.error(
            "FIELD_MISSING",
            f"{owner} needs 'type'",
            path,
            hint=f"its type is one of {known}",
        )
        return None
    tag = value[key]
    if isinstance(tag, str) and tag in forms:
        return tag
    hint = page.near(tag, forms) if isinstance(tag, str) else ""
    hint = hint or f"its type is one of {', '.join(repr(each) for each in forms)}"
    page.error(
        "UNKNOWN_VALUE", f"{owner} has no type {quoted(tag)}", (*path, key), hint=hint
    )
    return None
