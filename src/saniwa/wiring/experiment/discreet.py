"""Secrets of the environment that also stand in what models are told.

Answers are cleaned of secrets before anybody uses them, so whatever still stands in a
question comes from the plan. In a recording it would be blotted out, and the recording
would answer nobody who does not have the same secrets.
"""

import os
from collections.abc import Mapping

from saniwa.agent.bridges.clean import clean_request
from saniwa.agent.oracle import Answer, Hear, Oracle, Request
from saniwa.core.errors import ExperimentError
from saniwa.core.redaction import Redaction, environment_secrets
from saniwa.experiment.plan import Prepared


class Unblotted:
    """Asks only what can be recorded as it is."""

    def __init__(self, oracle: Oracle, redaction: Redaction) -> None:
        self._oracle, self._redaction = oracle, redaction

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """The oracle's answer.

        Raises:
            ExperimentError: `NAME_UNUSABLE`: a secret stands in the question.
            SdkBridgeError: What the oracle says.
        """
        if clean_request(request, self._redaction).key != request.key:
            raise _blotted("a secret of the environment", "the variable")
        return await self._oracle.answer(request, hear)

    async def close(self) -> None:
        """Let go of the oracle; more than once is no mistake."""
        await self._oracle.close()


def check_discreet(
    prepared: Prepared, environment: Mapping[str, str] | None = None
) -> None:
    """See beforehand that no secret stands in a plan, its scenarios and its prompts.

    Raises:
        ExperimentError: `NAME_UNUSABLE`.
    """
    known = os.environ if environment is None else environment
    written = prepared.encoded().decode()
    for name, value in sorted(known.items()):
        redaction = Redaction(environment_secrets({name: value}))
        if redaction.text(written) != written:
            raise _blotted(f"the secret in {name}", name)


def _blotted(what: str, variable: str) -> ExperimentError:
    return ExperimentError(
        "NAME_UNUSABLE",
        f"{what} also stands in what models are told: it would be blotted out, and "
        "nobody without it could replay the recording",
        hint=f"unset {variable}, or call it something that names no secret",
    )
