"""Mistakes that a type checker must find; nothing runs them.

`make types` fails when mypy lets one through: its comment is then reported as unused.
"""

from saniwa import Gate, open_scenario
from saniwa.results import Verdict


def make_mistakes(verdict: Verdict, gate: Gate) -> int:
    """A wrong type and two wrong arguments, so the types of these are not `Any`."""
    reason: int = verdict.reason_code  # type: ignore[assignment]
    open_scenario(5)  # type: ignore[arg-type]
    gate.close(1)  # type: ignore[call-arg]
    return reason
