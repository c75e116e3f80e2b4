import msgspec

from saniwa.experiment.report.report_blocks import ParagraphBlock
from tests.fakes.reports import PlayedTrial, make_trial, measure_trial


def _render_notes(given: PlayedTrial) -> str:
    lines = [b.line for b in given.report.blocks if isinstance(b, ParagraphBlock)]
    return "\n".join("".join(piece.text for piece in line) for line in lines)


def test_it_is_said_what_was_corrected_and_what_was_not() -> None:
    """Intervals are uncorrected and p is corrected; the note explains both."""
    told = _render_notes(make_trial())

    assert "95 % intervals are in brackets, each uncorrected." in told
    assert "p is corrected by Holm over the 3 tests of the answer" in told


def test_one_test_is_no_family() -> None:
    """If only one test was possible, the note says that nothing was corrected."""
    whole = make_trial()
    alone = msgspec.structs.replace(whole.analysis.families["answer"], tests=1)
    analysis = msgspec.structs.replace(whole.analysis, families={"answer": alone})
    told = _render_notes(whole._replace(analysis=analysis))

    assert "p is corrected by Holm (there is only one test), so" in told


def test_missing_cells_are_reported_below_the_answer() -> None:
    """The note names the conditions with missing runs and their numbers."""
    whole = make_trial()
    gone = {("A", 0), ("D", 0), ("D", 1)}
    known = [o for o in whole.outcomes if (o.condition, o.seed) not in gone]
    told = _render_notes(measure_trial(whole.prepared, known))

    assert "Of 16 planned runs 3 are missing (A 1, D 2)" in told
    one = [o for o in whole.outcomes if (o.condition, o.seed) != ("A", 0)]
    assert "runs 1 is missing (A 1)" in _render_notes(measure_trial(whole.prepared, one))
    assert "planned" not in _render_notes(whole)


def test_copies_that_were_folded_are_reported() -> None:
    """Ten seeds with the same answer are reported as one."""
    whole = make_trial()
    folded = whole._replace(analysis=msgspec.structs.replace(whole.analysis, folded=1))

    assert (
        "1 block had exactly the same answers as another and is excluded from the tests"
    ) in _render_notes(folded)
    assert "exactly the same" not in _render_notes(whole)


def test_it_is_about_these_scenarios() -> None:
    """The report claims nothing beyond the scenarios played."""
    whole = make_trial()
    plan = msgspec.structs.replace(whole.prepared.plan, scenarios=("house", "b"))
    two = whole._replace(prepared=msgspec.structs.replace(whole.prepared, plan=plan))

    assert "The result holds for this scenario only." in _render_notes(whole)
    assert "The result holds for these 2 scenarios together" in _render_notes(two)


def test_a_game_master_is_said_to_do_more_than_refuse() -> None:
    """The note says that retrying alone would also lower the number."""
    told = _render_notes(make_trial())

    assert "asks again, up to 2 times and with other seeds" in told
    assert "Retrying alone would also improve some answers." in told
