import pytest

from saniwa.app.experiments.forecast import Forecast
from saniwa.cli.experiment.render import format_size, show_forecast
from tests.fakes.experiments import make_plan, prepare_plan

_KNOWN = Forecast(
    cells=4,
    calls_fewest=12,
    calls_most=24,
    tokens_fewest=1_000,
    tokens_most=2_000_000,
    cost_fewest=0.5,
    cost_most=1.25,
    unpriced=(),
    disk=1_234_567,
)


@pytest.mark.parametrize(
    ("count", "expected"), [(999, "999 bytes"), (1000, "1.0 kB"), (1_234_567, "1.2 MB")]
)
def test_bytes_as_people_say_them(count: int, expected: str) -> None:
    """Sizes are in multiples of 1000, with one digit."""
    assert expected == format_size(count)


def test_a_forecast_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    """A forecast has the range of cells, calls, tokens, cost and disk space."""
    show_forecast(prepare_plan(make_plan(mode="real")), _KNOWN, as_json=False)
    told = capsys.readouterr().out

    for part in ("cells       4", "12 to 24", "2,000,000", "$0.50 to $1.25", "1.2 MB"):
        assert part in told


def test_an_unknown_price_is_reported_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown price is reported with the model's name."""
    import msgspec

    unknown = msgspec.structs.replace(
        _KNOWN, cost_fewest=None, cost_most=None, unpriced=("ollama:a",)
    )
    show_forecast(prepare_plan(make_plan(mode="real")), unknown, as_json=False)

    assert "there is no price for ollama:a" in capsys.readouterr().out
