"""Prompts for stand-ins, as an experiment makes them."""

from typing import Any

from saniwa.agent.oracle import Request
from saniwa.experiment.outcome import Intent
from saniwa.experiment.plan import RETRY_STRIDE, Faults
from saniwa.experiment.standin.hearing import Heard, hear
from saniwa.experiment.standin.luck import Luck
from saniwa.experiment.telling.card import guidance
from saniwa.experiment.telling.facts import Facts, tell_facts
from saniwa.experiment.telling.prompt import Brief, Line, request_of
from tests.fakes.experiments import editions

FAULTLESS = Faults(
    invent=0, misplace=0, force=0, garble=0, repeat=0, heed=100, trust=100, apologise=0
)
"""Errs in nothing, believes what it is told, does what it is offered."""
HOME = Facts(
    place="Hall",
    objects=("brass key", "oak table", "strongbox"),
    holding=("cup",),
    exits=("Kitchen", "Vault"),
    people=("Ben",),
    closed=("strongbox", "Vault"),
    locked=("Vault",),
)
"""A hall: a key to take, a table, a shut box, a way that is open and one that is locked."""


def asked(
    *talk: tuple[str, str],
    facts: Facts | None = None,
    card: str = "",
    attempt: int = 0,
    seed: int = 0,
    language: str = "en",
    **more: Any,
) -> Request:
    """What a character is asked; whoever is not named is Ann, with Ben about."""
    brief: dict[str, Any] = {
        "name": "Ann",
        "others": ("Ben",),
        "language": language,
        "transcript": tuple(Line(who=who, text=text) for who, text in talk),
        "facts": tell_facts(facts) if facts is not None else "",
        "guidance": card,
    }
    return request_of(
        Brief(**(brief | more)),
        editions()["plain"][language],
        max_tokens=256,
        temperature=0.7,
        seed=seed + RETRY_STRIDE * attempt,
    )


def heard(*talk: tuple[str, str], **more: Any) -> Heard:
    """The same, as a stand-in reads it."""
    return hear(asked(*talk, **more))


def card(target: str, facts: Facts, made: int = 1) -> str:
    """A guidance card for something that is nowhere."""
    refused = Intent(
        intent="GET",
        type="take",
        target=target,
        allowed=False,
        reason_code="NOT_FOUND",
        deny_code="MISSING_OBJECT",
        message="You see no such thing here.",
    )
    return guidance(refused, facts, made, 3)


def lucks(count: int = 60) -> list[Luck]:
    """Turns of different luck."""
    return [Luck(seed, "Ann 0") for seed in range(count)]
