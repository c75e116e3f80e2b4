import pytest

from saniwa.experiment.cell_outcome import CellTurn
from tests.fakes.experiments import make_plan, play_cell_of, render_answer

TAKES = render_answer("*take the cup* Mine.")
INVENTS = render_answer("*take the beans* Now.")
TALKS = render_answer("I would rather talk about the weather of last year.")


def _play_passages(letter: str, *answers: str) -> tuple[CellTurn, ...]:
    made = make_plan(max_turns=len(answers))
    return play_cell_of(letter, *answers, made=made).passages


@pytest.mark.parametrize(
    ("answers", "trigger"),
    [
        ([TAKES], "world_delta"),
        ([INVENTS] * 3, "deny"),
        ([TALKS], "none"),
        ([TALKS, TALKS], "stall"),
        (["Output: I would rather say nothing of it."], "format_break"),
    ],
)
def test_a_game_master_chooses_remarks_by_priority(answers: list[str], trigger: str) -> None:
    """The order of priority is change, refusal, stall, broken format."""
    outcome = play_cell_of("D", *answers, made=make_plan(max_turns=max(1, len(answers) % 3)))

    assert trigger == outcome.passages[-1].trigger


@pytest.mark.parametrize("letter", "AB")
def test_without_a_game_master_no_remark_is_made(letter: str) -> None:
    """A condition without a game master has no remarks."""
    (passage,) = _play_passages(letter, TAKES)

    assert ("none", ()) == (passage.trigger, passage.fact_cards)


def test_what_changed_is_a_fact() -> None:
    """The next speaker is given a facts card about who did what."""
    (passage,) = _play_passages("D", TAKES)

    assert ("FACT: Ann: take the cup",) == passage.fact_cards


def test_talk_is_no_fact() -> None:
    """Speech alone makes no facts card."""
    (passage,) = _play_passages("D", TALKS)

    assert () == passage.fact_cards


def test_a_standstill_is_announced_once_in_five_turns() -> None:
    """If the same text repeats, the stall alarm is raised once, then again after five turns."""
    passages = _play_passages("D", *[TALKS] * 9)

    assert [1, 6] == [p.number for p in passages if p.stall_event]
    assert "FACT: the talk goes in circles; do something else" in passages[1].fact_cards
    assert {"critical"} == {p.severity for p in passages[1:]}


def test_words_that_had_to_be_said_again_raise_no_alarm() -> None:
    """The score is computed the same way in all conditions, but retries raise no alarm."""
    words = "Now, where have I put all of those things of mine?"
    passages = play_cell_of(
        "D",
        render_answer(f"*take the beans* {words}"),
        render_answer(f"*take the cup* {words}"),
        render_answer(words),
        made=make_plan(max_turns=2),
    ).passages

    assert (True, False) == (passages[1].stall_score > 0.8, passages[1].stall_event)


def test_a_called_character_who_cannot_hear_is_named() -> None:
    """Ben is in the kitchen and Ann calls him from the hall."""
    passages = _play_passages(
        "A",
        render_answer("*go to the hall* I am off."),
        render_answer("Well."),
        render_answer("Ben, are you there?"),
    )

    assert ["", "", "Ben"] == [p.addressing for p in passages]


def test_a_correction_without_apology_is_marked() -> None:
    """A different action after a refusal, with no apology, is marked as silent."""
    made = make_plan(max_turns=1)
    silent, sorry, same = (
        play_cell_of("D", INVENTS, render_answer(words), made=made).passages[0]
        for words in (
            "*take the cup* Here.",
            "*take the cup* Sorry, my mistake.",
            "*take the beans* Here they are, I say.",
        )
    )

    assert [True, False, False] == [p.silent_correction for p in (silent, sorry, same)]


def test_what_is_nowhere_has_no_id() -> None:
    """An object that does not exist is recorded only in the speaker's words."""
    (passage,) = _play_passages("A", INVENTS)
    refused = passage.final.refused_intents[0]

    assert ("beans", "", True) == (refused.target, refused.target_id, refused.invented)


@pytest.mark.parametrize("bare", ["take the cup", "I'll take the unicorn."])
def test_words_without_any_mark_are_only_said(bare: str) -> None:
    """Text without asterisks is not an action, even in a broken format."""
    (passage,) = _play_passages("A", bare)

    assert ("MISSING_OUTPUT_TAGS", ["speak"], bare) == (
        passage.final.break_type,
        [each.type for each in passage.final.intents],
        passage.final.raw_output,
    )
