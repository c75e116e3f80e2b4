"""Runs the checks of a gate: programs, commits, and an experiment's cells played again.

A process file may come from a stranger. So a command runs only if the gate's owner lists
its program, every path stays inside the project, and a program gets no variable of the
gate's own environment but a few.
"""

import asyncio
import re
import shlex
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec

from saniwa.agent.tools.program_runner import ProgramResult, run_program, select_variables
from saniwa.app.scenario_lookup import load_book_layers
from saniwa.core.errors import SaniwaError
from saniwa.core.safe_open import read_inside
from saniwa.core.text import quote_value
from saniwa.process.definition import CheckGuard
from saniwa.process.evidence_paths import split_folder_path
from saniwa.process.pending_checks import describe_check
from saniwa.process.ports import CheckOutcome, EvidenceError, SignatureVerifier
from saniwa.rulebook.loader import build_rulebook
from saniwa.scenario.loader import load_scenario
from saniwa.scenario.registry import Registry

_match_commit = re.compile(r"[0-9A-Za-z][0-9A-Za-z._/-]{0,199}").fullmatch
_match_commit_id = re.compile(r"[0-9a-f]{40,64}").fullmatch
PASSED_VARIABLES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
"""The variables of the gate that every program gets; no other one is handed on."""
_GIT_SECONDS = 30.0
_SHOWN_OUTPUT = 600
"""Characters of a command's output that a refusal shows: its end."""


class ProjectChecks:
    """Runs the checks that need the files and programs of a project.

    Each raises `EvidenceError` if it fails or cannot be run.
    """

    def __init__(
        self,
        project: Path,
        list_programs: Callable[[], Collection[str]],
        find_registry: Callable[[], Path],
        people: SignatureVerifier,
    ) -> None:
        """Use a project's folder.

        `list_programs` returns what the owner allows to run; `people` can have signed the
        answers of models.
        """
        self._project = project
        self._list_programs = list_programs
        self._find_registry = find_registry
        self._people = people

    def _locate(self, path: str) -> Path:
        """Return the absolute path of something inside the project.

        Raises:
            EvidenceError: It is outside, or leads outside through a link.
        """
        top = self._project.resolve()
        found = top.joinpath(*split_folder_path(path)).resolve()
        if found != top and top not in found.parents:
            raise EvidenceError(f"{quote_value(path)} is outside the project")
        return found

    def find_obstacle(self, check: CheckGuard) -> str:
        """Say that the gate's owner has not allowed a check's program; empty if they have.

        Raises:
            StoreError: The gate's settings cannot be read.
        """
        program = check.command[0]
        if program in self._list_programs():
            return ""
        return (
            f"not allowed yet: the gate would {describe_check(check)}, and its owner allows "
            f"that with: saniwa gate allow-command {shlex.quote(program)}"
        )

    def run_command(self, check: CheckGuard) -> CheckOutcome:
        """Run the command of a check, if the gate's owner allows its program.

        Raises:
            EvidenceError: The owner does not allow it, or the program fails.
            StoreError: The gate's settings cannot be read.
        """
        if obstacle := self.find_obstacle(check):
            raise EvidenceError(obstacle)
        program = check.command[0]
        found = self._start(check, self._locate(check.folder))
        output = found.render_output()
        end = output.strip()[-_SHOWN_OUTPUT:] or "nothing"
        if found.is_stopped:
            limit = f"{check.time_limit / 1000:g} seconds"
            raise EvidenceError(f"{program} was stopped after {limit}; it printed: {end}")
        if found.exit_code != check.exit_code:
            raise EvidenceError(
                f"{program} ended with {found.exit_code}, not {check.exit_code}; it printed: {end}"
            )
        return CheckOutcome(
            f"{program} ended with {found.exit_code}",
            {
                "command": list(check.command),
                "folder": check.folder,
                "exit_code": found.exit_code,
                "output": output,
                "size": found.size,
                "hash": found.hash,
            },
        )

    def _start(self, check: CheckGuard, folder: Path) -> ProgramResult:
        try:
            return run_program(
                check.command,
                folder,
                {**select_variables(PASSED_VARIABLES), **check.environment},
                time_limit=check.time_limit / 1000,
                output_limit=check.output_limit,
            )
        except (OSError, ValueError) as problem:
            why = getattr(problem, "strerror", None) or str(problem)
            raise EvidenceError(f"{check.command[0]} cannot be started: {why}") from problem

    def check_story(self, subject: str) -> CheckOutcome:
        """Check a story of the project."""
        from saniwa.app.story_opening import inspect_story

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

    def check_experiment(self, check: CheckGuard, subject: str) -> CheckOutcome:
        """Replay a finished experiment, within a time, and look who signed its answers."""
        from saniwa.app.experiments.folder import open_experiment
        from saniwa.experiment.output.results import build_run_meta

        name, seconds = f"experiment {quote_value(subject)}", check.time_limit / 1000
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
                replayed = pool.submit(_replay_experiment, experiment, self._people)
                cells, turns, signers = replayed.result(seconds)
            rules = _compare_scenarios(experiment.prepared, Registry.open(self._find_registry()))
        except SaniwaError as problem:
            raise EvidenceError(f"{name}: {problem.message}") from problem
        except TimeoutError as problem:
            raise EvidenceError(f"{name} was not replayed within {seconds:g} seconds") from problem
        plan = experiment.prepared.plan
        found = f"{name} was replayed, {cells} cells, {turns} turns, no difference"
        answers = _judge_answers(plan, signers, found, accept_claims=check.accept_claims)
        meta = msgspec.json.decode(msgspec.json.encode(build_run_meta(experiment.prepared)))
        kept = {
            "experiment_id": plan.experiment_id,
            "fingerprint": experiment.prepared.fingerprint,
            "cells": cells,
            "turns": turns,
            "scenarios": sorted(meta["scenarios"]),
            "conditions": [each.name for each in plan.conditions],
            "seeds": list(plan.seeds),
            **rules,
        }
        kept |= {"signed_by": sorted(signers)} if plan.mode == "real" else {}
        more = {"plan": experiment.prepared.to_document(), "seed_count": len(plan.seeds)}
        known = kept | more | {"run_meta": meta}
        return CheckOutcome(found + answers, kept, known, claimed="" in signers)

    def hash_files(self, check: CheckGuard, subject: str) -> CheckOutcome:
        """Hash files of the project as a commit has them."""
        if _match_commit(subject) is None:
            raise EvidenceError(f"{quote_value(subject)} is not the name of a commit")
        commit = self._ask_git("rev-parse", "--verify", "--quiet", f"{subject}^{{commit}}")
        commit_id = commit.render_output().strip()
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
                select_variables(PASSED_VARIABLES),
                time_limit=_GIT_SECONDS,
                output_limit=1_000,
                has_errors=False,
            )
        except OSError as problem:
            raise EvidenceError(f"git cannot be started: {problem.strerror}") from problem


def _judge_answers(plan: Any, signers: Collection[str], found: str, *, accept_claims: bool) -> str:
    """Say whose word the answers of models are.

    Raises:
        EvidenceError: They are only claimed, and that is not enough.
    """
    from saniwa.app.experiments.cell_signatures import describe_models

    if plan.mode != "real":
        return ""
    models = describe_models(plan)
    if "" not in signers:
        return f"; the answers of {models} were signed by {', '.join(sorted(signers))}"
    if accept_claims:
        return f"; the answers of {models} are claimed: no person of this gate signed all of them"
    raise EvidenceError(
        f"{found}, but the answers of {models} are claimed: no person of this gate signed all "
        "of them while they arrived; a person runs it with: saniwa experiment run --sign"
    )


def _replay_experiment(experiment: Any, people: SignatureVerifier) -> tuple[int, int, set[str]]:
    """Replay all cells of an experiment; return how many cells and turns there were.

    Also return who signed the cells; "" among them if a cell has no signature. Only cells
    of models have signatures.

    Raises:
        EvidenceError: A cell does not replay to its stored outcome.
    """
    from saniwa.app.experiments.cell_signatures import OutcomeSigner, SignedOutcomeStore
    from saniwa.app.experiments.replay import replay_cells
    from saniwa.app.experiments.status import open_own_outcomes

    if experiment.prepared.plan.mode == "work":
        # Its processes may have checks that run commands, and the folder is not trusted.
        raise EvidenceError("the gate replays no experiment with agents")
    with open_own_outcomes(experiment) as outcomes:
        if outcomes is None:
            raise EvidenceError("the experiment has no cells")
        signed = SignedOutcomeStore(outcomes, experiment, OutcomeSigner("", None, people))
        found = asyncio.run(replay_cells(experiment, signed))
        for each in found.differences:
            raise EvidenceError(
                f"cell {quote_value(each.cell)} replays differently from its record: "
                f"{each.field!r} differs"
            )
        if found.cells < experiment.cell_count:
            raise EvidenceError(f"only {found.cells} of {experiment.cell_count} cells can be read")
        _check_results(experiment, signed)
    has_models = experiment.prepared.plan.mode == "real"
    return found.cells, found.turns, signed.signers if has_models else set()


def _compare_scenarios(prepared: Any, registry: Registry) -> dict[str, list[str]]:
    """Compare what an experiment ran with the registry; return which rules judged it.

    A scenario that is not in the registry is compared with its own hash alone.

    Raises:
        EvidenceError: It ran another version of a scenario than the registry has.
        SaniwaError: A scenario or its rulebook cannot be read.
    """
    from saniwa.app.experiments.plan_preparation import make_setting

    known = {entry.scenario_id: entry for entry in registry.entries}
    used, own = set[str](), set[str]()
    for name, setting in prepared.settings.items():
        played = load_scenario(setting.document)
        current = load_scenario(known[name]) if name in known else played
        same = load_scenario(current.document).scenario_hash == played.scenario_hash
        said = [setting.meta.get(each) for each in ("scenario_hash", "world_hash")]
        same = same and said == [current.scenario_hash, current.world_hash]
        if not same or setting.canonical != make_setting(name, current).canonical:
            raise EvidenceError(
                f"scenario {quote_value(name)} of the experiment is not the one with the hash "
                f"{current.scenario_hash} that the gate found"
            )
        own.add(build_rulebook(load_book_layers(current, registry=registry.path)).fingerprint)
        used |= {build_rulebook(each).fingerprint for each in prepared.books[name].values()}
    return {"rules": sorted(used), "own_rules": sorted(own)}


def _check_results(experiment: Any, outcomes: Any) -> None:
    """Compute the results of an experiment from its cells, and compare the stored file.

    Every byte counts: a JSON text can say two things of one name.

    Raises:
        EvidenceError: The stored results differ, or cannot be compared.
    """
    from saniwa.app.experiments.folder import iterate_outcomes
    from saniwa.app.experiments.status import measure_experiment
    from saniwa.experiment.output.output_folder import RESULTS, encode_json_page
    from saniwa.experiment.output.results import build_results

    status = measure_experiment(experiment, iterate_outcomes(experiment, outcomes))
    # Results that were written without a report have no statistics.
    pages = [
        encode_json_page(build_results(experiment.prepared, status.cells, analysis))
        for analysis in (status.analysis, None)
    ]
    try:
        stored = read_inside(experiment.folder, (RESULTS,), 2 * max(map(len, pages)))
    except OSError as problem:
        raise EvidenceError(f"{RESULTS} cannot be compared: {problem.strerror}") from problem
    if stored in pages:
        return
    if status.lacking is not None:
        raise EvidenceError(f"{RESULTS} cannot be compared: {status.lacking.message}")
    number, kept, given = max(_find_first_line(stored, page) for page in pages)
    raise EvidenceError(
        f"{RESULTS} differs from what the cells give: line {number} is {quote_value(kept)}, and the "
        f"cells give {quote_value(given)}; saniwa experiment report writes it again"
    )


def _find_first_line(stored: bytes, computed: bytes) -> tuple[int, str, str]:
    """Return the number of the first line that differs, and both lines."""
    pairs = zip_longest(stored.splitlines(True), computed.splitlines(True), fillvalue=b"")
    number, lines = next(each for each in enumerate(pairs, start=1) if each[1][0] != each[1][1])
    one, other = (line.decode("utf-8", "replace").strip() for line in lines)
    return number, one, other
