from saniwa.process.definition import (
    ArtifactDefinition,
    NotifyHook,
    SetVariableHook,
    StateDefinition,
    WriteArtifactHook,
)
from saniwa.process.event_record import LogNote
from saniwa.process.gate import Gate
from tests.fakes.paper_process import AGENT, PaperGates, make_paper_process


def test_a_hook_sets_its_variable_whatever_senders_put_next_to_it() -> None:
    """A hook sets its variable even if senders have filled the variables up to the limit."""
    hook = SetVariableHook(variable="frozen", value=True)
    second = StateDefinition(name="review", on_enter=(hook,))
    states = (make_paper_process().states[0], second, *make_paper_process().states[2:])
    office = PaperGates(make_paper_process(states=states))
    office.desk.files |= {"text.md": "t", "source-1.md": "1", "source-2.md": "2"}
    run_id = office.begin()
    many = {f"v{n}": n for n in range(999)}

    filled = office.send(run_id, "jot", payload=many)
    office.send(run_id, "submit", artifact_paths=("text.md", "source-1.md", "source-2.md"))

    assert filled["success"] is True
    assert office.log.load_run(run_id).variables["frozen"] is True


def test_what_a_hook_writes_is_held_to_its_kind() -> None:
    """A hook's artifact that breaks its schema does not count, and the note says why."""
    kinds = (
        *make_paper_process().artifacts[:2],
        ArtifactDefinition(type="receipt", schema={"type": "string"}),
    )
    office = PaperGates(make_paper_process(artifacts=kinds))

    run_id = office.begin_reviewed()

    failed = [e for e in office.log.read_entries(run_id) if isinstance(e, LogNote) and e.failed]
    assert 1 == len(failed)
    assert failed[0].message.startswith("write_artifact: receipt: /: ")
    assert "receipt" not in office.log.load_run(run_id).artifacts


def test_a_note_does_not_tell_the_secret_of_an_address() -> None:
    """A note about a webhook names the host only, not the secret in the address."""
    hook = NotifyHook(via="webhook", url="https://me:pass@127.0.0.1:9/services/SECRET?k=v")
    first = StateDefinition(name="draft", on_enter=(hook,))
    office = PaperGates(make_paper_process(states=(first, *make_paper_process().states[1:])))

    run_id = office.begin()

    (note,) = [e for e in office.log.read_entries(run_id) if isinstance(e, LogNote)]
    assert "webhook https://127.0.0.1:9: delivered" == note.message


def test_a_hook_writes_text_as_it_is() -> None:
    """The hash of a hook's text is that of its bytes."""
    import hashlib

    hook = WriteArtifactHook(artifact_type="receipt", content="ありがとう")
    first = StateDefinition(name="draft", on_enter=(hook,))
    office = PaperGates(make_paper_process(states=(first, *make_paper_process().states[1:])))

    run_id = office.begin()

    (piece,) = office.log.load_run(run_id).list_artifacts()
    assert hashlib.sha256("ありがとう".encode()).hexdigest() == piece.hash
    assert ("system", "hook") == (piece.created_by.type, piece.created_by.id)


def test_without_a_messenger_a_webhook_fails_and_says_so() -> None:
    """An interface that cannot send webhooks records a failed note."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    silent = Gate(office.log, office.library, office.desk, AGENT, clock=office.clock)
    office.decide(run_id, "reject")

    silent.emit_event(
        run_id=run_id,
        event_name="submit",
        expected_revision=office.log.load_run(run_id).revision,
        idempotency_key="last",
    )

    last = [e for e in office.log.read_entries(run_id) if isinstance(e, LogNote)][-1]
    assert last.failed
    assert "this interface sends none" in last.message


def test_staying_in_a_state_runs_no_hook() -> None:
    """A transition to the same state runs no hook."""
    office = PaperGates()
    run_id = office.begin()

    office.send(run_id, "jot")

    assert [] == [e for e in office.log.read_entries(run_id) if isinstance(e, LogNote)]
