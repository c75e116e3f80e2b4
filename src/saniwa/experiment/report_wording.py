"""Words numbers and sentences for readers: few digits, a unit, a real minus sign.

The sentences are in `report_wording.json`. Besides the usual formats, `{runs:#run}` counts
(`1 run`, `2 runs`) and `{runs:is|are}` chooses a word by number. `texts.ja.json` has the
same sentences and the labels of reports in Japanese.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, Final

import msgspec

from saniwa.core.translations import LANGUAGE, read_texts
from saniwa.experiment.analysis_records import Estimate, Metric
from saniwa.experiment.plan import ExperimentPlan, count_cells, list_players

NOTHING: Final = "–"
"""The text if there is nothing to count."""
_TINY: Final = 0.001
_UNIT_FORMATS: Final = {
    "rate": ("{} %", 1),
    "ms": ("{} ms", 0),
    "usd": ("${}", 6),
    "tokens": ("{}", 1),
    "count": ("{}", 2),
    "score": ("{}", 3),
}
"""The pattern of a figure, and its digits after the point, by unit."""


def format_figure(value: float | None, metric: Metric) -> str:
    """Format a value of a metric."""
    if value is None:
        return NOTHING
    pattern, digits = _UNIT_FORMATS[metric.unit]
    return pattern.format(_format_digits(value * (100 if metric.unit == "rate" else 1), digits))


def format_change(value: float | None, metric: Metric) -> str:
    """Format a difference of two values, with its sign."""
    if value is None:
        return NOTHING
    rate = metric.unit == "rate"
    text = (
        write_sentence("figure.points", value=_format_digits(value * 100, 1))
        if rate
        else format_figure(value, metric)
    )
    return f"+{text}" if value > 0 and _is_nonzero(text) else text


def format_interval(
    low: float | None,
    high: float | None,
    metric: Metric,
    form: Callable[[float, Metric], str] = format_figure,
) -> str:
    """Format an interval, such as `(0.1 to 0.3)`; empty if there is none.

    A common unit of both ends is shown once.
    """
    if low is None or high is None:
        return ""
    first, last = form(low, metric), form(high, metric)
    number, _, unit = first.partition(" ")
    low_end = number if last.endswith(f" {unit}") else first
    return write_sentence("figure.interval", low=low_end, high=last)


def format_change_interval(low: float | None, high: float | None, metric: Metric) -> str:
    """Format the interval of a difference; empty if there is none."""
    return format_interval(low, high, metric, format_change)


def format_estimate(estimate: Estimate | None, metric: Metric) -> tuple[str, str]:
    """Format an estimate and its interval."""
    if estimate is None:
        return NOTHING, ""
    return format_figure(estimate.mean, metric), format_interval(
        estimate.low, estimate.high, metric
    )


def format_probability(p: float | None) -> str:
    """Format a probability as papers do."""
    if p is None:
        return NOTHING
    return "< 0.001" if p < _TINY else f"{p:.3f}"


def format_number(value: float | None, digits: int = 2) -> str:
    """Format a number without a unit."""
    return NOTHING if value is None else _format_digits(value, digits)


def format_count(value: int) -> str:
    """Format a whole number."""
    return f"{value:,}"


def pluralize_count(value: int, thing: str) -> str:
    """Format a count of something: `1 run`, `2 runs`."""
    return f"{format_count(value)} {thing}{'' if value == 1 else 's'}"


def _format_digits(value: float, digits: int) -> str:
    text = f"{value:,.{digits}f}"
    if text.startswith("-"):
        return f"−{text[1:]}" if _is_nonzero(text) else text[1:]
    return text


def _is_nonzero(text: str) -> bool:
    """Return whether the text shows a number other than zero."""
    return any(digit in text for digit in "123456789")


class _SentenceFormatter(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec.startswith("#"):
            return pluralize_count(value, format_spec[1:])
        one, choice, many = format_spec.partition("|")
        if choice:
            return one if value == 1 else many
        return str(super().format_field(value, format_spec))


def translate_label(text: str) -> str:
    """Return a label in the language in use; any other text is returned unchanged."""
    return read_texts("experiment", LANGUAGE.get()).get(text, text)


def write_sentence(sentence: str, **values: Any) -> str:
    """Return a sentence of `report_wording.json`, filled with values; they are not escaped."""
    shown = {
        name: translate_label(value) if isinstance(value, str) else value
        for name, value in values.items()
    }
    return _SentenceFormatter().format(find_sentence(sentence), **shown)


def find_sentence(*names: str) -> str:
    """Return the first of these sentences that there is, unfilled."""
    known = _read_sentences()
    name = next(name for name in names if name in known)
    return read_texts("experiment", LANGUAGE.get()).get(name, known[name])


def join_sentences(sentences: Iterable[str]) -> str:
    """Return sentences as one text; Japanese has no spaces between them."""
    return ("" if LANGUAGE.get() == "ja" else " ").join(filter(None, sentences))


@cache
def _read_sentences() -> dict[str, str]:
    content = Path(__file__).with_name("report_wording.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, str])


def count_more(total: int, shown: int) -> str:
    """Say how many of a list are not shown; empty if none."""
    return write_sentence("list.more", more=total - shown) if total > shown else ""


_MOST: Final = 8


def describe_missing_runs(missing: Mapping[str, int]) -> str:
    """List the conditions with the number of missing runs, such as `A 1, D 2`."""
    parts = [f"{name} {format_count(many)}" for name, many in missing.items()]
    return ", ".join(parts[:_MOST]) + count_more(len(parts), _MOST)


def describe_players(plan: ExperimentPlan) -> str:
    """Return who answered: stand-ins, canned answers, models."""
    named = [find_sentence(f"players.{each}") for each in list_players(plan)]
    return find_sentence("players.and").join(named)


def describe_unfinished(plan: ExperimentPlan, runs: int) -> str:
    """Say that runs are missing, so that the answers are preliminary; empty if none are."""
    planned = count_cells(plan)
    return write_sentence("notice.unfinished", runs=runs, planned=planned) if runs < planned else ""


def describe_simulation(plan: ExperimentPlan) -> str:
    """Say that no language model answered; empty if one did."""
    players = list_players(plan)
    if "models" in players:
        return ""
    return join_sentences(find_sentence(f"simulation.{each}") for each in players)
