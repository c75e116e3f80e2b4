import msgspec

from saniwa.experiment.comparison_report import build_comparison, describe_caveats
from saniwa.experiment.experiment_comparison import ComparisonSide, ExperimentComparison
from tests.fakes.reports import PlayedTrial, make_trial


def _make_side(given: PlayedTrial, **changes: object) -> ComparisonSide:
    """Return the experiment with other counts in its cells."""
    numbers = tuple(msgspec.structs.replace(n, **changes) for n in given.numbers)
    return msgspec.structs.replace(given.side, numbers=numbers)


def _compare_changed(blocks: int, **changes: object) -> ExperimentComparison:
    """Compare an experiment with one that has other counts."""
    whole = make_trial("AC", blocks)
    return build_comparison(_make_side(whole, stall_mean=0.1), _make_side(whole, **changes))


def _shorten_blocks(compared: ExperimentComparison, metric: str) -> ExperimentComparison:
    """Do the same, with only three blocks for condition A in one metric."""
    moves = tuple(
        msgspec.structs.replace(each, least_p=0.25, blocks=3)
        if (each.metric, each.condition) == (metric, "A")
        else each
        for each in compared.moves
    )
    return msgspec.structs.replace(compared, moves=moves)


def test_nothing_is_said_where_everything_could_be_decided() -> None:
    """With ten blocks each of two differences could be shown, so there is no caveat."""
    assert [] == list(describe_caveats(_compare_changed(10, stall_mean=0.6)))


def test_a_number_that_could_not_be_decided_next_to_one_that_could_is_reported() -> None:
    """The caveat is given even if another condition has enough blocks."""
    found = _shorten_blocks(_compare_changed(10, stall_mean=0.6), "stall_mean")

    assert [
        "Of 2 tests 1 had too few runs: no corrected p could have been below "
        "0.05, so neither better nor worse could have been shown. More seeds would help."
    ] == list(describe_caveats(found))


def test_numbers_that_are_not_seen_first_are_reported_too() -> None:
    """Each family of tests is checked on its own."""
    found = _compare_changed(5, stall_mean=0.1, unread=3)

    assert [
        "With 5 blocks and 2 tests of other metrics, no corrected p could have "
        "been below 0.125, so neither better nor worse could have been shown. More seeds would "
        "help."
    ] == list(describe_caveats(found))


def test_what_would_help_is_reported_once() -> None:
    """If two families have too few blocks, the advice appears only once."""
    (told,) = describe_caveats(_compare_changed(5, stall_mean=0.6, unread=3))

    assert told.startswith("With 5 blocks and 2 tests, no corrected p could")
    assert "With 5 blocks and 2 tests of other metrics, no corrected" in told
    assert 1 == told.count("More seeds would help.")
