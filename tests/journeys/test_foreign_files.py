"""`gate migrate-definition`, `gate import` and `agent migrate`, as commands."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from saniwa.cli.agent import migrate
from saniwa.cli.gate.people import add
from saniwa.cli.gate.processes import check, migrate_definition
from saniwa.cli.gate.runs import import_run
from saniwa.core.errors import ProcessError
from tests.unit.agent.authoring.test_agent_migration import write_foreign_agent
from tests.unit.process.reader.test_state_gate_format import INLINE

OLD_RUN = "run-019471a2-7c8d-7000-8000-000000000001"


@pytest.fixture(autouse=True)
def _enter_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("theirs.yaml").write_text(INLINE, encoding="utf-8")


def _run(command: click.Command, *words: str) -> Result:
    return CliRunner().invoke(command, list(words), catch_exceptions=False)


def test_a_definition_is_printed_and_its_changes_next_to_it() -> None:
    """The converted process is printed on standard output, the changes on standard error."""
    done = _run(migrate_definition, "theirs.yaml")

    assert 0 == done.exit_code
    assert done.stdout.startswith("id: baking\n")
    assert "no equivalent: a final state has no transitions" in done.stderr


def test_a_definition_never_overwrites_another() -> None:
    """A conversion never overwrites an existing file."""
    done = _run(migrate_definition, "theirs.yaml", "-o", "theirs.yaml")

    assert 2 == done.exit_code
    assert INLINE == Path("theirs.yaml").read_text(encoding="utf-8")


def test_what_is_still_wrong_is_counted_and_grouped() -> None:
    """Remaining errors exit with status 1, grouped by code."""
    Path("theirs.yaml").write_text(INLINE.replace("to: baked", "to: burnt"), encoding="utf-8")

    done = _run(migrate_definition, "theirs.yaml", "--json")
    told = json.loads(done.stdout)

    assert (1, False) == (done.exit_code, told["ok"])
    assert "INVALID_TRANSITION_TO" in [group["code"] for group in told["groups"]]


def test_an_agent_is_written_next_to_the_one_it_comes_from() -> None:
    """Without `--to` the new folder is named after the old one."""
    write_foreign_agent(Path())

    done = _run(migrate, "gardener")

    assert 0 == done.exit_code
    assert "wrote gardener-migrated: 0 errors" in done.stdout
    assert "rewritten: intents need their own gateway" in done.stderr


def test_an_agent_is_reported_as_one_object() -> None:
    """With `--json` one object is printed, with the changes grouped."""
    write_foreign_agent(Path())

    told = json.loads(_run(migrate, "gardener", "--json").stdout)

    assert (True, "gardener-migrated") == (told["ok"], told["folder"])
    assert {"rewritten", "dropped"} == {change["effect"] for change in told["changes"]}


def test_a_check_names_the_command_that_converts() -> None:
    """A check suggests the conversion for a file of state_gate, not for one with like mistakes."""
    Path("slip.yaml").write_text("process_id: p\ntransitions: [{gaurd: x}]\n")
    theirs, slip = _run(check, "theirs.yaml"), _run(check, "slip.yaml")

    assert "convert it: saniwa gate migrate-definition theirs.yaml" in theirs.stdout
    assert (1, False) == (slip.exit_code, "migrate-definition" in slip.stdout)


def test_a_run_is_taken_over_with_what_is_stored_next_to_its_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The file's name becomes the run's id, and its metadata name the process."""
    for name in ("SANIWA_GATE", "STATE_GATE_PROJECT_ROOT", "STATE_GATE_CREDENTIAL"):
        monkeypatch.delenv(name, raising=False)
    assert 0 == _run(add, "ann", "--role", "human", "--token-file", "ann.key").exit_code
    for folder in ("old/runs", "old/metadata"):
        Path(folder).mkdir(parents=True)
    known = {"process_id": "exploration", "context": {"exploration_mode": "domain"}}
    Path(f"old/metadata/{OLD_RUN}.json").write_text(json.dumps(known))
    table = Path(f"old/runs/{OLD_RUN}.csv")
    table.write_text(
        "timestamp,state,revision,event,idempotency_key,artifact_paths\n"
        f"2025-01-22T10:00:00Z,frame,1,__init__,__init__:{OLD_RUN},\n"
        "2025-01-22T10:05:00Z,experiment,2,submit_hypothesis,hyp-001,gone.md\n"
    )

    done = _run(import_run, str(table), "--credential-file", "ann.key", "--json")
    told = json.loads(done.stdout)

    assert (OLD_RUN, "experiment", 2) == (told["run_id"], told["current_state"], told["revision"])
    assert 1 == len(told["missing"])


def test_a_refused_table_is_named_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refused table is an error with its line and the allowed first events."""
    monkeypatch.delenv("SANIWA_GATE", raising=False)
    assert 0 == _run(add, "ann", "--role", "human", "--token-file", "ann.key").exit_code
    Path("old.csv").write_text(
        "timestamp,state,revision,event,idempotency_key,artifact_paths\n"
        "2025-01-22T10:00:00Z,frame,1,begin,k,\n"
    )

    with pytest.raises(ProcessError) as refused:
        _run(import_run, *("old.csv", "--process", "exploration", "--credential-file", "ann.key"))

    assert "old.csv:2" == str(refused.value.where)
    assert "must start with 'created' or '__init__', not 'begin'" in refused.value.message
