from saniwa.documents.document import parse_document
from saniwa.experiment.plan_reader import read_plan


def _list_codes(text: str) -> list[str]:
    read = read_plan(parse_document("scenarios: [default]\n" + text, "plan.yaml"))
    return [each.code for each in read.report.findings]


def test_numbers_have_a_least_and_a_most() -> None:
    """Every number in a plan has a minimum and a maximum."""
    assert ["WRONG_TYPE"] * 4 == _list_codes(
        "max_turns: 10001\nmax_retries: -1\nmax_tokens: 0\norder_seed: -1\n"
    )
    assert [] == _list_codes("max_turns: 1\nmax_retries: 0\nstop_after_give_ups: 2\n")


def test_a_plan_of_more_than_a_million_cells_is_refused() -> None:
    """The size is computed before any cells are made."""
    assert ["PLAN_TOO_LARGE"] == _list_codes(
        "seeds: 100000\nfactors: {rulebook: [scenario, strict, loose]}\n"
    )


def test_an_address_holds_no_secret() -> None:
    """Plans are published, so a user name and password in an address are a finding."""
    assert ["ADDRESS_UNUSABLE"] == _list_codes("llm_url: http://me:secret@host/v1\n")


def test_tables_of_file_and_options_are_merged() -> None:
    """A table given as an option is merged into the file's and overrides equal keys."""
    text = "scenarios: [default]\nprices: {a: [1, 2], b: [3, 4]}\nmodel: ollama:a\n"
    read = read_plan(parse_document(text, "plan.yaml"), {"prices": {"b": [5, 6]}})
    assert read.authored is not None

    assert {"a": (1.0, 2.0), "b": (5.0, 6.0)} == read.authored.plan.prices
