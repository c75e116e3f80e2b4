"""`examples_index.csv`: a table that any spreadsheet opens and none calculates.

Rows are parted and quoted as RFC 4180 says. It is for looking through and filtering; the
texts letter for letter are in `turns_log.json` and beside the turns.
"""

from collections.abc import Iterator
from typing import Final

from saniwa.core.csv_text import harmless, line_of
from saniwa.core.quoted import cut
from saniwa.core.sound import sound
from saniwa.experiment.outcome import Outcome
from saniwa.experiment.plan import Condition
from saniwa.experiment.publish.columns import COLUMNS, Row, Value
from saniwa.experiment.shown import visible_line

LONGEST: Final = 500
"""Letters of a text in the table."""


def header() -> bytes:
    """The first line."""
    return line_of(COLUMNS).encode()


def rows_of(
    experiment_id: str, condition: Condition, outcome: Outcome
) -> Iterator[bytes]:
    """The lines of a cell, one a turn."""
    for passage in outcome.passages:
        row = Row(experiment_id, condition, outcome, passage)
        told = (column.told(row) for column in COLUMNS.values())
        yield line_of(in_csv(_short(value)) for value in told).encode()


def in_csv(value: Value | None) -> str:
    """What stands in one cell of a table for spreadsheets; nothing for None.

    Texts stand on one line, for readers disagree about line ends within a cell; what
    cannot be seen is shown, and nothing is a formula.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return harmless(visible_line(sound(value)))


def _short(value: Value | None) -> Value | None:
    return cut(value, LONGEST) if isinstance(value, str) else value
