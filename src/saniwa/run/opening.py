"""What a run begins with, checked and written down whole."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from saniwa.core.errors import RunError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.scenario.load import Scenario
from saniwa.store.layout import RunRecord
from saniwa.world.model import World

LANGUAGES = ("en", "ja")
"""The languages a run can be told in."""


def opening_record(
    scenario: Scenario,
    books: Sequence[Mapping[str, Any]],
    *,
    run_id: str,
    created: int,
    actor: str | None = None,
    language: str | None = None,
    seed: int = 0,
) -> RunRecord:
    """Everything needed to play the run again from nothing.

    Raises:
        RunError: `ACTOR_UNKNOWN`, `LANGUAGE_UNKNOWN`.
    """
    return RunRecord(
        run_id=run_id,
        scenario_id=scenario.id,
        scenario=scenario.document,
        scenario_hash=scenario.scenario_hash,
        world_hash=scenario.world_hash,
        books=tuple(dict(layer) for layer in books),
        actor_id=player_of(scenario.world, actor),
        language=_language(language or scenario.world.language),
        seed=seed,
        created=created,
        version=version("saniwa"),
    )


def player_of(world: World, named: str | None) -> str:
    """Whom the player plays: the character that is named, else the author's first.

    Raises:
        RunError: `ACTOR_UNKNOWN`.
    """
    cast = [who.id for who in world.characters()]
    who = world.protagonist if named is None else named
    if who not in cast:
        raise RunError(
            "ACTOR_UNKNOWN",
            f"there is no character {quoted(who)} to play",
            hint=did_you_mean(who or "", cast) or f"there is: {', '.join(cast)}",
            details={"actor": who, "cast": cast},
        )
    return who


def _language(named: str) -> str:
    if named not in LANGUAGES:
        raise RunError(
            "LANGUAGE_UNKNOWN",
            f"no story can be told in {quoted(named)}",
            hint=f"there is: {', '.join(LANGUAGES)}",
        )
    return named
