import asyncio

import pytest

from saniwa.agent.bridges.canned import Canned
from saniwa.agent.contract import QueryOptions
from saniwa.agent.oracle import Usage
from saniwa.core.errors import ConfigurationError
from saniwa.wiring.late_models import LateModels
from saniwa.wiring.shared_models import SharedModels


def test_models_that_nobody_asks_are_never_set_up() -> None:
    """They have cost nothing, and there is nothing to close."""
    opened = list[None]()

    def set_up() -> SharedModels:
        opened.append(None)
        return SharedModels(lambda *_: Canned(["yes"]), use="canned:here")

    models = LateModels(set_up)

    assert Usage() == models.usage
    asyncio.run(models.close())
    assert [] == opened


def test_models_are_set_up_once_and_counted() -> None:
    """From the first question on they are what they would have been."""
    opened = list[None]()

    def set_up() -> SharedModels:
        opened.append(None)
        return SharedModels(lambda *_: Canned(["yes", "no"]), use="canned:here")

    models = LateModels(set_up)

    async def asked() -> list[str]:
        ways = [models.bridge(), models.bridge()]
        said = [(await way.query("well?", QueryOptions())).text for way in ways]
        await models.close()
        return said

    assert ["yes", "no"] == asyncio.run(asked())
    assert (1, 2) == (len(opened), models.usage.calls)


def test_what_is_wrong_is_told_when_a_model_is_wanted() -> None:
    """And not before."""
    models = LateModels(lambda: SharedModels(lambda *_: Canned([])))

    with pytest.raises(ConfigurationError, match="MODEL_UNNAMED"):
        models.bridge()
