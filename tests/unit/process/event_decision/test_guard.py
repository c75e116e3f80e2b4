import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.canonical_json import is_same_json
from saniwa.core.translations import open_translator
from saniwa.process.artifact import Artifact
from saniwa.process.definition import (
    AllGuard,
    AnyGuard,
    ArtifactDefinition,
    ArtifactGuard,
    CheckGuard,
    Guard,
    NotGuard,
    VariableGuard,
)
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.guards import GuardFacts, explain_guard_failure
from saniwa.process.run_state import ProcessRun
from tests.fakes.gate import make_artifact, make_door_process, make_opening_record, make_run_id
from tests.fakes.paper_process import EvidenceFiles

Kept = dict[str, dict[str, Artifact]]


class SpoiltEvidenceFiles(EvidenceFiles):
    """Evidence files that all have the same fault."""

    def __init__(self, told: str) -> None:
        super().__init__({})
        self.told = told

    def find_evidence_change(self, folder: str, artifact: Artifact) -> str:  # noqa: ARG002 - the port's
        """The same fault for every artifact."""
        return self.told


def make_facts(kept: Kept | None = None, fault: str = "", **variables: Any) -> GuardFacts:
    """Facts whose stored artifacts all have the same fault."""
    standing = ProcessRun.from_first_record(make_run_id(), make_opening_record(make_door_process()))
    standing.variables, standing.artifacts = variables, kept or {}
    return GuardFacts(ProcessIndex(make_door_process()), standing, SpoiltEvidenceFiles(fault))


def make_permits(*pieces: Artifact) -> Kept:
    """Some permits, by their identity."""
    return {"permit": {each.identity: each for each in pieces}}


def holds(guard: Guard, seen: GuardFacts, **others: Guard) -> bool:
    """Whether a guard is satisfied, with others defined."""
    return explain_guard_failure("it", {"it": guard, **others}, seen) == ""


EXISTS = ArtifactGuard(artifact_type="permit", condition="exists")
ONE = make_artifact("permit-1.md", hash="1" * 64)
TWO = make_artifact("permit-2.md", hash="2" * 64)


def test_exists_wants_one_artifact_of_the_kind() -> None:
    """`exists` needs an artifact of its kind."""
    assert not holds(EXISTS, make_facts({"other": {"a": make_artifact("a", kind="other")}}))
    assert holds(EXISTS, make_facts(make_permits(ONE)))


def test_exists_looks_at_no_count() -> None:
    """`exists` ignores `min_count`."""
    guard = ArtifactGuard(artifact_type="permit", condition="exists", min_count=5)

    assert holds(guard, make_facts(make_permits(ONE)))


def test_count_wants_so_many_different_ones() -> None:
    """`count` counts files with the same bytes once."""
    guard = ArtifactGuard(artifact_type="permit", condition="count", min_count=2)
    copy = make_artifact("permit-3.md", hash=ONE.hash)

    assert not holds(guard, make_facts(make_permits(ONE, copy)))
    assert holds(guard, make_facts(make_permits(ONE, TWO)))


@pytest.mark.parametrize("condition", ["count", "has_fields"])
def test_a_guard_that_wants_none_always_holds(condition: Any) -> None:
    """`min_count: 0` needs no artifact of the kind, and accepts any."""
    guard = ArtifactGuard(
        artifact_type="permit", condition=condition, min_count=0, required_fields=("a",)
    )

    assert holds(guard, make_facts({}))
    assert holds(guard, make_facts(make_permits(ONE)))


def test_has_fields_wants_all_of_them_in_one_artifact() -> None:
    """`has_fields` needs all fields in one artifact, and names the missing ones."""
    guard = ArtifactGuard(
        artifact_type="permit", condition="has_fields", required_fields=("a", "b.c")
    )
    half = make_artifact("permit-1.md", fields=("a",))
    other = make_artifact("permit-2.md", fields=("b", "b.c"))
    whole = make_artifact("permit-3.md", fields=("a", "b", "b.c"))

    told = explain_guard_failure("it", {"it": guard}, make_facts(make_permits(half, other)))

    assert "'permit-1.md' has no b.c" in told
    assert "'permit-2.md' has no a" in told
    assert holds(guard, make_facts(make_permits(half, whole)))


def test_evidence_with_a_fault_does_not_count_and_is_named() -> None:
    """Evidence with a fault does not count, and is named with what to do."""
    told = explain_guard_failure(
        "it", {"it": EXISTS}, make_facts(make_permits(ONE), fault="has changed")
    )

    assert "'permit-1.md' has changed; submit it again" in told


@pytest.mark.parametrize(
    ("condition", "value", "there", "absent"),
    [
        ("equals", 1, True, False),
        ("equals", 2, False, False),
        ("equals", True, False, False),
        ("not_equals", 2, True, False),
        ("not_equals", 1, False, False),
        ("in", [1, 2], True, False),
        ("in", [2], False, False),
        ("in", 1, False, False),
        ("not_in", [2], True, False),
        ("not_in", [1], False, False),
        ("exists", None, True, False),
        ("not_exists", None, False, True),
    ],
)
def test_a_variable_is_compared_as_json(
    condition: Any, value: Any, there: bool, absent: bool
) -> None:
    """Variables are compared as JSON, and an unset one satisfies only `not_exists`."""
    guard = VariableGuard(variable="x", condition=condition, value=value)

    assert there is holds(guard, make_facts(x=1))
    assert absent is holds(guard, make_facts())


def test_null_is_a_value_that_exists() -> None:
    """A variable set to null exists."""
    guard = VariableGuard(variable="x", condition="exists")

    assert holds(guard, make_facts(x=None))


def test_all_shows_everything_that_is_missing() -> None:
    """`all` names everything that is missing."""
    other = VariableGuard(variable="x", condition="exists")
    guard = AllGuard(guards=("e", "o"))

    told = explain_guard_failure("it", {"it": guard, "e": EXISTS, "o": other}, make_facts())

    assert "'permit'" in told
    assert "'x'" in told


def test_any_wants_one() -> None:
    """`any` needs one of its guards, and an empty one is never satisfied."""
    other = VariableGuard(variable="x", condition="exists")
    guard = AnyGuard(guards=("e", "o"))

    assert holds(guard, make_facts(x=1), e=EXISTS, o=other)
    assert not holds(guard, make_facts(), e=EXISTS, o=other)
    assert not holds(AnyGuard(guards=()), make_facts())


def test_not_holds_where_the_other_does_not() -> None:
    """`not` is satisfied if its guard is not."""
    guard = NotGuard(guard="e")

    assert holds(guard, make_facts(), e=EXISTS)
    assert not holds(guard, make_facts(make_permits(ONE)), e=EXISTS)


def test_not_does_not_hold_where_the_answer_is_unknown() -> None:
    """`not` is not satisfied if its guard cannot be decided, such as for damaged evidence."""
    told = explain_guard_failure(
        "it", {"it": NotGuard(guard="e"), "e": EXISTS}, make_facts(make_permits(ONE), "is gone")
    )

    assert "cannot be decided" in told


def test_evidence_that_was_held_to_another_schema_does_not_count() -> None:
    """Evidence that was checked against another schema does not count."""
    older = make_artifact("permit-1.md", held_to="0123456789abcdef")

    told = explain_guard_failure("it", {"it": EXISTS}, make_facts(make_permits(older)))

    assert "was checked against another schema" in told


def test_evidence_in_a_form_that_is_no_longer_taken_does_not_count() -> None:
    """Evidence in a form that the current definition does not accept does not count."""
    kind = ArtifactDefinition(type="permit", forms=("path",))
    standing = ProcessRun.from_first_record(make_run_id(), make_opening_record(make_door_process()))
    standing.artifacts = make_permits(make_artifact("", url="https://example.org/p"))
    seen = GuardFacts(
        ProcessIndex(make_door_process(artifacts=(kind,))), standing, SpoiltEvidenceFiles("")
    )

    assert "was not submitted as path" in explain_guard_failure("it", {"it": EXISTS}, seen)


def test_an_undefined_guard_never_holds() -> None:
    """Neither an undefined guard nor its negation is satisfied."""
    assert explain_guard_failure("none", {}, make_facts())
    assert not holds(NotGuard(guard="none"), make_facts())


def test_a_guard_that_contains_itself_never_holds() -> None:
    """A guard that contains itself is never satisfied, and checking it ends."""
    assert not holds(AllGuard(guards=("it",)), make_facts())
    assert not holds(NotGuard(guard="it"), make_facts())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(json_values)
def test_a_value_is_the_same_as_itself(value: Any) -> None:
    """Every value is equal to itself."""
    assert is_same_json(value, value)


@given(json_values, json_values)
def test_sameness_goes_both_ways(one: Any, other: Any) -> None:
    """Equality is symmetric."""
    assert is_same_json(one, other) is is_same_json(other, one)


def test_true_is_not_one_inside_lists_and_maps() -> None:
    """`true` and 1 differ also inside lists and mappings."""
    assert not is_same_json([True], [1])
    assert not is_same_json({"a": False}, {"a": 0})
    assert is_same_json({"a": [1.0]}, {"a": [1]})


_FAILING: dict[str, Guard] = {
    "exists": EXISTS,
    "two": ArtifactGuard(artifact_type="permit", condition="count", min_count=2),
    "by_gate": ArtifactGuard(artifact_type="permit", condition="exists", made_by="gate"),
    "with_field": ArtifactGuard(
        artifact_type="permit", condition="has_fields", required_fields=("title",)
    ),
    "doubted": NotGuard(guard="exists"),
    "refused": NotGuard(guard="unset"),
    "undefined": NotGuard(guard="nowhere"),
    "empty": AnyGuard(guards=()),
    "needed": VariableGuard(variable="absent", condition="exists"),
    "unset": VariableGuard(variable="absent", condition="not_exists"),
    "set": VariableGuard(variable="tone", condition="not_exists"),
    "missing": VariableGuard(variable="absent", condition="equals", value="cold"),
    "other": VariableGuard(variable="tone", condition="equals", value="cold"),
    "same": VariableGuard(variable="tone", condition="not_equals", value="warm"),
    "among": VariableGuard(variable="tone", condition="in", value=["cold"]),
    "outside": VariableGuard(variable="tone", condition="not_in", value=["warm"]),
    "all": AllGuard(guards=("same", "needed")),
    "either": AnyGuard(guards=("same", "needed", "exists")),
    "not_run": CheckGuard(kind="command", command=("true",)),
}


@pytest.mark.parametrize("name", [*(each for each in _FAILING if each != "unset"), "nowhere"])
def test_why_a_guard_fails_is_said_in_japanese_too(name: str) -> None:
    """Every reason why a guard does not hold has a Japanese text, inside others too."""
    seen = make_facts(make_permits(ONE), "has changed since it was submitted", tone="warm")
    why = explain_guard_failure(name, _FAILING, seen)
    told = open_translator("ja", "process").translate_reasons(why)

    assert why
    assert not re.search(r"[a-z] [a-z]", told), told
