import pytest

from saniwa.core.errors import StoreError
from saniwa.mcp import server
from saniwa.mcp.server import RunResources
from saniwa.process.event_record import render_rows
from tests.fakes.paper_process import PaperGates


def make_resources(office: PaperGates) -> RunResources:
    """The resources of an office's runs."""
    return RunResources(office.make_gate())


def test_every_run_has_a_summary_and_a_log() -> None:
    """Every run has a summary and a log, and everything listed can be read."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    shelf = make_resources(office)

    listed, following = shelf.list_page()

    assert ["text/markdown", "text/csv"] == [each.mime_type for each in listed]
    assert [each.mime_type for each in listed] == [
        shelf.read(each.uri).mime_type for each in listed
    ]
    assert "" == following
    assert all(run_id in each.uri for each in listed)


def test_a_summary_shows_the_state_and_the_evidence() -> None:
    """A summary shows the state and the evidence."""
    office = PaperGates()
    run_id = office.begin_reviewed()

    told = make_resources(office).read(f"stategate://runs/{run_id}/summary").text

    assert told.startswith("# paper: review\n")
    assert "\n## Evidence\n" in told
    assert "- text.md" in told


def test_a_log_is_the_published_table() -> None:
    """The log has the bytes of the run's CSV file."""
    office = PaperGates()
    run_id = office.begin_reviewed()

    told = make_resources(office).read(f"stategate://runs/{run_id}/log").text

    assert "".join(render_rows(office.log.read_entries(run_id))) == told
    assert 3 == told.count("\r\n")


def test_the_list_comes_in_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Following the cursors lists every run once, newest first."""
    monkeypatch.setattr(server, "PAGE_SIZE", 2)
    office = PaperGates()
    ids = [office.begin() for _ in range(5)]
    shelf = make_resources(office)

    seen, cursor = [], ""
    for _ in range(3):
        listed, cursor = shelf.list_page(cursor)
        seen += [each.name.split()[0] for each in listed if each.mime_type == "text/csv"]

    assert ids[::-1] == seen
    assert "" == cursor


@pytest.mark.parametrize(
    "address",
    [
        "stategate://runs/run-1/summary",
        "stategate://runs/../log",
        "stategate://runs/RUN/secret",
        "stategate://runs/RUN/summary/",
        "STATEGATE://runs/RUN/summary",
        "stategate://runs//log",
        "file:///etc/passwd",
        "",
    ],
)
def test_other_addresses_lead_nowhere(address: str) -> None:
    """Any other address is RUN_NOT_FOUND."""
    office = PaperGates()
    run_id = office.begin()

    with pytest.raises(StoreError) as caught:
        make_resources(office).read(address.replace("RUN", run_id))

    assert "RUN_NOT_FOUND" == caught.value.code
