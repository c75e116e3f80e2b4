import asyncio

import pytest

from saniwa.core.errors import RunError
from saniwa.experiment.run_template import RunTemplate
from saniwa.rulebook.loader import resolve_layers
from saniwa.scenario.loader import load_scenario
from saniwa.world.model import Id
from tests.fakes.experiments import HOUSE

TURNED = HOUSE | {"characters": dict(reversed(HOUSE["characters"].items()))}
"""The house, with its characters in the reverse order."""


def _make_template(**how: str) -> RunTemplate:
    return RunTemplate(load_scenario(TURNED), resolve_layers("default"), **how)


def test_the_cast_is_as_it_was_written() -> None:
    """The characters keep the order of the scenario, whatever their ids are."""
    assert [*TURNED["characters"]] == [who.id for who in _make_template().cast]
    assert sorted(TURNED["characters"]) != [*TURNED["characters"]]


def test_every_run_begins_again() -> None:
    """A change in one run is not seen in the next, nor in the template."""
    stage = _make_template()
    first, second = stage.begin_run(1), stage.begin_run(2)
    asyncio.run(first.say("take the cup", "ann"))

    assert ("ann", "kitchen", "kitchen") == tuple(
        world.entities[Id("cup")].place for world in (first.world, second.world, stage.world)
    )
    assert (1, 2) == (first.record.seed, second.record.seed)


def test_nothing_is_by_chance() -> None:
    """Two runs with one seed record the same action identically."""
    runs = [_make_template().begin_run(3) for _ in range(2)]
    for run in runs:
        asyncio.run(run.say("take the cup", "ann"))

    assert runs[0].record == runs[1].record == _make_template().make_record(3)
    assert [*runs[0].read_turns()] == [*runs[1].read_turns()]


def test_language_and_actor_are_said_or_the_authors() -> None:
    """The given language and actor are used, or else those of the scenario."""
    assert ("ja", "ben") == (
        _make_template(language="ja").language,
        _make_template(actor="ben").actor,
    )
    assert "en" == _make_template().language
    with pytest.raises(RunError, match="nobody"):
        _make_template(actor="nobody")
