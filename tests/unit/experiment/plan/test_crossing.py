from saniwa.experiment.plan_factors import SWITCHES, count_conditions, cross_factors


def test_letters_name_switches() -> None:
    """A has neither switch, B has inject, C has a game master, and D has both."""
    assert {
        "A": (False, False),
        "B": (True, False),
        "C": (False, True),
        "D": (True, True),
    } == SWITCHES


def test_all_levels_meet_all_others() -> None:
    """Conditions are ordered by letter, then by their levels in the order of the plan."""
    pairs = [(True, True), (False, False)]
    made = cross_factors(pairs, {"language": ("ja", "en"), "temperature": (0.5, 1.0)})

    assert ["A"] * 4 + ["D"] * 4 == [each.letter for each in made]
    assert ["ja", "ja", "en", "en"] == [each.language for each in made[:4]]
    assert 8 == len(made) == count_conditions(2, {"a": (1.0, 2.0), "b": (1.0, 2.0)})
    assert "A+language=ja+temperature=0.5" == made[0].name
    assert ("ja", 0.5) == (made[0].language, made[0].temperature)
