from saniwa.scenario.textworld.form import KINDRED, OPPOSITE, SIGNATURES, TYPES


def test_every_way_has_a_way_back() -> None:
    """Going there and back leads where one was."""
    assert {*OPPOSITE} == {OPPOSITE[OPPOSITE[way]] for way in OPPOSITE}
    assert all(way != back for way, back in OPPOSITE.items())


def test_predicates_speak_of_types_that_are_known() -> None:
    """Whatever a predicate is about is a type of entity, or stands for several."""
    spoken = {type for forms in SIGNATURES.values() for each in forms for type in each}

    assert spoken <= TYPES | KINDRED.keys()
    assert all(kin <= TYPES for kin in KINDRED.values())
