"""The contract of `AgentJournal`: appended, in order, whole after a crash, one writer."""

from collections.abc import Callable
from pathlib import Path

import pytest

from saniwa.agent.journal import MemoryJournal
from saniwa.app.agent_journals import FileJournal
from saniwa.core.errors import StoreError
from saniwa.core.redaction import MARK
from saniwa.models.recording import AgentJournal
from saniwa.store.json_lines_file import JsonLinesFile

Opening = Callable[[], AgentJournal]


@pytest.fixture(params=["memory", "lines", "file"])
def open_journal(request: pytest.FixtureRequest, tmp_path: Path) -> Opening:
    """Opens the same journal again and again."""
    if request.param == "memory":
        kept = MemoryJournal()
        return lambda: kept
    made = JsonLinesFile if request.param == "lines" else FileJournal
    return lambda: made(tmp_path / "deep" / "journal.jsonl")


def test_a_new_journal_is_empty(open_journal: Opening) -> None:
    """A journal has no entries before one is written."""
    journal = open_journal()

    assert [] == list(journal.read_entries())
    journal.close()


@pytest.mark.parametrize("lasting", [True, False])
def test_entries_come_back_in_order(open_journal: Opening, lasting: bool) -> None:
    """Entries come back unchanged and in order when the journal is opened again."""
    first = open_journal()
    for number in range(3):
        first.append({"event": "x", "n": number, "text": "鍵\n\u2028"}, lasting=lasting)
    first.close()

    again = open_journal()

    assert [{"event": "x", "n": number, "text": "鍵\n\u2028"} for number in range(3)] == list(
        again.read_entries()
    )
    again.close()


def test_an_entry_is_its_own_once_written(open_journal: Opening) -> None:
    """Changing an entry after it was appended does not change the journal."""
    journal, entry = open_journal(), {"event": "x", "n": 1}
    journal.append(entry)
    entry["n"] = 2

    assert [1] == [kept["n"] for kept in journal.read_entries()]
    journal.close()


def test_closing_twice_is_no_mistake(open_journal: Opening) -> None:
    """Closing a journal twice is not an error and loses nothing."""
    journal = open_journal()
    journal.append({"event": "x"}, lasting=True)
    journal.close()
    journal.close()

    assert 1 == len(list(open_journal().read_entries()))


@pytest.mark.parametrize("made", [JsonLinesFile, FileJournal])
def test_a_journal_has_one_writer(made: Callable[[Path], AgentJournal], tmp_path: Path) -> None:
    """A second writer is refused with a recoverable error and writes nothing."""
    first, second = made(tmp_path / "j.jsonl"), made(tmp_path / "j.jsonl")
    first.append({"event": "x"})

    with pytest.raises(StoreError) as refused:
        second.append({"event": "y"})

    assert ("STORE_BUSY", True) == (refused.value.code, refused.value.recoverable)
    first.close()
    second.close()


def test_the_resuming_reader_has_the_journal_alone(tmp_path: Path) -> None:
    """Of two processes that resume one agent, the second is refused before it reads anything."""
    first, second = FileJournal(tmp_path / "j.jsonl"), FileJournal(tmp_path / "j.jsonl")
    list(first.read_entries())

    with pytest.raises(StoreError) as refused:
        list(second.read_entries())

    assert "STORE_BUSY" == refused.value.code
    first.close()
    second.close()


def test_a_secret_changes_texts_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redaction changes texts only, not the names of events and fields, and no number."""
    monkeypatch.setenv("SORT_KEY", "iteration")
    monkeypatch.setenv("EVENT_KEY", "iteration-1")
    monkeypatch.setenv("DIGITS_KEY", "12345678")
    entry = {"event": "iteration-1", "iteration-1": 1, "at": 912345678, "text": "12345678"}
    journal = FileJournal(tmp_path / "j.jsonl")

    journal.append(entry)

    assert [entry | {"text": MARK}] == list(journal.read_entries())
    journal.close()


@pytest.mark.parametrize("made", [JsonLinesFile, FileJournal])
def test_a_line_that_was_cut_off_is_left_out_and_reported(
    made: Callable[[Path], FileJournal], tmp_path: Path
) -> None:
    """An incomplete last line is dropped, and the repair is reported."""
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'{"event":"x"}\n{"event":"y')

    journal = made(path)
    journal.append({"event": "z"})

    assert ["x", "z"] == [entry["event"] for entry in journal.read_entries()]
    assert ["LOG_MENDED"] == [finding.code for finding in journal.repairs]
    journal.close()
