"""Checks that a gate runs in its project: commands, stories, experiments, files.

A process file may come from a stranger. So a command runs only if the gate's owner lists
its program, every path stays inside the project, and a program gets no variable of the
gate's own environment but the few of `store.programs`.
"""

import asyncio
import re
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec

from saniwa.core.errors import SaniwaError
from saniwa.core.text import quote_value
from saniwa.process.definition import CheckGuard
from saniwa.process.evidence_paths import split_folder_path
from saniwa.process.ports import CheckOutcome, EvidenceError
from saniwa.store.programs import ProgramResult, run_program

_match_commit = re.compile(r"[0-9A-Za-z][0-9A-Za-z._/-]{0,199}").fullmatch
_match_commit_id = re.compile(r"[0-9a-f]{40,64}").fullmatch
_GIT_SECONDS = 30.0
_SHOWN_OUTPUT = 600
"""Characters of a command's output that a refusal shows: its end."""


class ProjectChecks:
    """Runs the checks that need the files and programs of a project."""

    def __init__(self, project: Path, list_programs: Callable[[], Collection[str]]) -> None:
        """Use a project's folder; `list_programs` returns what the owner allows to run."""
        self._project = project
        self._list_programs = list_programs

    def run_check(self, check: CheckGuard, subject: str) -> CheckOutcome:
        """Run a check on its subject.

        Raises:
            EvidenceError: It failed, or could not be run.
            StoreError: The gate's settings cannot be read.
        """
        match check.kind:
            case "command":
                return self._run_command(check)
            case "story_check":
                return self._check_story(subject)
            case "experiment_report":
                return self._check_experiment(subject, check.time_limit / 1000)
            case "file_hash":
                return self._hash_files(check, subject)
            case _:
                raise EvidenceError(f"the gate cannot run {quote_value(check.kind)} here")

    def _locate(self, path: str) -> Path:
        """Return the absolute path of something inside the project.

        Raises:
            EvidenceError: It is outside, or leads outside through a link.
        """
        top = self._project.resolve()
        found = top.joinpath(*split_folder_path(path)).resolve()
        if found != top and top not in found.parents:
            raise EvidenceError(f"{quote_value(path)} leads out of the project")
        return found

    def _run_command(self, check: CheckGuard) -> CheckOutcome:
        program = check.command[0]
        if program not in self._list_programs():
            raise EvidenceError(
                f"the gate's owner does not allow {quote_value(program)}; it is allowed with "
                '{"check_commands": ["' + program + '"]} in state-gate.json'
            )
        found = self._start(check, self._locate(check.folder))
        end = found.output.strip()[-_SHOWN_OUTPUT:] or "nothing"
        if found.exit_code is None:
            limit = f"{check.time_limit / 1000:g} seconds"
            raise EvidenceError(f"{program} was stopped after {limit}; it printed: {end}")
        if found.exit_code != check.exit_code:
            raise EvidenceError(
                f"{program} ended with {found.exit_code}, not {check.exit_code}; it printed: {end}"
            )
        return CheckOutcome(
            f"{program} ended with {found.exit_code}",
            {"command": list(check.command), "folder": check.folder}
            | msgspec.structs.asdict(found),
        )

    def _start(self, check: CheckGuard, folder: Path) -> ProgramResult:
        try:
            return run_program(
                check.command,
                folder,
                check.environment,
                time_limit=check.time_limit / 1000,
                output_limit=check.output_limit,
            )
        except (OSError, ValueError) as problem:
            why = getattr(problem, "strerror", None) or str(problem)
            raise EvidenceError(f"{check.command[0]} cannot be started: {why}") from problem

    def _check_story(self, subject: str) -> CheckOutcome:
        from saniwa.app.stories import inspect_story

        path = self._locate(subject)
        try:
            story = inspect_story(path)
        except SaniwaError as problem:
            raise EvidenceError(f"story {quote_value(subject)}: {problem.message}") from problem
        for finding in story.report.errors:
            raise EvidenceError(
                f"story {quote_value(subject)} has {len(story.report.errors)} errors, first "
                f"{finding.code}: {finding.message}"
            )
        warnings = len(story.report.warnings)
        codes = [each.code for each in story.report.findings]
        return CheckOutcome(
            f"story {quote_value(subject)} was checked; 0 errors, {warnings} warnings",
            {"story": subject, "errors": 0, "warnings": warnings, "codes": codes},
        )

    def _check_experiment(self, subject: str, seconds: float) -> CheckOutcome:
        from saniwa.app.experiments.folder import open_experiment
        from saniwa.experiment.output.results import build_run_meta

        name = f"experiment {quote_value(subject)}"
        try:
            experiment = open_experiment(self._locate(subject))
            if not experiment.is_finished:
                raise EvidenceError(
                    f"{name} is not finished: {experiment.done_count} of "
                    f"{experiment.cell_count} cells are done"
                )
            # In a thread of its own, because the caller may have an event loop running.
            with ExitStack() as stack:
                pool = ThreadPoolExecutor(1)
                stack.callback(pool.shutdown, wait=False, cancel_futures=True)
                cells, turns = pool.submit(_replay_experiment, experiment).result(seconds)
        except SaniwaError as problem:
            raise EvidenceError(f"{name}: {problem.message}") from problem
        except TimeoutError as problem:
            raise EvidenceError(f"{name} was not replayed within {seconds:g} seconds") from problem
        plan = experiment.prepared.plan
        meta = msgspec.json.decode(msgspec.json.encode(build_run_meta(experiment.prepared)))
        kept = {
            "experiment_id": plan.experiment_id,
            "fingerprint": experiment.prepared.fingerprint,
            "cells": cells,
            "turns": turns,
            "scenarios": sorted(meta["scenarios"]),
        }
        summary = f"{name} was replayed, {cells} cells, {turns} turns, no difference"
        return CheckOutcome(summary, kept, kept | {"run_meta": meta})

    def _hash_files(self, check: CheckGuard, subject: str) -> CheckOutcome:
        if _match_commit(subject) is None:
            raise EvidenceError(f"{quote_value(subject)} is no name of a commit")
        commit = self._ask_git("rev-parse", "--verify", "--quiet", f"{subject}^{{commit}}")
        commit_id = commit.output.strip()
        if _match_commit_id(commit_id) is None:
            raise EvidenceError(f"there is no commit {quote_value(subject)}")
        hashes: dict[str, str] = {}
        for path in check.files:
            name = "/".join(split_folder_path(path))
            found = self._ask_git("cat-file", "blob", f"{commit_id}:./{name}")
            if found.exit_code != 0:
                raise EvidenceError(f"commit {commit_id[:12]} has no file {quote_value(name)}")
            hashes[name] = found.hash
        summary = f"{len(hashes)} files were read at commit {commit_id[:12]}"
        return CheckOutcome(summary, {"commit": commit_id, "files": hashes})

    def _ask_git(self, *arguments: str) -> ProgramResult:
        try:
            return run_program(
                ["git", *arguments],
                self._project,
                {},
                time_limit=_GIT_SECONDS,
                output_limit=1_000,
                has_errors=False,
            )
        except OSError as problem:
            raise EvidenceError(f"git cannot be started: {problem.strerror}") from problem


def _replay_experiment(experiment: Any) -> tuple[int, int]:
    """Replay all cells of an experiment; return how many cells and turns there were.

    Raises:
        EvidenceError: A cell does not replay to its stored outcome.
    """
    from saniwa.app.experiments.replay import replay_cells
    from saniwa.app.experiments.status import open_own_outcomes

    with open_own_outcomes(experiment) as outcomes:
        if outcomes is None:
            raise EvidenceError("the experiment has no cells")
        found = asyncio.run(replay_cells(experiment, outcomes))
    for each in found.differences:
        raise EvidenceError(
            f"cell {quote_value(each.cell)} does not replay as it is kept: {each.field!r} differs"
        )
    if found.cells < experiment.cell_count:
        raise EvidenceError(f"only {found.cells} of {experiment.cell_count} cells can be read")
    return found.cells, found.turns
