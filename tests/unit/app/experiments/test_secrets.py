import asyncio

import pytest

from saniwa.app.experiments.cell_models import SecretFreeOracle, check_no_secrets
from saniwa.core.errors import ExperimentError
from saniwa.core.redaction import Redactor
from saniwa.models.oracle import OracleMessage, OracleRequest
from tests.fakes.experiments import ScriptedOracle, prepare_plan


def test_a_secret_in_a_plan_is_reported_with_its_variable() -> None:
    """A plan that contains a secret is refused, with the variable's name."""
    check_no_secrets(prepare_plan(), {"X_API_KEY": "sk-1234567890", "HOME": "required_key"})
    with pytest.raises(ExperimentError) as caught:
        check_no_secrets(prepare_plan(), {"X_API_KEY": '"required_key":"key"'})

    assert "NAME_UNUSABLE" == caught.value.code
    assert "X_API_KEY" in caught.value.message
    assert "required_key" not in str(caught.value)


def test_a_question_with_a_secret_in_it_is_not_asked() -> None:
    """A question that contains a secret is refused before it is asked."""
    oracle = ScriptedOracle(["Yes."])
    guarded = SecretFreeOracle(oracle, Redactor(["take the cup"]))
    plain, secret = (
        OracleRequest(messages=(OracleMessage(role="user", text=text),))
        for text in ("May I?", "You may take the cup.")
    )

    assert "Yes." == asyncio.run(guarded.answer(plain)).text
    with pytest.raises(ExperimentError, match="NAME_UNUSABLE"):
        asyncio.run(guarded.answer(secret))
    assert [plain] == oracle.asked
