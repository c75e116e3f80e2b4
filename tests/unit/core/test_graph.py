from saniwa.core.graph import find_reachable


def test_whatever_a_way_leads_to_is_reached() -> None:
    """Cycles end, names without edges are reached, and unreachable names are not."""
    ways = {"a": ["b", "c"], "b": ["a"], "x": ["a"]}

    assert {"a", "b", "c"} == find_reachable(["a"], ways)
    assert {"c"} == find_reachable(["c"], ways)
    assert set() == find_reachable([], ways)
