"""Where the turns behind a number are: which rows of the table of turns it counts."""

from typing import Final

from saniwa.experiment.layout import EXAMPLES
from saniwa.experiment.measure.metrics import METRICS
from saniwa.experiment.report.blocks import Line, Link, Name, Table, Words, words
from saniwa.experiment.report.figures import NOTHING
from saniwa.experiment.report.material import Material

FILTERS: Final = {
    "impossible_deed_rate": "first_refused > 0",
    "final_impossible_deed_rate": "final_refused > 0",
    "invented_deed_rate": "invented is not empty",
    "deeds_per_turn": "first_intents",
    "impossible_rate": "final_refused > 0",
    "first_try_validity": "first_try_valid = true",
    "first_turn_validity": "turn_number = 0, first_try_valid = true",
    "impossible_first_rate": "first_refused > 0",
    "invented_rate": "invented is not empty",
    "avg_retry_steps_extra": "retries > 0",
    "retried_rate": "retries > 0",
    "retry_success_rate": "retry_success = true",
    "silent_correction_rate": "silent_correction = true",
    "give_up_rate": "give_up = true",
    "stall_mean": "stall_score",
    "stall_event_rate": "stall_event = true",
    "stall_recovery_rate": "stall_event = true, and the rows after it",
    "format_break_rate": "format_break_triggered = true",
    "repair_rate": "repaired = true",
    "unread_rate": "unread is not empty",
    "addressing_rate": "addressing is not empty",
    "latency_p50": "latency_ms",
    "latency_p95": "latency_ms",
    "tokens_per_turn": "input_tokens, output_tokens",
    "cost_per_turn": "cost_microdollars",
    "hard_denied": "final_valid = false, and speech is empty",
}
"""Which rows of `examples_index.csv` a metric is about, or which column it is made of;
those that are told of a whole run have none."""
KINDS_BEHIND: Final = {
    "final_impossible_deed_rate": ("stands", "given_up"),
    "invented_deed_rate": ("invented",),
    "impossible_rate": ("stands", "given_up"),
    "first_try_validity": ("kept",),
    "invented_rate": ("invented",),
    "give_up_rate": ("given_up",),
    "retry_success_rate": ("mended", "sorry"),
    "silent_correction_rate": ("mended",),
    "stall_event_rate": ("standstill",),
    "format_break_rate": ("repaired",),
    "addressing_rate": ("unheard",),
}
"""The kinds of shown turns a metric counts."""


def behind(material: Material) -> Table:
    """For every number the rows it counts, and a turn that is shown above."""
    told = [each for each in METRICS if each.name in FILTERS]
    return Table(
        "behind",
        f"The turns behind a number: rows of {EXAMPLES}",
        ("Number", "Rows", "Shown above"),
        tuple(
            (
                words(each.label),
                (Name(FILTERS[each.name]),),
                _shown(material, each.name),
            )
            for each in told
        ),
        "Format breaks are those of the answer that stands; turns_log.json has all "
        "attempts.",
        texts=2,
    )


def _shown(material: Material, metric: str) -> Line:
    links: list[Link | Words] = []
    for condition in material.listed:
        for kind in KINDS_BEHIND.get(metric, ()):
            if anchor := material.sample(condition.name, kind):
                links += [Link(condition.name, f"#{anchor}"), Words(" ")]
                break
    return tuple(links[:-1]) or words(NOTHING)
