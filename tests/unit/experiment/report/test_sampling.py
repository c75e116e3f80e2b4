import msgspec

from saniwa.experiment.answer_intents import DENY_CODES
from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.report.outcome_summary import (
    LONGEST_ANSWER,
    MAX_SAMPLES,
    SAMPLE_KINDS,
    SampleCandidates,
    find_codes,
    find_kinds,
    make_sample,
)
from tests.fakes.experiments import play_cell_of, render_answer

SWORD = render_answer("*take the sword* Mine!")
CUP = render_answer("*take the cup* Here it is.")
SORRY = render_answer("*take the cup* Sorry, I was wrong.")


def _list_kinds(letter: str, *answers: str) -> tuple[str, ...]:
    return find_kinds(play_cell_of(letter, *answers).passages[0])


def test_a_turn_is_an_example_of_what_happened_in_it() -> None:
    """Turns are kept, refused, corrected, apologetic, given up, invented or repaired."""
    assert ("kept",) == _list_kinds("D", CUP)
    assert ("stands", "invented") == _list_kinds("A", SWORD)
    assert ("mended", "invented") == _list_kinds("D", SWORD, CUP)
    assert ("sorry", "invented") == _list_kinds("D", SWORD, SORRY)
    assert ("given_up", "invented") == _list_kinds("D", SWORD)
    assert "repaired" in _list_kinds("D", f"{CUP}<|im_end|>")


def test_codes_of_all_attempts_are_reported_once_each() -> None:
    """A code that occurred twice is listed once."""
    assert ("MISSING_OBJECT",) == find_codes(play_cell_of("D", SWORD).passages[0])


def test_every_kind_and_every_condition_is_shown() -> None:
    """The sample includes every kind that occurred and every condition."""
    found = SampleCandidates()
    for place, outcome in enumerate(
        [
            play_cell_of("A", SWORD),
            play_cell_of("B", CUP),
            play_cell_of("C", SWORD),
            play_cell_of("D", SWORD, CUP),
        ]
    ):
        found.add_outcome(outcome, place)
    chosen = found.choose_samples("ABCD", DENY_CODES)

    assert list("ABCD") == [each.condition for each in chosen]
    assert {"stands", "mended", "given_up", "invented", "kept"} == {
        kind for each in chosen for kind in each.kinds
    }


def test_the_first_of_a_kind_is_taken_whatever_comes_later() -> None:
    """The same turns are chosen however many come later."""
    once, often = SampleCandidates(), SampleCandidates()
    once.add_outcome(play_cell_of("D", CUP), 0)
    for place in range(50):
        often.add_outcome(play_cell_of("D", CUP), place)

    assert once.choose_samples("D", ()) == often.choose_samples("D", ())


def test_no_more_are_shown_than_a_reader_can_bear() -> None:
    """Even for a hundred conditions the list is short and in the plan's order."""
    names = [f"c{nth:03d}" for nth in range(100)]
    found, both = SampleCandidates(), (play_cell_of("A", SWORD), play_cell_of("A", CUP))
    for place, name in enumerate(names):
        for outcome in both:
            found.add_outcome(msgspec.structs.replace(outcome, condition=name), place)
    chosen = [each.condition for each in found.choose_samples(names, DENY_CODES)]

    assert MAX_SAMPLES == len(chosen)
    assert sorted(chosen) == chosen


def _lengthen_outcome(outcome: CellOutcome) -> CellOutcome:
    passage = outcome.passages[0]
    attempt = msgspec.structs.replace(passage.first, raw_output="x" * 1_000_000)
    passage = msgspec.structs.replace(passage, attempts=(attempt,))
    return msgspec.structs.replace(outcome, passages=(passage,))


def test_a_sample_is_small_whatever_was_said() -> None:
    """An answer of a megabyte is cut in the sample; its file has all of it."""
    outcome = _lengthen_outcome(play_cell_of("D", CUP))
    sample = make_sample(outcome, outcome.passages[0], 0)

    assert LONGEST_ANSWER == len(sample.passage.first.raw_output)


def test_kinds_have_words() -> None:
    """Each kind has its own description."""
    assert len(SAMPLE_KINDS) == len(set(SAMPLE_KINDS.values()))
