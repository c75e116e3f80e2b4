from saniwa.core.reach import reached


def test_whatever_a_way_leads_to_is_reached() -> None:
    """Rings end, names without ways are ends, and what nothing leads to is not there."""
    ways = {"a": ["b", "c"], "b": ["a"], "x": ["a"]}

    assert {"a", "b", "c"} == reached(["a"], ways)
    assert {"c"} == reached(["c"], ways)
    assert set() == reached([], ways)
