"""Writes everything in an experiment's folder except reports and times.

Read `publish_experiment` first. Cells are processed one at a time and only their
numbers are held in memory, so that ten thousand cells need little more memory than one.
Every conversation goes to `CONVERSATION_REPORT.md`, with what was refused and repaired.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from saniwa.core.atomic_files import is_pending_name
from saniwa.core.text import format_csv_row, replace_surrogates, truncate
from saniwa.experiment.analysis_records import Analysis, CellNumbers
from saniwa.experiment.cell_outcome import AnswerAttempt, CellOutcome, CellTurn, Intent, WorkRecord
from saniwa.experiment.output import output_folder, turn_records
from saniwa.experiment.output.output_folder import (
    ARTIFACTS,
    RECORDING,
    WORK,
    WORLD,
    OutputFolder,
    encode_json_line,
    encode_json_page,
    escape_markdown,
    make_folder_name,
    name_attempt_file,
    name_parsed_file,
    name_raw_file,
    name_repaired_file,
    open_output_folder,
)
from saniwa.experiment.output.results import CellResult, build_results, build_run_meta
from saniwa.experiment.output.turn_records import build_parsed, build_turn_entry, describe_repair
from saniwa.experiment.plan import Condition, ExperimentPlan, PreparedPlan

MAX_EXAMPLES: Final = 3
"""The most examples of one condition."""


class FormatBreak(NamedTuple):
    """An answer that broke the format."""

    key: str
    """The key of the cell."""
    turn: int
    """The turn, from 0."""
    attempt: AnswerAttempt
    """The answer."""


class FormatBreaks:
    """Collects format breaks cell by cell, and stores only those that will be shown."""

    def __init__(self) -> None:
        self.worst = dict[str, list[FormatBreak]]()
        """The examples of each condition: most repair steps first, then in order."""
        self.counts = Counter[str]()
        """How often the format was broken, by condition."""

    def add_outcome(self, outcome: CellOutcome) -> None:
        """Collect the format breaks of all attempts of a cell."""
        found = [
            FormatBreak(outcome.key, passage.number, attempt)
            for passage in outcome.passages
            for attempt in passage.attempts
            if attempt.break_type != "NONE"
        ]
        if found:
            name = outcome.condition
            self.counts[name] += len(found)
            ranked = sorted(
                [*self.worst.get(name, ()), *found],
                key=lambda example: -example.attempt.repair_steps,
            )
            self.worst[name] = ranked[:MAX_EXAMPLES]


LONGEST_TEXT: Final = 600
"""The most characters of a text on the page; the files have all of it."""
_LONGEST_NAME: Final = 120


def render_opening(plan: ExperimentPlan) -> str:
    """Render the head of the page."""
    question = f"\nQuestion: {_render_speech(plan.question)}\n" if plan.question else ""
    return (
        f"# Conversations: {_render_name(plan.experiment_id)}\n{question}\n"
        f"Texts are cut after {LONGEST_TEXT} letters; whole ones are in `{ARTIFACTS}/`, in the"
        " folder of each conversation.\n"
        f"\n{_render_legend(plan) if plan.mode != 'work' else ''}"
    )


def render_cell(condition: Condition, outcome: CellOutcome) -> Iterator[str]:
    """Render one conversation."""
    yield f"\n## Conversation {_render_name(outcome.key)}\n\n"
    yield f"Condition {_render_name(condition.name)}, scenario {_render_name(outcome.scenario)}, "
    yield f"seed {outcome.seed}. Files: {_render_name(make_folder_name(outcome.key))}\n\n"
    for passage in outcome.passages:
        yield from _render_turn(passage)
    if outcome.work is not None:
        yield from _render_work(outcome.work)
    yield f"\nThe end: {_render_ending(outcome)}\n"


def render_closing(breaks: FormatBreaks) -> Iterator[str]:
    """Render the examples of answers that broke the format."""
    yield "\n# Format breaks\n"
    if not breaks.worst:
        yield "\nNo answer broke the format.\n"
    for name, examples in sorted(breaks.worst.items()):
        yield f"\n## In condition {_render_name(name)}\n\n"
        yield f"{breaks.counts[name]} in all; the {len(examples)} that took most steps:\n\n"
        for example in examples:
            attempt = example.attempt
            where = (
                f"{_render_name(example.key)}, turn {example.turn + 1}, "
                f"attempt {attempt.number + 1}"
            )
            yield f"- {where}: {_render_format_break(attempt)}\n"
            yield f"  - came as: {_render_speech(attempt.raw_output)}\n"
            if attempt.repaired_output is not None:
                yield f"  - read as: {_render_speech(attempt.repaired_output)}\n"


def _render_legend(plan: ExperimentPlan) -> str:
    words = {True: "on", False: "off"}
    rows = (
        f"| {_render_name(each.name)} | {words[each.inject]} | {words[each.gm]} |\n"
        for each in plan.conditions
    )
    return f"| Condition | Inject | Game master |\n|---|---|---|\n{''.join(rows)}"


def _render_turn(passage: CellTurn) -> Iterator[str]:
    final = passage.final
    who = f"{passage.number + 1} {_render_name(passage.speaker_name)}"
    yield f"- **{who}**: {_render_speech(final.speech)}\n"
    for attempt in passage.attempts[:-1]:
        yield f"  - first: {_render_speech(attempt.speech)}\n"
        yield from _render_verdicts(attempt, "    ")
    yield from _render_verdicts(final, "  ")
    yield from (f"  - {each}\n" for each in _render_remarks(passage))


def _render_work(work: WorkRecord) -> Iterator[str]:
    for number, each in enumerate(work.submissions, start=1):
        brought = ", ".join(map(_render_name, each.evidence)) or "no evidence"
        yield f"- **{number} {_render_name(each.event)}** with {brought}: "
        if not each.code:
            yield f"accepted, the run is in {_render_name(each.state)}\n"
            continue
        yield f"refused, {_render_name(each.code)}. {_render_speech(each.message)}\n"
        if each.fabricated:
            yield f"  - fabricated evidence: {', '.join(each.fabricated)}\n"
    used = ", ".join(f"{_render_name(name)} {count}" for name, count in work.tools.items())
    yield f"- tool calls: {used or 'none'}; {work.failed_tools} failed or refused\n"


def _render_verdicts(attempt: AnswerAttempt, indent: str) -> Iterator[str]:
    for each in attempt.intents:
        if not each.allowed:
            yield f"{indent}- refused: {_render_refusal(each)}\n"
        elif each.is_deed:
            yield f"{indent}- allowed: {_render_deed(each)}\n"
    if attempt.unread:
        words = ", ".join(_render_name(each) for each in attempt.unread)
        yield f"{indent}- not understood: {words}\n"
    if attempt.break_type != "NONE":
        yield f"{indent}- {_render_format_break(attempt)}\n"


def _render_remarks(passage: CellTurn) -> Iterator[str]:
    if passage.give_up:
        yield f"given up after {len(passage.attempts)} answers; only the speech stands"
    if passage.silent_correction:
        yield "corrected without an apology"
    if passage.addressing:
        yield f"speaks to {_render_name(passage.addressing)}, who cannot hear it"
    if passage.stall_event:
        yield f"the talk stands still (score {passage.stall_score})"
    for card in passage.fact_cards:
        yield f"game master: {_render_speech(card)}"


def _render_refusal(intent: Intent) -> str:
    rule = f" by {_render_name(intent.check)}" if intent.check else ""
    code = _render_name(intent.deny_code)
    return f"{_render_deed(intent)}: {code}{rule}. {_render_speech(intent.message)}"


def _render_deed(intent: Intent) -> str:
    return _render_name(intent.summary)


def _render_format_break(attempt: AnswerAttempt) -> str:
    notes = describe_repair(attempt) or f"{attempt.break_type}, not repaired"
    error = f" ({_render_speech(attempt.parser_error)})" if attempt.parser_error else ""
    return f"format broken: {_render_name(notes)}{error}"


def _render_ending(outcome: CellOutcome) -> str:
    if outcome.error:
        return f"{_render_name(outcome.error)}: {_render_speech(outcome.error_message)}"
    if outcome.stopped:
        return f"{_render_speech(outcome.stopped)}."
    turns = len(outcome.passages) if outcome.work is None else outcome.work.iterations
    return "1 turn played." if turns == 1 else f"{turns} turns played."


def _render_speech(words: str) -> str:
    return _render_text(words, LONGEST_TEXT) or "(nothing)"


def _render_name(name: str) -> str:
    return _render_text(name, _LONGEST_NAME)


def _render_text(words: str, longest: int) -> str:
    return escape_markdown(replace_surrogates(truncate(words, longest))).strip(" ")


_OWN_FILES: Final = re.compile(
    r"turn_[0-9]{3,}_((attempt_[0-9]+_)?raw_output\.txt|repaired_output\.txt"
    rf"|parsed\.json)|{re.escape(WORLD)}|{re.escape(WORK)}|{re.escape(RECORDING)}"
)


def publish_cell(prepared: PreparedPlan, outcome: CellOutcome, folder: Path) -> None:
    """Write the files of one cell; unchanged files are not touched.

    Files of an earlier run of the cell that this one does not have are removed; files
    that Saniwa did not write stay. Nothing is synced to disk: all of it is computed
    from the outcome, and writing again repairs what a power cut has damaged.

    Raises:
        StoreError: `TRACE_UNWRITABLE`.
    """
    with open_output_folder(folder, ARTIFACTS, make_folder_name(outcome.key), hasty=True) as place:
        written = set()
        for file, content in list_cell_files(prepared, outcome):
            place.write(file, content)
            written.add(file)
        _remove_unwanted(place, written)


def remove_stale_cells(folder: Path, cells: set[str]) -> None:
    """Remove the files of all cells that are not in `cells`.

    Raises:
        StoreError: `TRACE_UNWRITABLE`.
    """
    with open_output_folder(folder, ARTIFACTS) as place:
        for name in place.list_names():
            stale = place.path / name
            if name not in cells and stale.is_dir() and not stale.is_symlink():
                with open_output_folder(folder, ARTIFACTS, name) as other:
                    _remove_unwanted(other, set())
                place.remove_empty(name)


def list_cell_files(prepared: PreparedPlan, outcome: CellOutcome) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a cell: name and content."""
    if outcome.work is not None:
        yield WORK, encode_json_page(outcome.work)
    else:
        yield WORLD, encode_json_page(prepared.settings[outcome.scenario].canonical)
    for passage in outcome.passages:
        yield from _list_turn_files(passage)
    if outcome.calls:
        yield (RECORDING, b"".join(encode_json_line(call) + b"\n" for call in outcome.calls))


def _list_turn_files(passage: CellTurn) -> Iterator[tuple[str, bytes]]:
    for attempt in passage.attempts[:-1]:
        name = name_attempt_file(passage.number, attempt.number)
        yield name, _encode_text(attempt.raw_output)
    final = passage.final
    yield name_raw_file(passage.number), _encode_text(final.raw_output)
    if final.repaired_output is not None:
        yield name_repaired_file(passage.number), _encode_text(final.repaired_output)
    yield name_parsed_file(passage.number), encode_json_page(build_parsed(passage))


def _encode_text(text: str) -> bytes:
    return replace_surrogates(text).encode()


def _remove_unwanted(place: OutputFolder, wanted: set[str]) -> None:
    for name in place.list_names():
        if name not in wanted and (_OWN_FILES.fullmatch(name) or is_pending_name(name)):
            place.remove(name)


def publish_experiment(
    prepared: PreparedPlan,
    outcomes: Iterable[CellOutcome],
    numbers: Sequence[CellNumbers],
    analysis: Analysis | None,
    folder: Path,
) -> None:
    """Write all files; unchanged files are not touched.

    Args:
        prepared: The plan.
        outcomes: The outcomes of its cells in order; cells without one are left out.
        numbers: The counts of those cells. An outcome that another process has stored
            since is left for the next time.
        analysis: The statistics; None if there are none.
        folder: The experiment's folder; created if needed. No other process may be
            publishing there: its unfinished files would be taken for a dead writer's.

    Raises:
        StoreError: `TRACE_UNWRITABLE`; no file is ever written partially.
    """
    with open_output_folder(folder) as place:
        cells = _publish_cells(prepared, outcomes, numbers, place, folder)
        place.write(
            output_folder.RUN_META, encode_json_page({"run_meta": build_run_meta(prepared)})
        )
        if analysis is None:
            place.remove(output_folder.ANALYSIS)
        else:
            place.write(output_folder.ANALYSIS, encode_json_page(analysis))
        for name in filter(is_pending_name, place.list_names()):
            place.remove(name)
        place.write(
            output_folder.RESULTS, encode_json_page(build_results(prepared, cells, analysis))
        )


def _publish_cells(
    prepared: PreparedPlan,
    outcomes: Iterable[CellOutcome],
    numbers: Sequence[CellNumbers],
    place: OutputFolder,
    folder: Path,
) -> list[CellResult]:
    """Write the files that grow with the cells; return the result of each cell."""
    counted = {each.key: each for each in numbers}
    cells, names = [], set()
    with ExitStack() as open_files:
        pages = _TurnFiles(
            prepared,
            open_files.enter_context(place.open_stream(output_folder.TURNS_LOG)),
            open_files.enter_context(place.open_stream(output_folder.EXAMPLES)),
            open_files.enter_context(place.open_stream(output_folder.CONVERSATION)),
        )
        for outcome in outcomes:
            if outcome.key in counted:
                publish_cell(prepared, outcome, folder)
                names.add(output_folder.make_folder_name(outcome.key))
                pages.add(outcome)
                cells.append(CellResult.from_outcome(outcome, counted[outcome.key]))
        pages.close()
    remove_stale_cells(folder, names)
    return cells


class _TurnFiles:
    """The three files with every turn, while they are written."""

    def __init__(
        self, prepared: PreparedPlan, log: BinaryIO, examples: BinaryIO, talk: BinaryIO
    ) -> None:
        self._plan = prepared.plan
        self._conditions = {each.name: each for each in prepared.plan.conditions}
        self._log, self._examples, self._talk = log, examples, talk
        self._breaks = FormatBreaks()
        self._parting = b"[\n"
        examples.write(format_csv_row(turn_records.EXAMPLE_COLUMNS).encode())
        self._write_text(render_opening(prepared.plan))

    def add(self, outcome: CellOutcome) -> None:
        """Write the turns of a cell."""
        name, condition = self._plan.experiment_id, self._conditions[outcome.condition]
        for passage in outcome.passages:
            entry = encode_json_line(build_turn_entry(name, outcome, passage))
            self._log.write(self._parting + entry)
            self._parting = b",\n"
        self._examples.writelines(turn_records.render_rows(name, condition, outcome))
        self._write_text(*render_cell(condition, outcome))
        self._breaks.add_outcome(outcome)

    def close(self) -> None:
        """Write what follows the last cell."""
        self._log.write(b"[]\n" if self._parting == b"[\n" else b"\n]\n")
        self._write_text(*render_closing(self._breaks))

    def _write_text(self, *parts: str) -> None:
        self._talk.write(replace_surrogates("".join(parts)).encode())
