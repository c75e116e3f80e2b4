"""What opening a store by its address promises, whatever kind of store it is."""

import asyncio
from pathlib import Path

import pytest

from saniwa.app.run_service import RunService
from saniwa.app.run_stores import open_existing_store, open_store
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.store.postgres_stores import PostgresRunStore


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("PostgreSQL://user:secret@127.0.0.1:1/db", "STORE_UNREACHABLE"),
        ("  postgresql://user:secret@127.0.0.1:1/db ", "STORE_UNREACHABLE"),
        ("\tPostgres://user:secret@127.0.0.1:1/db", "STORE_UNREACHABLE"),
        ("postgresql:/user:secret@127.0.0.1/db", "STORE_UNKNOWN"),
        ("postgresql://user:secret@[::1/db", "STORE_UNKNOWN"),
        ("MySQL://user:secret@127.0.0.1/db", "STORE_UNKNOWN"),
        (" mysql:/user:secret@127.0.0.1/db", "STORE_UNKNOWN"),
    ],
)
@pytest.mark.parametrize("opens", [open_store, open_existing_store])
def test_an_address_is_no_files_name_and_its_password_is_not_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opens: object, address: str, code: str
) -> None:
    """However an address is spelt, no file is created for it and its password is not shown."""
    monkeypatch.chdir(tmp_path)
    assert callable(opens)

    with pytest.raises(StoreError) as caught:
        opens(address)
    assert code == caught.value.code
    assert "secret" not in str(caught.value)
    assert [] == list(tmp_path.iterdir())


def test_an_address_in_capitals_is_opened(postgres_url: str) -> None:
    """The kind of an address is read without regard to case and spaces."""
    store = open_store(f" {postgres_url.replace('postgresql', 'PostgreSQL')} ")
    store.close()

    assert isinstance(store, PostgresRunStore)


def test_what_begins_no_run_makes_no_store(tmp_path: Path) -> None:
    """Resuming from a mistyped store or starting a mistyped scenario writes nothing."""
    parts = RunService.open(tmp_path / "typo.sqlite")
    with pytest.raises(StoreError, match="STORE_UNREADABLE"):
        parts.resume("last")
    with pytest.raises(SaniwaError, match="no_such_scenario"):
        parts.begin("no_such_scenario")
    parts.close()

    assert [] == list(tmp_path.iterdir())


def test_a_store_is_made_by_the_first_run_and_continued(tmp_path: Path) -> None:
    """The first run creates the store, and a later opening finds the run."""
    parts = RunService.open(tmp_path / "runs.sqlite")
    run = parts.begin("door_and_key")
    asyncio.run(run.say("look"))

    assert 1 == parts.resume("last").count
    parts.close()
    later = RunService.open(tmp_path / "runs.sqlite")
    assert run.id == later.resume("last").id
    later.close()
