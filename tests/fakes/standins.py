"""Prompts for stand-ins, as an experiment builds them."""

from typing import Any

from saniwa.experiment.cell_outcome import Intent
from saniwa.experiment.plan import RETRY_STRIDE, StandInFaults
from saniwa.experiment.prompts import (
    SpeakerBrief,
    SpeakerFacts,
    TranscriptLine,
    build_request,
    render_facts,
    write_guidance_card,
)
from saniwa.experiment.stand_in.deeds import StandInChance
from saniwa.experiment.stand_in.prompt_reader import PromptReading, read_prompt
from saniwa.models.oracle import OracleRequest
from tests.fakes.experiments import make_editions

FAULTLESS = StandInFaults(
    invent=0, misplace=0, force=0, garble=0, repeat=0, heed=100, trust=100, apologise=0
)
"""Makes no mistakes, believes every fact, follows every suggestion."""
HOME = SpeakerFacts(
    place="Hall",
    objects=("brass key", "oak table", "strongbox"),
    holding=("cup",),
    exits=("Kitchen", "Vault"),
    people=("Ben",),
    closed=("strongbox", "Vault"),
    locked=("Vault",),
)
"""A hall with a key, a table, a closed box, an open way and a locked one."""


def make_request(
    *talk: tuple[str, str],
    facts: SpeakerFacts | None = None,
    card: str = "",
    attempt: int = 0,
    seed: int = 0,
    language: str = "en",
    **more: Any,
) -> OracleRequest:
    """The prompt of a character, by default of Ann with Ben present."""
    brief: dict[str, Any] = {
        "name": "Ann",
        "others": ("Ben",),
        "language": language,
        "transcript": tuple(TranscriptLine(who=who, text=text) for who, text in talk),
        "facts": render_facts(facts) if facts is not None else "",
        "guidance": card,
    }
    return build_request(
        SpeakerBrief(**(brief | more)),
        make_editions()["plain"][language],
        max_tokens=256,
        temperature=0.7,
        seed=seed + RETRY_STRIDE * attempt,
    )


def read_request(*talk: tuple[str, str], **more: Any) -> PromptReading:
    """The same prompt, as a stand-in reads it."""
    return read_prompt(make_request(*talk, **more))


def render_card(target: str, facts: SpeakerFacts, made: int = 1) -> str:
    """A guidance card for an object that does not exist."""
    refused = Intent(
        intent="GET",
        type="take",
        target=target,
        allowed=False,
        reason_code="NOT_FOUND",
        deny_code="MISSING_OBJECT",
        message="You see no such thing here.",
    )
    return write_guidance_card(refused, facts, made, 3)


def make_chances(count: int = 60) -> list[StandInChance]:
    """Turns with different random draws."""
    return [StandInChance(seed, "Ann 0") for seed in range(count)]
