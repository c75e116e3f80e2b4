"""People at the gate's command line: adding them, their credentials, their decisions."""

import io
import json
import os
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from saniwa.cli.gate.hook import pre_tool_use
from tests.journeys.gate_terminal import GateTerminal, walk_to_decide
from tests.journeys.terminal import Terminal


@pytest.fixture
def terminal(tmp_path: Path) -> GateTerminal:
    """A gate in an empty folder."""
    return GateTerminal(tmp_path)


def test_a_credential_goes_into_a_file_of_its_owner(terminal: GateTerminal) -> None:
    """With `--token-file` the secret is not printed, and only the owner can read the file."""
    added = terminal.run_command(
        "people", "add", "ann", "--role", "reviewer", "--token-file", "ann.key"
    )
    file = terminal.folder / "ann.key"
    looked = terminal.run_command("runs", "--credential-file", "ann.key")
    again = terminal.run_command(
        *("people", "add", "bob", "--role", "reviewer", "--token-file", "ann.key"),
        *("--credential-file", "ann.key"),
    )
    known = terminal.run_command("people", "list", "--json").document["people"]

    assert 0 == added.code, added.err
    assert file.read_text().startswith("ann:")
    assert file.read_text().strip().partition(":")[2] not in added.out + added.err
    assert 0o600 == stat.S_IMODE(file.stat().st_mode)
    assert (0, "") == (looked.code, looked.err)
    assert 2 == again.code
    assert ["ann"] == [each["name"] for each in known]


@pytest.mark.parametrize("is_folder", [True, False], ids=["repository", "worktree"])
def test_a_credential_file_in_a_git_repository_causes_a_warning(
    terminal: GateTerminal, is_folder: bool
) -> None:
    """A credential file in a Git repository causes a warning not to commit it; others do not."""
    add = ("people", "add", "ann", "--role", "reviewer", "--token-file")
    outside = terminal.run_command(*add, "ann.key")
    git = terminal.folder / ".git"
    git.mkdir() if is_folder else git.write_text("gitdir: elsewhere\n")
    (terminal.folder / "keys").mkdir()
    change = ("people", "change-secret", "--credential-file", "ann.key", "--json")
    inside = terminal.run_command(*change, "--token-file", "keys/new.key")

    assert (0, "") == (outside.code, outside.err)
    assert 0 == inside.code
    assert "ann" == inside.document["name"]
    assert "warning: 'keys/new.key' contains a secret" in inside.err
    assert "make sure that .gitignore lists it" in inside.err


def test_a_file_stays_empty_where_no_person_was_added(terminal: GateTerminal) -> None:
    """If adding a person is refused, no credential file is left."""
    refused = terminal.run_command(
        "people", "add", "a b", "--role", "reviewer", "--token-file", "ann.key"
    )

    assert 3 == refused.code
    assert not (terminal.folder / "ann.key").exists()


def test_a_secret_is_checked_before_it_is_asked_for_again(terminal: GateTerminal) -> None:
    """A secret that is too short, or not the same twice, is refused at once and asked for again."""
    words = ("gate", "people", "add", "ann", "--role", "reviewer")
    with Terminal(*words, folder=terminal.folder, prompt=": ") as screen:
        asked = screen.read_shown()
        short = screen.type_line("too short")
        again = screen.type_line("a long enough one")
        differs = screen.type_line("another long one")
        screen.type_line("a long enough one")
        done = screen.type_line("a long enough one")
        code = screen.leave()

    assert "error: a secret has 12 to 1000 characters; use several words" in short
    assert short.endswith(asked)
    assert "The same secret again: " == again.lstrip()
    assert "error: the two secrets differ" in differs
    assert differs.endswith(asked)
    assert (0, "ann  reviewer") == (code, done.strip())


@pytest.mark.parametrize("words", [("a b", "--role", "reviewer"), ("ann", "--role", "human")])
def test_no_secret_is_asked_for_a_person_who_cannot_be_added(
    terminal: GateTerminal, words: tuple[str, ...]
) -> None:
    """A name that is taken or not valid is refused before a secret is typed."""
    terminal.run_command("people", "add", "ann", "--role", "reviewer", "--token-file", "ann.key")
    add = ("gate", "people", "add", *words, "--credential-file", "ann.key")
    with Terminal(*add, folder=terminal.folder, prompt=": ") as screen:
        shown = screen.read_shown()
        code = screen.leave()

    assert "Secret" not in shown
    assert 3 == code


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("runs",), "Ann"),
        (("people", "add", "cy", "--role", "human", "--token"), "ANN"),
        (("people", "remove", "bo"), "Bo"),
        (("people", "change-secret", "--token"), "bO"),
    ],
)
def test_a_refused_credential_suggests_the_name(
    terminal: GateTerminal, words: tuple[str, ...], name: str
) -> None:
    """A name that differs from a registered one only in case is refused with the right one."""
    terminal.run_command("people", "add", "ann", "--role", "reviewer", "--token-file", "ann.key")
    terminal.run_command(
        *("people", "add", "bo", "--role", "reviewer", "--token"), *("--credential-file", "ann.key")
    )
    unknown = terminal.run_command(*words, STATE_GATE_CREDENTIAL=f"{name}:anything else")
    wrong = terminal.run_command(*words, STATE_GATE_CREDENTIAL="ann:anything else")

    assert "[CREDENTIAL_REFUSED]" in unknown.err
    assert f"did you mean '{name.lower()}'? check the name and the secret" in unknown.err
    assert "did you mean" not in wrong.err


def test_a_person_changes_their_own_secret(terminal: GateTerminal) -> None:
    """A person with the old secret can set a new one, after which the old one is refused."""
    add = ("people", "add", "ann", "--role", "reviewer", "--token-file", "ann.key")
    change = ("people", "change-secret", "--credential-file", "ann.key")
    terminal.run_command(*add)
    changed = terminal.run_command(*change, "--token-file", "new.key", "--json")
    again = terminal.run_command(*change, "--token")
    looked = terminal.run_command("runs", "--credential-file", "new.key")
    asked = terminal.run_command("people", "change-secret")

    assert {
        "name": "ann",
        "role": "reviewer",
        "changed": True,
        "token_file": "new.key",
    } == changed.document
    assert (3, "") == (again.code, again.out)
    assert "CREDENTIAL_REFUSED" in again.err
    assert (0, "") == (looked.code, looked.err)
    assert 2 == asked.code


def test_a_credential_file_has_a_name(terminal: GateTerminal) -> None:
    """An empty name for the credential file is an error, and no person is added."""
    words = ("people", "add", "ann", "--role", "reviewer", "--token-file", "")
    refused = terminal.run_command(*words)

    assert (2, "") == (refused.code, refused.out)
    assert "--token-file: the name of a file is empty" in refused.err
    assert [] == terminal.run_command("people", "list", "--json").document["people"]


def test_a_credential_that_others_can_read_is_warned_about(terminal: GateTerminal) -> None:
    """A credential file that others can read works, with a warning."""
    file = Path(terminal.add_reviewer())
    file.chmod(0o644)
    looked = terminal.run_command("runs", "--credential-file", str(file))
    file.chmod(0o600)
    quiet = terminal.run_command("runs", "--credential-file", str(file))

    assert 0 == looked.code
    assert "warning: other users can read" in looked.err
    assert "" == quiet.err


def test_a_role_that_no_process_knows_is_warned_about(terminal: GateTerminal) -> None:
    """A role that no process knows gives a warning, as does the role without a credential."""
    slip = terminal.run_command("people", "add", "ann", "--role", "reviwer", "--token")
    file = terminal.folder / "ann.key"
    file.write_text(slip.out)
    file.chmod(0o600)
    words = ("--token", "--credential-file", "ann.key")
    agent = terminal.run_command("people", "add", "bob", "--role", "agent", *words)
    right = terminal.run_command("people", "add", "eve", "--role", "reviewer", *words)

    assert "warning: no process here has the role 'reviwer'" in slip.err
    assert "to change it, remove the person" in slip.err
    assert "did you mean 'reviewer'?" in slip.err
    assert "warning: 'agent' is the role of every caller without a credential" in (agent.err)
    assert "warning" not in right.err


def test_a_person_who_adds_another_is_asked_for_their_own_name(terminal: GateTerminal) -> None:
    """A person who adds another is asked for their own name, and the question says so."""
    terminal.add_reviewer()
    words = ("gate", "people", "add", "bob", "--role", "reviewer")
    with Terminal(*words, folder=terminal.folder, prompt=": ") as screen:
        asked = screen.read_shown()

    assert "Your name (of a registered person): " == asked


def test_a_voucher_is_known_before_a_new_secret_is_asked_for(terminal: GateTerminal) -> None:
    """The credential of the registered person is checked before the new secret is asked for."""
    terminal.add_reviewer()
    words = ("gate", "people", "add", "bob", "--role", "reviewer")
    with Terminal(*words, folder=terminal.folder, prompt=": ") as screen:
        screen.read_shown()
        screen.type_line("ann")
        said = screen.type_line("nobody's secret at all")
        code = screen.leave()

    assert "CREDENTIAL_REFUSED" in said
    assert "Secret for the new person" not in said
    assert 3 == code


def test_a_no_decides_nothing_and_says_so(terminal: GateTerminal) -> None:
    """Answering no to a decision sends nothing, and exits with status 1."""
    walk_to_decide(terminal)
    words = ("gate", "reject", "--credential-file", terminal.add_reviewer())
    with Terminal(*words, folder=terminal.folder, prompt="? [y/N]: ") as screen:
        screen.read_shown()
        said = screen.type_line("n")
        code = screen.leave()

    assert "Nothing was decided." in said
    assert 1 == code
    assert 6 == terminal.run_command("state", "--json").document["revision"]


@pytest.mark.parametrize("word", ["approve", "reject"])
def test_a_decision_that_is_not_possible_is_not_asked_for(
    terminal: GateTerminal, word: str
) -> None:
    """An impossible decision is reported before the question."""
    terminal.begin()
    words = ("gate", word, "--credential-file", terminal.add_reviewer())
    with Terminal(*words, folder=terminal.folder, prompt="? [y/N]: ") as screen:
        said = screen.read_shown()
        code = screen.leave()

    assert f"{word} is not possible in state 'frame'; there is: override_guard" in said
    assert "Nothing was decided." in said
    assert 1 == code


def test_a_decision_of_others_is_not_asked_for(terminal: GateTerminal) -> None:
    """A person who may not decide is refused before the question."""
    walk_to_decide(terminal)
    words = ("people", "add", "eve", "--role", "guest", "--token-file", "eve.key")
    terminal.run_command(*words)
    approving = ("gate", "approve", "--credential-file", "eve.key")
    with Terminal(*approving, folder=terminal.folder, prompt="? [y/N]: ") as screen:
        said = screen.read_shown()
        code = screen.leave()

    assert "approve is not possible: " in said
    assert "Nothing was decided." in said
    assert 1 == code


def test_a_guard_that_is_put_aside_is_named_in_the_question(terminal: GateTerminal) -> None:
    """The question about an override names its event."""
    terminal.begin()
    who = ("--credential-file", terminal.add_reviewer())
    words = ("--event", "submit_hypothesis", "--reason", "said aloud")
    with Terminal(
        "gate", "override", *words, *who, folder=terminal.folder, prompt="? [y/N]: "
    ) as screen:
        asked = screen.read_shown()
        said = screen.type_line("y")

    assert asked.endswith("override_guard for 'submit_hypothesis'? [y/N]: ")
    assert "frame → experiment, revision 2" in said


def test_an_interruption_leaves_the_shell_a_line_of_its_own(terminal: GateTerminal) -> None:
    """After Ctrl-C at a question the output ends with a line break."""
    walk_to_decide(terminal)
    words = ("gate", "reject", "--credential-file", terminal.add_reviewer())
    with Terminal(*words, folder=terminal.folder, prompt="? [y/N]: ") as screen:
        screen.read_shown()
        code = screen.interrupt()
        said = screen.read_shown()

    assert said.endswith("\n")
    assert 130 == code


def test_a_decision_carries_its_persons_mark(terminal: GateTerminal) -> None:
    """A decision has a code made with the person's secret, which `verify` checks."""
    run_id = walk_to_decide(terminal)
    done = terminal.run_command(
        "approve", "--digest", terminal.read_digest(), "--credential-file", terminal.add_reviewer()
    )
    last = json.loads(terminal.run_command("history", "--json").out.strip().split("\n")[-1])
    fine = terminal.run_command("verify")
    people = terminal.folder / ".state_gate/people.json"
    people.unlink()
    terminal.run_command("people", "add", "ann", "--role", "reviewer", "--token")
    forged = terminal.run_command("verify", run_id)

    assert 0 == done.code
    assert 64 == len(last["approval"]["mac"])
    assert 0 == fine.code, fine.out
    assert 1 == forged.code, "the same name with another secret made no such mark"


def test_a_run_is_moved_by_people_alone_and_a_refusal_ends_with_1(terminal: GateTerminal) -> None:
    """Only a person can migrate a run, and a refusal exits with status 1."""
    terminal.begin()
    refused = terminal.run_command("migrate")
    moved = terminal.run_command("migrate", "--credential-file", terminal.add_reviewer(), "--json")

    assert 1 == refused.code
    assert refused.err.startswith("refused[FORBIDDEN]: ")
    assert 0 == moved.code


@pytest.mark.parametrize(
    "words",
    [
        ("state", "last", "--credential-file", "pipe"),
        ("create-run", "--process", "exploration", "--context", "@pipe"),
        ("emit", "a", "--expected-revision", "1", "--key", "k", "--inline", "a=@pipe"),
    ],
)
def test_a_pipe_is_not_waited_for(terminal: GateTerminal, words: tuple[str, ...]) -> None:
    """A pipe in the place of a file is an error, and the command does not wait for it."""
    os.mkfifo(terminal.folder / "pipe")
    told = terminal.run_command(*words)

    assert 2 == told.code
    assert "'pipe' is not a regular file" in told.err


@pytest.mark.parametrize("content", ["{", "[]", '{"run_id": 5}', '{"run_id": ""}', None])
def test_a_broken_config_denies_where_it_was_configured_to(
    terminal: GateTerminal, content: str | None
) -> None:
    """With `--fail-closed`, a gate whose configuration cannot be read denies a tool."""
    config = terminal.folder / ".state_gate" / "state-gate.json"
    config.parent.mkdir()
    if content is None:
        os.mkfifo(config)
    else:
        config.write_text(content)
    call = '{"tool_name": "Read"}'
    closed = terminal.run_command("hook", "pre-tool-use", "--fail-closed", stdin=call)
    nonsense = terminal.run_command("hook", "pre-tool-use", "--fail-closed", stdin="{")

    assert "deny" == closed.document["hookSpecificOutput"]["permissionDecision"]
    assert "deny" == nonsense.document["hookSpecificOutput"]["permissionDecision"]
    assert 3 == terminal.run_command("hook", "pre-tool-use", stdin=call).code


@pytest.mark.parametrize("content", [None, "{}"])
def test_a_gate_without_a_run_denies_where_it_was_configured_to(
    terminal: GateTerminal, content: str | None
) -> None:
    """With `--fail-closed`, a gate without a selected run denies a tool."""
    if content is not None:
        config = terminal.folder / ".state_gate" / "state-gate.json"
        config.parent.mkdir()
        config.write_text(content)
    call = '{"tool_name": "Read"}'
    closed = terminal.run_command("hook", "pre-tool-use", "--fail-closed", stdin=call)
    open_ = terminal.run_command("hook", "pre-tool-use", stdin=call)
    said = closed.document["hookSpecificOutput"]

    assert (0, "deny") == (closed.code, said["permissionDecision"])
    assert "No run is selected in .state_gate/state-gate.json" in (said["permissionDecisionReason"])
    assert {} == open_.document


class _FailingInput(io.BytesIO):
    """A standard input that fails unexpectedly."""

    def __init__(self, problem: Exception) -> None:
        super().__init__()
        self._problem = problem

    def read(self, size: int | None = -1, /) -> bytes:
        """Fail, except for an empty read, which detects a binary stream."""
        if size == 0:
            return b""
        raise self._problem


@pytest.mark.parametrize("problem", [RuntimeError("no"), MemoryError(), OSError("x")])
def test_any_error_denies_where_it_was_configured_to(problem: Exception) -> None:
    """With `--fail-closed`, any unexpected error denies the tool."""
    done = CliRunner().invoke(
        pre_tool_use, ["--fail-closed"], input=_FailingInput(problem), catch_exceptions=False
    )
    said = json.loads(done.stdout)["hookSpecificOutput"]

    assert "deny" == said["permissionDecision"]
    assert type(problem).__name__ in said["permissionDecisionReason"]
    with pytest.raises(type(problem)):
        CliRunner().invoke(pre_tool_use, [], input=_FailingInput(problem), catch_exceptions=False)


@pytest.mark.parametrize(
    "words",
    [
        ("emit", "\udcff", "--expected-revision", "1", "--key", "k"),
        ("emit", "a", "--expected-revision", "1", "--key", "\udcff"),
        ("emit", "a", "--expected-revision", "1", "--key", "k", "--artifact", "\udcff"),
        (*("emit", "a", "--expected-revision", "1", "--key", "k"), "--inline", "\udcff=1"),
        ("approve", "--reason", "\udcff", "--digest", "d"),
        ("state", "\udcff"),
        ("create-run", "--process", "\udcff"),
    ],
)
def test_bytes_that_are_no_text_are_reported(
    terminal: GateTerminal, words: tuple[str, ...]
) -> None:
    """Input in another encoding is a usage error."""
    terminal.begin()
    told = terminal.run_command(*words)

    assert 2 == told.code
    assert "is not UTF-8 text" in told.err
