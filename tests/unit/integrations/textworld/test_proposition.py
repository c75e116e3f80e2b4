from saniwa.documents.document import make_document
from saniwa.documents.finding_collector import Findings
from saniwa.integrations.textworld.game_format import Proposition, PropositionReader
from tests.fakes.textworld import parse_proposition


def _read_propositions(*facts: str) -> tuple[PropositionReader, Findings, list[Proposition]]:
    said = [parse_proposition(fact) for fact in facts]
    page = Findings(make_document({"world": said}))
    told = PropositionReader(page)
    return told, page, told.read(said, ("world",))


def test_a_fact_is_read_with_its_place() -> None:
    """A fact has its predicate, its ids in order, and its place."""
    told, page, found = _read_propositions("at(P, r_0)", "on(o_0, s_0)")

    assert [
        Proposition("at", ("P", "r_0"), ("world", 0)),
        Proposition("on", ("o_0", "s_0"), ("world", 1)),
    ] == found
    assert ["at(P, r_0)", "on(o_0, s_0)"] == [str(one) for one in found]
    assert {"P": "P", "r_0": "r", "o_0": "o", "s_0": "s"} == told.types
    assert page.passed


def test_a_subtype_may_replace_its_type() -> None:
    """A key or food may be where a thing may; a room may not."""
    assert 3 == len(_read_propositions("on(k_0, s_0)", "in(f_0, I)", "at(c_0, r_0)")[2])
    assert [] == _read_propositions("at(r_1, r_0)")[2]


def test_what_is_not_understood_is_reported_once_with_its_number() -> None:
    """Facts that are not understood are reported once per kind, with their number."""
    told, page, found = _read_propositions("melted(o_0)", "melted(o_1)", "cut(f_0)")
    assert ([], True) == (found, page.passed)

    told.report_unknown()
    errors = page.build_report().errors
    assert ["world[0]", "world[2]"] == [each.where.path for each in errors]
    assert "'melted(o)', 2 times;" in errors[0].message
    assert "times" not in errors[1].message


def test_an_id_has_one_type() -> None:
    """An id with two types is a contradiction."""
    told, page, _ = _read_propositions("at(P, r_0)")
    told.add_type("r_0", "c", ("infos", 1))

    [found] = page.build_report().errors
    assert ("STATE_CONTRADICTION", "infos[1]") == (found.code, found.where.path)
    assert "r" == told.types["r_0"]
