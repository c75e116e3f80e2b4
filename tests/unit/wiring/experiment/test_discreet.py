import asyncio

import pytest

from saniwa.agent.oracle import Message, Request
from saniwa.core.errors import ExperimentError
from saniwa.core.redaction import Redaction
from saniwa.wiring.experiment.discreet import Unblotted, check_discreet
from tests.fakes.experiments import Scripted, prepared


def test_a_secret_in_a_plan_is_told_with_its_variable() -> None:
    """What would be blotted out of a recording is refused before it begins."""
    check_discreet(prepared(), {"X_API_KEY": "sk-1234567890", "HOME": "required_key"})
    with pytest.raises(ExperimentError) as caught:
        check_discreet(prepared(), {"X_API_KEY": '"required_key":"key"'})

    assert "NAME_UNUSABLE" == caught.value.code
    assert "X_API_KEY" in caught.value.message
    assert "required_key" not in str(caught.value)


def test_a_question_with_a_secret_in_it_is_not_asked() -> None:
    """Nobody pays for an answer that no recording could give again."""
    oracle = Scripted(["Yes."])
    guarded = Unblotted(oracle, Redaction(["take the cup"]))
    plain, secret = (
        Request(messages=(Message(role="user", text=text),))
        for text in ("May I?", "You may take the cup.")
    )

    assert "Yes." == asyncio.run(guarded.answer(plain)).text
    with pytest.raises(ExperimentError, match="NAME_UNUSABLE"):
        asyncio.run(guarded.answer(secret))
    assert [plain] == oracle.asked
