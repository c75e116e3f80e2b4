from typing import Any

import pytest

from saniwa.rulebook.conditions import (
    VOCABULARY,
    Condition,
    find_providers,
    is_assured,
    list_fields_read,
    read_condition,
    render_condition,
)
from saniwa.rulebook.finding_collector import RulebookFindings
from saniwa.rulebook.predicates import make_case, make_plugin
from saniwa.world.actions import Take
from saniwa.world.model import Id
from tests.fakes.worlds import PLAYER, make_courtyard
from tests.unit.rulebook.test_facts import holds

MOON = make_plugin("moonlit", lambda _case, _args: True, "almanac 1.0").predicate
YES = {"entityExists": "actor"}
NO = {"entityExists": "tool"}


def _parse_condition(value: Any) -> Condition:
    condition = read_condition(value, (), RulebookFindings(), {**VOCABULARY, "moonlit": MOON})
    assert condition is not None
    return condition


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ({"not": YES}, False),
        ({"not": NO}, True),
        ({"and": [YES]}, True),
        ({"and": [YES, NO]}, False),
        ({"and": [YES, YES, YES]}, True),
        ({"and": [YES, YES, NO]}, False),
        ({"or": [NO]}, False),
        ({"or": [NO, YES]}, True),
        ({"or": [NO, NO, YES]}, True),
        ({"or": [NO, NO, NO]}, False),
    ],
)
def test_joints_mean_what_they_say(condition: Any, expected: bool) -> None:
    """And, or and not join any number of conditions."""
    assert expected == holds(condition)


@pytest.mark.parametrize(
    ("condition", "fields"),
    [
        ("actorsTurn", set()),
        ({"held": "tool"}, {"tool_id"}),
        ({"held": "key"}, {"target_id"}),
        ({"not": {"inScope": "actor"}}, set()),
        ({"or": [{"held": "tool"}, {"closed": "target"}]}, {"tool_id", "target_id"}),
        ({"and": ["actorsTurn", "moonlit"]}, None),
    ],
)
def test_a_condition_knows_what_it_depends_on(condition: Any, fields: Any) -> None:
    """A condition lists the fields of the action it reads; one with a plugin lists all."""
    assert fields == list_fields_read(_parse_condition(condition))


def _list_providers(condition: Any, field: str, known: str = "") -> list[list[Id | None]]:
    action = Take(actor_id=PLAYER, target_id=Id("key"))
    found = find_providers(_parse_condition(condition), field, frozenset(known.split()))
    case = make_case(action, make_courtyard())
    return [sorted(provider(case), key=str) for provider in found]


@pytest.mark.parametrize(
    ("condition", "field", "known", "expected"),
    [
        ({"held": "target"}, "target_id", "", [[]]),
        ({"held": "target"}, "tool_id", "", []),
        ({"connected": "target"}, "target_id", "", [["orchard", "shed"]]),
        ({"not": {"given": "tool"}}, "tool_id", "", [[None]]),
        ({"not": {"given": "tool"}}, "target_id", "", []),
        ({"not": {"held": "tool"}}, "tool_id", "", []),
        ({"not": {"not": {"held": "tool"}}}, "tool_id", "", []),
        (
            {"or": [{"not": {"given": "target"}}, {"connected": "target"}]},
            "target_id",
            "",
            [[None, "orchard", "shed"]],
        ),
        ({"or": [{"held": "target"}, "actorsTurn"]}, "target_id", "", []),
        (
            {"and": [{"held": "target"}, {"connected": "target"}]},
            "target_id",
            "",
            [[], ["orchard", "shed"]],
        ),
        ({"directlyIn": {"role": "target", "holderRole": "source"}}, "source_id", "", []),
        (
            {"directlyIn": {"role": "target", "holderRole": "source"}},
            "source_id",
            "target_id",
            [["bench"]],
        ),
        (
            {"contains": {"outerRole": "source", "innerRole": "target"}},
            "source_id",
            "target_id",
            [["bench", "key", "yard"]],
        ),
        ("moonlit", "target_id", "", []),
    ],
)
def test_candidates_follow_from_the_condition(
    condition: Any, field: str, known: str, expected: Any
) -> None:
    """A condition lists the candidates for a field, if it can determine them."""
    assert expected == _list_providers(condition, field, known)


@pytest.mark.parametrize(
    ("condition", "optional", "expected"),
    [
        ({"inScope": "target"}, False, True),
        ({"inScope": "target"}, True, False),
        ({"entityExists": "target"}, False, True),
        ({"inScope": "tool"}, False, False),
        ({"closed": "target"}, False, False),
        ({"or": [{"not": {"given": "target"}}, {"held": "target"}]}, True, True),
        ({"or": [{"not": {"given": "tool"}}, {"held": "target"}]}, True, False),
        ({"or": [{"not": {"held": "target"}}, {"held": "target"}]}, True, False),
        ({"and": [{"held": "target"}]}, False, False),
        ("moonlit", False, False),
    ],
)
def test_what_the_candidates_assure_is_not_asked_again(
    condition: Any, optional: bool, expected: bool
) -> None:
    """A condition is skipped only if the list of candidates is exact."""
    assert expected == is_assured(_parse_condition(condition), "target_id", optional=optional)


def test_the_full_form_is_read_back_as_itself() -> None:
    """A condition written in full form and read again is the same."""
    condition = _parse_condition({"or": [{"and": [YES, NO]}, {"not": "actorsTurn"}]})

    assert render_condition(condition) == render_condition(
        _parse_condition(render_condition(condition))
    )
