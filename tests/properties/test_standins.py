"""Stand-ins in every scenario that ships with Saniwa make only the mistakes they should."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from saniwa.app.scenario_lookup import locate_shipped_registry
from saniwa.experiment.cell_outcome import CellOutcome, CellTurn, encode_outcome
from saniwa.experiment.cell_player import play_cell
from saniwa.experiment.plan import Condition, StandInFaults, iterate_cells
from saniwa.experiment.prompts import SpeakerFacts
from saniwa.experiment.run_template import RunTemplates
from saniwa.experiment.stand_in.character import StandIn, answer_request
from saniwa.models.oracle import OracleMessage, OracleRequest
from saniwa.scenario.registry import Registry
from tests.fakes.experiments import list_conditions, make_plan, prepare_plan
from tests.fakes.nightly import NIGHTLY
from tests.fakes.standins import FAULTLESS, HOME, make_request, render_card

SHIPPED = tuple(each.scenario_id for each in Registry.open(locate_shipped_registry()).entries)
"""Every scenario that ships with Saniwa; a new one is included automatically."""
UNTELLABLE = {"take.not_owned", "take.takeable", "unlock.key_fits"}
"""What facts do not say: who owns a thing, that it cannot be moved, which key fits."""
UNOFFERED = UNTELLABLE | {"move.door_unlocked", "move.door_open"}
"""What a card alone does not say: that too, and whether a way is closed."""
WILD = st.text(max_size=200) | st.sampled_from(
    [
        "\n[WORLD]\nOBJECTS_HERE: a, b\nEXITS: c",
        "\n<<<SYSTEM_SIGNAL>>>\n",
        render_card("x", HOME),
        "Turn 3. Ann, it is your turn.",
        "Ann: “*take the cup* *go to Hall*”",
        "FACT: ",
        "*" * 50,
        "あなたは。",
        "\ud800",
        "{0}{name}",
    ]
)


def _play_cells(
    faults: StandInFaults,
    ways: Iterable[Condition],
    *,
    scenarios: Sequence[str] = SHIPPED,
    seeds: int = 3 if NIGHTLY else 1,
) -> list[CellOutcome]:
    whole = prepare_plan(
        make_plan(
            conditions=tuple(ways),
            scenarios=tuple(scenarios),
            seeds=tuple(range(seeds)),
            max_turns=10,
        )
    )
    stages, oracle = RunTemplates(whole), StandIn(faults)

    async def play_all() -> list[CellOutcome]:
        return [await play_cell(stages, c, oracle) for c in iterate_cells(whole.plan)]

    return asyncio.run(play_all())


def _list_passages(outcomes: Iterable[CellOutcome]) -> list[CellTurn]:
    return [passage for outcome in outcomes for passage in outcome.passages]


@pytest.mark.parametrize("language", ["", "en", "ja"])
def test_a_faultless_informed_stand_in_is_refused_only_the_unknown(language: str) -> None:
    """A stand-in without faults that knows the facts is refused only for what facts do not say."""
    told = Condition(name="B", inject=True, gm=False, language=language)
    refused = Counter(
        intent.check
        for passage in _list_passages(_play_cells(FAULTLESS, [told]))
        for intent in passage.first.refused_intents
    )

    assert set(refused) <= UNTELLABLE, refused


def test_an_informed_faultless_stand_in_makes_progress() -> None:
    """A faultless stand-in that knows the facts does every kind of action and reaches a goal."""
    played = _play_cells(FAULTLESS, list_conditions("B"), seeds=6)
    intents = (intent for p in _list_passages(played) for intent in p.final.intents)
    kinds = {intent.type for intent in intents if intent.is_deed}

    assert {"take", "move", "open", "unlock", "give", "search", "inspect"} == kinds
    assert any(outcome.goal_reached for outcome in played)


def test_an_inventive_stand_in_invents_whenever_it_has_no_facts() -> None:
    """Without facts, a stand-in that always invents names an invented thing in every turn."""
    faults = replace(FAULTLESS, invent=100)

    assert all(
        any(intent.invented for intent in passage.first.intents)
        for passage in _list_passages(_play_cells(faults, list_conditions("A")))
    )


def test_an_informed_trusting_stand_in_invents_nothing() -> None:
    """A stand-in that trusts the facts it is given names only what they list."""
    faults = replace(FAULTLESS, invent=100, misplace=100)

    assert not any(
        intent.invented
        for passage in _list_passages(_play_cells(faults, list_conditions("B")))
        for intent in passage.first.intents
    )


def test_a_stand_in_that_heeds_a_card_does_not_repeat_the_refusal() -> None:
    """After a card, the second attempt fails only for what no card says, and the third never."""
    faults = StandInFaults(heed=100, garble=0)
    passages = _list_passages(_play_cells(faults, list_conditions("CD"), seeds=2))
    second = [p.attempts[1] for p in passages if len(p.attempts) > 1]
    third = [p.attempts[2] for p in passages if len(p.attempts) > 2]

    assert len(second) > 100
    assert {i.check for each in second for i in each.refused_intents} <= UNOFFERED
    assert [] == [each for each in third if not each.is_valid]


def test_a_stand_in_that_ignores_cards_repeats_itself_and_gives_up() -> None:
    """A stand-in that ignores cards is refused three times for the same thing, then gives up."""
    faults = StandInFaults(heed=0, garble=0)
    for passage in _list_passages(_play_cells(faults, list_conditions("C"), seeds=2)):
        if not passage.first.is_valid:
            meant = {each.refused_intents[0].target for each in passage.attempts}

            assert (True, 3, 1) == (passage.give_up, len(passage.attempts), len(meant))


def test_conditions_share_their_luck() -> None:
    """A stand-in that ignores facts acts the same in the conditions with and without them."""
    played = _play_cells(
        StandInFaults(trust=0), list_conditions("AB"), scenarios=["door_and_key_ja"], seeds=5
    )
    deeds: dict[tuple[int, str], list[Any]] = {}
    for outcome in played:
        deeds[outcome.seed, outcome.condition] = [
            (i.type, i.target)
            for p in outcome.passages
            for i in p.first.intents
            if i.type != "speak"
        ]

    assert all(deeds[seed, "A"] == deeds[seed, "B"] for seed in range(5))
    assert len({str(each) for each in deeds.values()}) == 5


def test_a_cell_played_again_is_the_same_bytes() -> None:
    """A cell played again has the same bytes, whatever was played in between."""
    first, second = (
        [
            encode_outcome(o)
            for o in _play_cells(
                StandInFaults(), list_conditions(), scenarios=SHIPPED[-3:], seeds=1
            )
        ]
        for _ in range(2)
    )

    assert first == second


@pytest.mark.slow
def test_telling_and_refusing_help_on_every_scenario() -> None:
    """Facts make first attempts better; cards leave fewer impossible actions."""
    rows = _make_table(_play_cells(StandInFaults(), list_conditions(), seeds=20 if NIGHTLY else 6))

    assert {*SHIPPED} == {*rows}
    for row in rows.values():
        (a, a_stands), (b, b_stands), (c, c_stands), (d, d_stands) = (row[way] for way in "ABCD")
        assert (True, True) == (b > a, d > c), _render_table(rows)
        assert (True, True) == (c_stands < a_stands, d_stands < b_stands), _render_table(rows)


def _render_table(rows: dict[str, dict[str, tuple[float, int]]]) -> str:
    """The table, printed when an assertion fails."""
    lines = [f"{'':20}{'valid first tries':>28}{'impossible that stands':>28}"]
    for name, row in rows.items():
        valid = "".join(f"{row[way][0]:7.2f}" for way in "ABCD")
        stands = "".join(f"{row[way][1]:7}" for way in "ABCD")
        lines.append(f"{name:20}{valid}{stands}")
    return "\n".join(lines)


def _make_table(played: Iterable[CellOutcome]) -> dict[str, dict[str, tuple[float, int]]]:
    """The share of valid first attempts, and the impossible actions left, by scenario."""
    found: dict[str, dict[str, list[CellTurn]]] = {}
    for outcome in played:
        ways = found.setdefault(outcome.scenario, {})
        ways.setdefault(outcome.condition, []).extend(outcome.passages)
    return {
        name: {
            way: (
                sum(p.first.is_valid for p in passages) / len(passages),
                sum(len(p.final.refused_intents) for p in passages),
            )
            for way, passages in ways.items()
        }
        for name, ways in found.items()
    }


@given(system=WILD, text=st.lists(WILD, max_size=6), seed=st.integers() | st.none())
def test_every_prompt_has_one_answer(system: str, text: list[str], seed: int | None) -> None:
    """No prompt makes a stand-in fail, and the same prompt gets the same answer again."""
    request = OracleRequest(
        messages=(OracleMessage(role="user", text="\n".join(text)),), system=system, seed=seed
    )
    other = make_request(facts=HOME)

    first = answer_request(request, StandInFaults())
    answer_request(other, StandInFaults())

    assert first == answer_request(request, StandInFaults())


@given(
    names=st.lists(st.text(min_size=1, max_size=90), max_size=30),
    said=st.text(max_size=400),
    seed=st.integers(0, 5000),
)
def test_names_and_speeches_of_any_kind_are_answered(
    names: list[str], said: str, seed: int
) -> None:
    """An answer has two lines, whatever the names and speeches are."""
    facts = SpeakerFacts(
        place="".join(names[:1]),
        objects=tuple(names),
        holding=tuple(names[:3]),
        exits=tuple(names[3:6]),
        people=tuple(names[6:9]),
        closed=tuple(names[::2]),
        locked=tuple(names[::3]),
    )
    request = make_request(("Ben", said), ("Ann", said), facts=facts, seed=seed)
    answer = answer_request(request, replace(FAULTLESS, force=50))

    assert 2 == len(answer.split("\n"))
    assert 0 == answer.count("*") % 2
