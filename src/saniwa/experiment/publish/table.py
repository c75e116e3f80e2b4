"""`examples_index.csv`: a table that any spreadsheet opens and none calculates.

Rows are parted and quoted as RFC 4180 says. It is for looking through and filtering; the
texts letter for letter are in `turns_log.json` and beside the turns.
"""

import re
from collections.abc import Iterator
from typing import Final

from saniwa.core.quoted import cut
from saniwa.core.sound import sound
from saniwa.experiment.outcome import Outcome
from saniwa.experiment.plan import Condition
from saniwa.experiment.publish.columns import COLUMNS, Row, Value
from saniwa.process.export import harmless
from saniwa.process.record import line_of

LONGEST: Final = 500
"""Letters of a text in the table."""
_LINE_ENDS: Final = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def header() -> bytes:
    """The first line."""
    return line_of(COLUMNS).encode()


def rows_of(
    experiment_id: str, condition: Condition, outcome: Outcome
) -> Iterator[bytes]:
    """The lines of a cell, one a turn."""
    for passage in outcome.passages:
        row = Row(experiment_id, condition, outcome, passage)
        yield line_of(_written(value(row)) for value in COLUMNS.values()).encode()


def _written(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return harmless(_on_one_line(sound(cut(value, LONGEST))))


def _on_one_line(text: str) -> str:
    """The text as one line: readers disagree about line ends within a cell."""
    return _CONTROL.sub("\ufffd", _LINE_ENDS.sub(" ", text))
