"""Process files in state_gate's original form, rewritten as Saniwa's."""

from typing import Any

import pytest

from saniwa.documents.document import parse_document
from saniwa.documents.migration_log import MigrationChange, render_yaml
from saniwa.process.definition import AllGuard, ArtifactGuard, Process
from saniwa.process.reader import ProcessReadResult, read_process_text
from saniwa.process.state_gate_migration import migrate_definition

INLINE = """\
id: baking
name: Baking
version: 1
initial_state: mixing
states:
  - name: mixing
    prompt: |
      Mix the dough.
      Write `notes/recipe.md`.
    required_artifacts:
      - path: notes/recipe.md
  - {name: baked, is_terminal: true}
events:
  - {name: bake, allowed_roles: [agent]}
  - {name: again, allowed_roles: [agent]}
transitions:
  - from: mixing
    event: bake
    to: baked
    guards:
      - {type: artifact_exists, paths: [notes/recipe.md, notes/photo.png]}
  - {from: baked, event: again, to: mixing}
"""
DECIDED = """\
process: {id: letter, version: "1", name: Letter, initial_state: draft}
states: [{name: draft}, {name: sent, is_final: true}]
events:
  - {name: approve, allowed_roles: [agent]}
transitions:
  - {from: draft, event: approve, to: sent}
roles:
  - {name: agent, allowed_events: [approve]}
"""


def _migrate(text: str) -> tuple[ProcessReadResult, tuple[MigrationChange, ...]]:
    definition, changes = migrate_definition(parse_document(text).plain)
    return read_process_text(render_yaml(definition)), changes


def _require(text: str) -> Process:
    read, _ = _migrate(text)
    assert read.process is not None, read.report.findings
    return read.process


def _list_messages(text: str, effect: str) -> list[str]:
    return [each.message for each in _migrate(text)[1] if each.effect == effect]


def test_guards_inside_a_transition_become_named_guards() -> None:
    """Two guarded files in a transition become two named guards that are both needed."""
    guards = _require(INLINE).guards

    assert AllGuard(guards=("has_recipe", "has_photo")) == guards["mixing_bake"]
    assert ArtifactGuard(artifact_type="photo", condition="exists") == guards["has_photo"]


def test_files_that_are_required_become_kinds_of_evidence() -> None:
    """Required files become kinds of evidence, named after the file."""
    process = _require(INLINE)

    assert ("recipe",) == process.states[0].required_artifacts
    assert ["recipe", "photo"] == [each.type for each in process.artifacts]


def test_a_terminal_state_is_final_and_has_no_way_out() -> None:
    """A terminal state becomes final, and its outgoing transitions are listed as dropped."""
    process = _require(INLINE)

    assert process.states[1].is_final
    assert ["bake"] == [way.event for way in process.transitions]
    message = "a final state has no transitions: start another run instead"
    assert [message] == _list_messages(INLINE, "dropped")


def test_changes_of_one_kind_are_one_entry_with_all_their_places() -> None:
    """Equal changes are one entry with all their places."""
    text = INLINE.replace(", allowed_roles: [agent]}", "}")

    changes = [each for each in _migrate(text)[1] if "without roles" in each.message]

    assert [("events[0]", "events[1]")] == [each.places for each in changes]


def test_a_guard_of_an_unknown_type_never_holds() -> None:
    """A guard of an unknown type becomes one that is never satisfied."""
    text = INLINE.replace("type: artifact_exists", "type: moon_phase")

    read, _ = _migrate(text)

    assert "not_migrated" == read.document.plain["transitions"][0]["guard"]
    assert "VARIABLE_UNSETTABLE" in {each.code for each in read.report.findings}


def test_agents_do_not_decide_after_the_rewriting() -> None:
    """A decision given to an agent becomes a reviewer's."""
    process = _require(DECIDED)

    assert ("reviewer",) == process.events[0].allowed_roles
    assert [("agent", False), ("reviewer", True)] == [
        (role.name, role.can_approve) for role in process.roles
    ]


def test_a_role_that_decides_gets_the_right_to() -> None:
    """A role that lists a decision gets `can_approve`."""
    text = DECIDED.replace("agent", "editor")

    assert [True] == [role.can_approve for role in _require(text).roles]


def test_shared_schemas_are_written_out_where_they_are_used() -> None:
    """Shared schemas are copied to where they are used, also inside each other."""
    text = INLINE.replace(
        "{name: bake, allowed_roles: [agent]}",
        "{name: bake, allowed_roles: [agent], payload_schema: {$ref: '#/schemas/loaf'}}",
    )
    text += (
        "schemas:\n  loaf: {type: object, properties: {size: {$ref: '#/schemas/size'}}}\n"
        "  size: {type: integer}\n"
    )

    found = _require(text).events[0].payload_schema

    assert {"type": "object", "properties": {"size": {"type": "integer"}}} == found


def test_hooks_of_the_origin_notify_through_the_log() -> None:
    """Notifying hooks become log notes; other unknown hooks are listed as dropped."""
    hooks = "[{action: notify, channel: chat, message: Hot}, {action: collect_metrics}]"
    text = INLINE.replace("{name: baked,", f"{{name: baked, on_enter: {hooks},")

    (hook,) = _require(text).states[1].on_enter

    assert "Hot" == getattr(hook, "message", "")
    assert "hooks with the action 'collect_metrics' are left out" in _list_messages(text, "dropped")


def test_a_definition_in_our_form_is_not_changed() -> None:
    """Rewriting the result again changes nothing."""
    once, _ = migrate_definition(parse_document(INLINE).plain)

    assert (once, ()) == migrate_definition(once)


@pytest.mark.parametrize("plain", [None, [], "text", {}, {"states": [1], "transitions": "x"}])
def test_no_document_makes_it_raise(plain: Any) -> None:
    """Any document gives a definition, which the reader may report as invalid."""
    definition, _ = migrate_definition(plain)

    assert read_process_text(render_yaml(definition)).process is None
