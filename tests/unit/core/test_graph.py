from saniwa.core.graph import find_reachable


def test_whatever_a_way_leads_to_is_reached() -> None:
    """Rings end, names without ways are ends, and what nothing leads to is not there."""
    ways = {"a": ["b", "c"], "b": ["a"], "x": ["a"]}

    assert {"a", "b", "c"} == find_reachable(["a"], ways)
    assert {"c"} == find_reachable(["c"], ways)
    assert set() == find_reachable([], ways)
