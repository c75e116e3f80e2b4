from typing import Any

import pytest

from saniwa.core.errors import RulebookError
from saniwa.core.findings import SourceLocation
from saniwa.rulebook.finding_collector import DEEPEST_BOOK, MOST_VALUES
from saniwa.rulebook.judge import judge
from saniwa.rulebook.loader import (
    SHIPPED_BOOKS,
    build_rulebook,
    inspect_rulebook,
    load_shipped_book,
    read_rulebook,
    resolve_layers,
)
from saniwa.world.actions import Take
from saniwa.world.model import Id
from tests.fakes.books import DEFAULT, STRICT, build_book, build_book_over, make_layer, make_rule
from tests.fakes.worlds import PLAYER, make_courtyard

TAKE = Take(actor_id=PLAYER, target_id=Id("well"))
FREE_HANDS = {"actionType": "take", "checks": [{"id": "takeable", "enabled": False}]}


@pytest.mark.parametrize("name", SHIPPED_BOOKS)
def test_shipped_books_pass(name: str) -> None:
    """Shipped books have no findings, and resolve to their documents."""
    assert () == inspect_rulebook(load_shipped_book(name)).findings
    assert resolve_layers(name) == resolve_layers(load_shipped_book(name))


@pytest.mark.parametrize("name", ["default", "strict"])
def test_the_two_basic_books_stand_alone(name: str) -> None:
    """Neither basic book extends another."""
    assert (load_shipped_book(name),) == resolve_layers(name)


def test_a_shipped_name_must_exist() -> None:
    """An unknown book is an error with the nearest name."""
    with pytest.raises(RulebookError) as caught:
        resolve_layers("stric")

    assert ("RULE_UNKNOWN_BOOK", "did you mean 'strict'?") == (caught.value.code, caught.value.hint)


@pytest.mark.parametrize(
    ("spec", "ids"),
    [
        (None, ["default"]),
        ("strict", ["strict"]),
        ("cooking", ["strict", "cooking"]),
        ({"id": "mine", "extends": "cooking"}, ["strict", "cooking", "mine"]),
        ({"id": "mine"}, ["default", "mine"]),
        ({"id": "mine", "extends": "strict"}, ["strict", "mine"]),
        ({"id": "mine", "extends": None}, ["mine"]),
    ],
)
def test_a_book_is_based_on_what_it_extends(spec: Any, ids: list[str]) -> None:
    """Layers are listed lowest first; a document extends `default` unless it says otherwise."""
    assert ids == [document["id"] for document in resolve_layers(spec)]


@pytest.mark.parametrize("spec", [{"extends": "lenient"}, {"extends": 3}, []])
def test_what_is_extended_must_be_a_book(spec: Any) -> None:
    """An unknown book, and a document that is not an object, are refused."""
    with pytest.raises(RulebookError) as caught:
        resolve_layers(spec)

    assert caught.value.code in ("RULE_UNKNOWN_BOOK", "RULE_BAD_FIELD")


def test_an_edit_counts_from_the_next_judgement() -> None:
    """A layer over a book changes the verdict."""
    edited = build_rulebook([*resolve_layers(), make_layer(FREE_HANDS)])

    assert "take.takeable" == judge(TAKE, make_courtyard(), DEFAULT).check
    assert judge(TAKE, make_courtyard(), edited).success


def test_a_disabled_rule_leaves_only_the_laws() -> None:
    """With a rule switched off, only the laws of the world apply."""
    free = build_book_over("strict", {"actionType": "take", "enabled": False})
    person = Take(actor_id=PLAYER, target_id=Id("keeper"))

    assert judge(TAKE, make_courtyard(), free).success
    assert "law.portable" == judge(person, make_courtyard(), free).check


def test_an_action_without_a_rule_is_allowed() -> None:
    """A book without a rule for an action allows it."""
    assert judge(TAKE, make_courtyard(), build_book()).success


def test_a_book_knows_its_name() -> None:
    """A book has the id of its uppermost layer, or `unnamed`."""
    assert ("default", "strict", "unnamed") == (DEFAULT.id, STRICT.id, build_book().id)


def test_order_is_part_of_a_book() -> None:
    """The order of checks changes the fingerprint, because the first failure gives the reason."""
    one = build_book(make_rule("take", {"held": "target"}, {"inScope": "target"}))
    other = build_book(make_rule("take", {"inScope": "target"}, {"held": "target"}))

    assert one.fingerprint != other.fingerprint


@pytest.mark.parametrize(
    "change",
    [
        {"condition": {"held": "target"}},
        {"failReason": "LOCKED"},
        {"failMessage": "never"},
        {"hint": "go home"},
    ],
)
def test_whatever_can_change_a_verdict_changes_the_fingerprint(change: Any) -> None:
    """Condition, reason, message and hint change the fingerprint."""
    before = make_rule("take", {"inScope": "target"})
    after = make_rule("take", {"inScope": "target"})
    after["checks"][0] |= change

    assert build_book(before).fingerprint != build_book(after).fingerprint


def test_what_changes_no_verdict_changes_no_fingerprint() -> None:
    """Names, dates, descriptions, spelling and disabled rules do not change the fingerprint."""
    plain = make_rule("take", {"inScope": "target"})
    wordy = make_rule("take", {"op": "in_scope", "role": "target"})
    wordy["checks"][0] |= {"description": "in reach", "enabled": True}
    off = make_rule("eat", "actorsTurn", enabled=False)
    book = build_rulebook(
        [make_layer(off, wordy, id="x", name="X", version="2", updatedAt="2026-01-01")]
    )

    assert build_book(plain).fingerprint == book.fingerprint


def test_findings_stand_where_the_file_has_them() -> None:
    """With a function that locates paths, findings have locations in the file."""
    with pytest.raises(RulebookError) as caught:
        read_rulebook(
            make_layer(make_rule("tkae", "actorsTurn")),
            lambda path: SourceLocation(file="my.yaml", line=len(path)),
        )

    assert "my.yaml:3" == str(caught.value.where)
    assert "RULE_UNKNOWN_ACTION" == caught.value.code


def test_a_lower_layer_that_is_wrong_stops_everything() -> None:
    """A mistake in a lower layer has its path, not a location in the uppermost file."""
    with pytest.raises(RulebookError) as caught:
        build_rulebook(
            [make_layer(make_rule("tkae")), make_layer()],
            lambda _path: SourceLocation(file="my.yaml"),
        )

    assert "rules[0].actionType" == str(caught.value.where)


def test_inspection_reports_everything_and_raises_nothing() -> None:
    """An unknown base and wrong rules are reported together."""
    report = inspect_rulebook({"extends": "lenient", "rules": [make_rule("tkae")]})

    assert {"RULE_UNKNOWN_BOOK", "RULE_UNKNOWN_ACTION"} == {
        finding.code for finding in report.findings
    }
    assert ["RULE_BAD_FIELD"] == [finding.code for finding in inspect_rulebook(3).findings]


def test_text_that_no_json_can_hold_is_refused() -> None:
    """A book with a lone surrogate is refused, because it has no hash."""
    broken = make_rule("take", "actorsTurn")
    broken["checks"][0]["failMessage"] = "\ud800"
    with pytest.raises(RulebookError) as caught:
        build_book(broken)

    assert "RULE_BAD_FIELD" == caught.value.code
    assert ["RULE_BAD_FIELD"] == [f["code"] for f in caught.value.details["findings"]]


def test_reading_changes_no_document() -> None:
    """Reading a book does not change the caller's document."""
    mine = make_layer(FREE_HANDS)
    copy = make_layer({"actionType": "take", "checks": [{"id": "takeable", "enabled": False}]})
    read_rulebook(mine)

    assert copy == mine


def _nest_value(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("levels", [DEEPEST_BOOK, 500, 990, 100_000])
@pytest.mark.parametrize("field", ["extends", "reasons", "rules", "x"])
def test_a_book_may_only_be_so_deep(field: str, levels: int) -> None:
    """A book that nests too deep is a finding, wherever it comes from."""
    document = {field: _nest_value(levels)}
    message = f"the rulebook is nested deeper than {DEEPEST_BOOK} levels"

    assert [message] == [f.message for f in inspect_rulebook(document).findings]
    for read in (read_rulebook, resolve_layers, lambda book: build_rulebook([book])):
        with pytest.raises(RulebookError, match=message) as caught:
            read(document)
        assert "RULE_BAD_FIELD" == caught.value.code


def test_a_deep_layer_below_is_refused_too() -> None:
    """The limit on depth also applies to lower layers."""
    with pytest.raises(RulebookError, match="nested deeper"):
        build_rulebook([{"x": _nest_value(990)}, make_layer()])


def test_a_book_may_only_hold_so_much() -> None:
    """Shared conditions count each time they are used."""
    condition: Any = {"held": "target"}
    for _ in range(16):
        condition = {"and": [condition, condition]}

    with pytest.raises(RulebookError, match=f"more than {MOST_VALUES} values"):
        build_book(make_rule("take", condition))


def test_a_book_that_holds_itself_is_refused() -> None:
    """A book that contains itself is refused."""
    ring: dict[str, Any] = {}
    ring["rules"] = [ring]

    assert ["RULE_BAD_FIELD"] == [f.code for f in inspect_rulebook(ring).findings]
