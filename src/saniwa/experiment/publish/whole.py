"""Everything of an experiment's folder but reports and times. Read `publish` first.

Cells go by one at a time: what is kept of each are its numbers, so that ten thousand need
no more room than one and a table.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from saniwa.core.lasting import is_begun
from saniwa.core.sound import sound
from saniwa.experiment import layout
from saniwa.experiment.measure.model import Analysis, Numbers
from saniwa.experiment.outcome import Outcome
from saniwa.experiment.plan import Prepared
from saniwa.experiment.publish import conversation, table
from saniwa.experiment.publish.artifacts import publish_cell, sweep
from saniwa.experiment.publish.breaks import Breaks
from saniwa.experiment.publish.encoding import json_line, json_page
from saniwa.experiment.publish.results import Ran, ran, results, run_meta
from saniwa.experiment.publish.turns import turn_entry
from saniwa.experiment.publish.writing import Place, placed


def publish(
    prepared: Prepared,
    outcomes: Iterable[Outcome],
    numbers: Sequence[Numbers],
    analysis: Analysis | None,
    folder: Path,
) -> None:
    """Write all files; whatever is there already and the same is left alone.

    Args:
        prepared: The plan.
        outcomes: What came of its cells, in their order; cells that have none yet are
            left out.
        numbers: What was counted in them. What came of a cell since then, from somebody
            at work elsewhere, is left for the next time.
        analysis: What is said about them in numbers; None where nothing was analysed.
        folder: The experiment's folder; made where it is not there. Nobody else may be
            publishing there: what they have begun would be taken for a dead writer's.

    Raises:
        StoreError: `TRACE_UNWRITABLE`; no file is ever half of what it should be.
    """
    with placed(folder) as place:
        cells = _cell_by_cell(prepared, outcomes, numbers, place, folder)
        place.write(layout.RUN_META, json_page({"run_meta": run_meta(prepared)}))
        if analysis is None:
            place.remove(layout.ANALYSIS)
        else:
            place.write(layout.ANALYSIS, json_page(analysis))
        for name in filter(is_begun, place.names()):
            place.remove(name)
        place.write(layout.RESULTS, json_page(results(prepared, cells, analysis)))


def _cell_by_cell(
    prepared: Prepared,
    outcomes: Iterable[Outcome],
    numbers: Sequence[Numbers],
    place: Place,
    folder: Path,
) -> list[Ran]:
    """Write what grows with the cells; gives what is told of each in the results."""
    counted = {each.key: each for each in numbers}
    cells, names = [], set()
    with ExitStack() as open_files:
        pages = _Pages(
            prepared,
            open_files.enter_context(place.stream(layout.TURNS_LOG)),
            open_files.enter_context(place.stream(layout.EXAMPLES)),
            open_files.enter_context(place.stream(layout.CONVERSATION)),
        )
        for outcome in outcomes:
            if outcome.key in counted:
                publish_cell(prepared, outcome, folder)
                names.add(layout.folder_name(outcome.key))
                pages.add(outcome)
                cells.append(ran(outcome, counted[outcome.key]))
        pages.close()
    sweep(folder, names)
    return cells


class _Pages:
    """The three files that hold every turn, while they are written."""

    def __init__(
        self, prepared: Prepared, log: BinaryIO, examples: BinaryIO, talk: BinaryIO
    ) -> None:
        self._plan = prepared.plan
        self._conditions = {each.name: each for each in prepared.plan.conditions}
        self._log, self._examples, self._talk = log, examples, talk
        self._breaks = Breaks()
        self._parting = b"[\n"
        examples.write(table.header())
        self._tell(conversation.opening(prepared.plan))

    def add(self, outcome: Outcome) -> None:
        """Write the turns of a cell."""
        name, condition = self._plan.experiment_id, self._conditions[outcome.condition]
        for passage in outcome.passages:
            entry = json_line(turn_entry(name, outcome, passage))
            self._log.write(self._parting + entry)
            self._parting = b",\n"
        self._examples.writelines(table.rows_of(name, condition, outcome))
        self._tell(*conversation.cell_part(condition, outcome))
        self._breaks.gather(outcome)

    def close(self) -> None:
        """Write what comes after the last cell."""
        self._log.write(b"[]\n" if self._parting == b"[\n" else b"\n]\n")
        self._tell(*conversation.closing(self._breaks))

    def _tell(self, *parts: str) -> None:
        self._talk.write(sound("".join(parts)).encode())
