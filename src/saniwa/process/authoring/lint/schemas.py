"""Schemas that are none, and first values that break theirs."""

from collections.abc import Iterator
from typing import Any

from saniwa.process.authoring.draft import Draft
from saniwa.process.authoring.page import Page, Path
from saniwa.process.definition import Process


def look(page: Page, draft: Draft) -> None:
    """Note both."""
    unsound = [
        path for schema, path in _schemas(draft) if not _check(page, schema, path)
    ]
    if (
        draft.header.get("initial_context")
        and draft.at("context_schema") not in unsound
    ):
        _first_values(page, draft)


def _schemas(draft: Draft) -> Iterator[tuple[Any, Path]]:
    if draft.header.get("context_schema") is not None:
        yield draft.header["context_schema"], draft.at("context_schema")
    for event in draft.events:
        if event.part.payload_schema is not None:
            yield event.part.payload_schema, event.at("payload_schema")
    for kind in draft.artifacts:
        if kind.part.schema is not None:
            yield kind.part.schema, kind.at("schema")


def _check(page: Page, schema: Any, path: Path) -> bool:
    # Takes longer to load than most definitions take to read, and most have no schema.
    from saniwa.process.weighing.schema import check_schema

    why = check_schema(schema)
    if why:
        page.error(
            "SCHEMA_INVALID",
            f"this is no JSON Schema we can use: {why}",
            path,
            hint="schemas follow JSON Schema, and refer to nothing outside the file",
        )
    return not why


def _first_values(page: Page, draft: Draft) -> None:
    """What the gate itself would say of a run that begins so."""
    from saniwa.process.weighing.plan import Plan
    from saniwa.process.weighing.variables import problems

    header = draft.header
    plan = Plan(
        Process(
            process_id="",
            version="",
            name="",
            initial_state="",
            states=(),
            variables_schema=header.get("context_schema"),
        )
    )
    for found in problems(plan, header["initial_context"], ""):
        page.error(
            "INVALID_INITIAL_CONTEXT",
            f"'initial_context' cannot be: {found.path} {found.message}",
            draft.at("initial_context"),
            hint="every run begins with it, so it must fit 'context_schema'",
        )
