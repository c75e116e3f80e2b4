import asyncio

import pytest

from saniwa.agent.layer_contracts import QueryOptions
from saniwa.app.game_table_models import LazyModels
from saniwa.app.model_factory import SharedModels
from saniwa.core.errors import ConfigurationError
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.oracle import Usage


def test_models_that_are_never_asked_are_never_set_up() -> None:
    """Models that are never used are not opened, and have no usage."""
    opened = list[None]()

    def set_up() -> SharedModels:
        opened.append(None)
        return SharedModels(lambda *_: CannedOracle(["yes"]), use="canned:here")

    models = LazyModels(set_up)

    assert Usage() == models.usage
    asyncio.run(models.close())
    assert [] == opened


def test_models_are_set_up_once_and_counted() -> None:
    """Models are opened once at the first question, and counted."""
    opened = list[None]()

    def set_up() -> SharedModels:
        opened.append(None)
        return SharedModels(lambda *_: CannedOracle(["yes", "no"]), use="canned:here")

    models = LazyModels(set_up)

    async def ask_twice() -> list[str]:
        ways = [models.open_bridge(), models.open_bridge()]
        said = [(await way.query("well?", QueryOptions())).text for way in ways]
        await models.close()
        return said

    assert ["yes", "no"] == asyncio.run(ask_twice())
    assert (1, 2) == (len(opened), models.usage.calls)


def test_what_is_wrong_is_reported_when_a_model_is_wanted() -> None:
    """A configuration error is raised when a model is first needed."""
    models = LazyModels(lambda: SharedModels(lambda *_: CannedOracle([])))

    with pytest.raises(ConfigurationError, match="MODEL_UNNAMED"):
        models.open_bridge()
