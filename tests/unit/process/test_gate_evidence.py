from saniwa.process.artifact import Claim
from saniwa.process.definition import ArtifactDefinition, ArtifactGuard
from tests.fakes.paper_process import PILE, PaperGates, make_paper_process, read_refusal


def test_a_required_artifact_keeps_a_state_from_being_left() -> None:
    """A required artifact is needed to leave the state, not to stay in it."""
    office = PaperGates(files=PILE)
    run_id = office.begin()
    paths = ("source-1.md", "source-2.md")

    stays = office.send(run_id, "jot", artifact_paths=paths)
    leaves = office.send(run_id, "submit")

    assert stays["success"] is True
    assert "GUARD_FAILED" == read_refusal(leaves)


def test_the_same_bytes_under_two_names_are_one_artifact() -> None:
    """Copies of a file count once, also under other names."""
    office = PaperGates(files=PILE | {"source-1.md": "same", "source-2.md": "same"})
    run_id = office.begin()
    paths = ("text.md", "source-1.md", "source-2.md")

    copies = office.send(run_id, "submit", artifact_paths=paths)

    assert "GUARD_FAILED" == read_refusal(copies)


def test_the_same_file_cannot_be_submitted_twice_at_once() -> None:
    """The same file twice in one event is refused, also as `./a.md`."""
    office = PaperGates(files=PILE)
    run_id = office.begin()

    answer = office.send(run_id, "jot", artifact_paths=("text.md", "./text.md"))

    assert "INVALID_PAYLOAD" == read_refusal(answer)
    assert "/artifact_paths/1" == answer["error"]["details"]["validation_errors"][0]["path"]


def test_fresh_evidence_is_submitted_since_the_state_was_entered() -> None:
    """A guard for fresh evidence does not count what was submitted before the state was entered."""
    fresh = ArtifactGuard(artifact_type="source", condition="count", min_count=2, fresh=True)
    guards = dict(make_paper_process().guards) | {"sourced": fresh}
    office = PaperGates(make_paper_process(guards=guards))
    run_id = office.begin_reviewed()
    office.decide(run_id, "reject", payload={"reason": "too old"})

    stale = office.send(run_id, "submit")
    office.desk.files |= {"source-1.md": "new", "source-3.md": "newer"}
    again = office.send(run_id, "submit", artifact_paths=("source-1.md", "source-3.md"))

    assert "'source-1.md' was submitted before this state" in stale["error"]["message"]
    assert again["success"] is True


def test_a_file_of_no_kind_is_named_where_evidence_is_missing() -> None:
    """A refusal for missing evidence names a file without a kind, which may be misspelt."""
    office = PaperGates(files={"sorce.md": "1"})
    run_id = office.begin()

    answer = office.send(run_id, "submit", artifact_paths=("sorce.md",))

    assert "'sorce.md' has no kind" in answer["error"]["message"]
    assert "a file is named after its kind, such as 'source.md'" in answer["error"]["message"]


def test_artifacts_may_be_plain_maps() -> None:
    """Artifacts may be plain mappings."""
    office = PaperGates()
    run_id = office.begin()

    answer = office.send(run_id, "jot", artifacts=[{"type": "text", "content": "x"}])

    assert answer["success"] is True


def test_evidence_that_changed_since_does_not_count() -> None:
    """A file that changed after it was submitted does not count until it is submitted again."""
    office = PaperGates(files=PILE)
    run_id = office.begin()
    paths = ("text.md", "source-1.md", "source-2.md")
    office.send(run_id, "jot", artifact_paths=paths)
    office.desk.files["source-2.md"] = "changed"

    changed = office.send(run_id, "submit")
    again = office.send(run_id, "submit", artifact_paths=("source-2.md",))

    assert "GUARD_FAILED" == read_refusal(changed)
    assert "'source-2.md' has changed" in changed["error"]["message"]
    assert again["success"] is True


def test_an_unreadable_artifact_is_refused_with_its_place() -> None:
    """An unreadable artifact is refused with a pointer to it."""
    office = PaperGates()
    run_id = office.begin()

    answer = office.send(run_id, "jot", artifact_paths=("../secret.txt",))

    assert "INVALID_PAYLOAD" == read_refusal(answer)
    problem = answer["error"]["details"]["validation_errors"][0]
    assert "/artifact_paths/0" == problem["path"]


def test_verify_reports_evidence_that_changed() -> None:
    """`verify` reports a file that changed after it was submitted."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    office.desk.files["text.md"] = "swapped"

    (found,) = office.make_gate().verify(run_id).errors

    assert "ARTIFACT_CHANGED" == found.code
    assert "'text.md' has changed" == found.message


def test_a_kind_may_refuse_to_be_submitted_by_address() -> None:
    """A kind may refuse evidence by address."""
    kinds = (
        ArtifactDefinition(type="text", forms=("path", "inline")),
        *make_paper_process().artifacts[1:],
    )
    office = PaperGates(make_paper_process(artifacts=kinds))
    run_id = office.begin()
    claim = Claim(type="text", url="https://example.org/a", hash="a" * 64)

    answer = office.send(run_id, "jot", artifacts=(claim,))

    assert "INVALID_PAYLOAD" == read_refusal(answer)
    assert "path or inline" in answer["error"]["message"]
