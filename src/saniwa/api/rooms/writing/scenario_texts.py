"""The texts of scenarios: read, kept; and new scenarios."""

import asyncio
from typing import Annotated, Literal

import msgspec

from saniwa.api.operation import Answer, Call, Operation, at
from saniwa.api.rooms.scenarios import ScenarioLine, line_of
from saniwa.api.rooms.writing.checking import Named
from saniwa.api.rooms.writing.story_texts import Kept
from saniwa.wiring.garden.garden import Garden
from saniwa.wiring.garden.making import made_once
from saniwa.wiring.writing.new_scenario import (
    copy_scenario,
    new_scenario,
    new_scenarios_in,
)
from saniwa.wiring.writing.scenario_source import Source, read_source, write_source


class NewScenario(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """A scenario to be made."""

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
    """What it is to go by: letters, digits, `_` and `-`."""
    language: Literal["en", "ja"] = "en"
    """The language of the text to begin from."""
    copy_of: Named = ""
    """The scenario to be copied instead; empty for none."""


async def read_scenario_text(call: Call) -> Source:
    """Read the text of a scenario."""
    registry = call.garden.parts.registry
    return await asyncio.to_thread(read_source, call.path["scenario"], registry)


async def keep_scenario_text(call: Call) -> Source:
    """Keep the text of a scenario."""
    body, registry = call.body, call.garden.parts.registry
    return await asyncio.to_thread(
        write_source, call.path["scenario"], body.text, body.seen, registry
    )


async def make_scenario(call: Call) -> Answer:
    """Make a scenario, or a copy of one; the same request again finds what it made."""
    made = await asyncio.to_thread(_made, call)
    line = await asyncio.to_thread(line_of, call.garden, made)
    return Answer(body=line, headers=(at("scenarios", made),))


def _made(call: Call) -> str:
    garden, body = call.garden, call.body
    return made_once(
        garden.begun,
        new_scenarios_in(body.id, garden.parts.registry),
        call.caller.name,
        call.asked,
        body.id,
        lambda: _make(garden, body),
    )


def _make(garden: Garden, body: NewScenario) -> None:
    registry = garden.parts.registry
    if body.copy_of:
        copy_scenario(body.id, body.copy_of, registry)
    else:
        new_scenario(body.id, body.language, registry)


_SCENARIO = {"scenario": "door_and_key"}
OPERATIONS = (
    Operation(
        name="makeScenario",
        method="POST",
        path="/scenarios",
        summary="Make a scenario to begin from, or a copy of one",
        run=make_scenario,
        takes=NewScenario,
        answers=ScenarioLine,
        needs="change",
        status=201,
        keyed=True,
        codes=(
            "REGISTRY_MISSING",
            "NAME_UNUSABLE",
            "SCENARIO_EXISTS",
            "READ_ONLY",
            "FILE_UNWRITABLE",
            "LOCK_TIMEOUT",
            "IDEMPOTENCY_CONFLICT",
        ),
        example={"id": "my_world", "language": "en"},
    ),
    Operation(
        name="readSource",
        method="GET",
        path="/scenarios/{scenario}/source",
        summary="Read the text of a scenario",
        run=read_scenario_text,
        answers=Source,
        codes=("REGISTRY_MISSING",),
        path_examples=_SCENARIO,
    ),
    Operation(
        name="keepSource",
        method="PUT",
        path="/scenarios/{scenario}/source",
        summary="Keep the text of a scenario, if it is still the version that was seen",
        run=keep_scenario_text,
        takes=Kept,
        takes_text=True,
        answers=Source,
        needs="change",
        codes=(
            "REGISTRY_MISSING",
            "READ_ONLY",
            "REVISION_CONFLICT",
            "FILE_UNWRITABLE",
            "LOCK_TIMEOUT",
        ),
        example={"text": "name: hut\n", "seen": "0123456789abcdef"},
        path_examples=_SCENARIO,
    ),
)
