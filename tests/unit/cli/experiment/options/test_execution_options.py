from typing import Any

import click
import pytest

from saniwa.cli.experiment.options import ExecutionOptions


@pytest.mark.parametrize(
    "options",
    [
        {"cluster": "tcp://a:1", "workers": 2, "store": "x"},
        {"workers": 2, "jobs": 3},
        {"workers": 2, "max_calls": 3},
        {"cluster": "tcp://a:1"},
        {"gate": True, "no_report": True},
    ],
)
def test_options_that_do_not_fit_together_are_refused(options: dict[str, Any]) -> None:
    """Conflicting options are refused before anything is opened."""
    with pytest.raises(click.UsageError):
        ExecutionOptions(**options).check()


def test_ceilings_are_the_models_own() -> None:
    """The options set the limits on calls, tokens and cost."""
    way = ExecutionOptions(max_calls=3, max_cost=0.5)
    way.check()

    assert (3, None, 0.5) == (way.limits.max_calls, way.limits.max_tokens, way.limits.max_cost)
