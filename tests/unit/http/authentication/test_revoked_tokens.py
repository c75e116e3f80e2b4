import stat
from pathlib import Path

import pytest
from msgspec.structs import replace

from saniwa.core.errors import StoreError
from saniwa.http.session_tokens import (
    MAX_REVOKED_SERIALS,
    REVOKED_FILE,
    RevokedTokens,
    SessionToken,
)

BADGE = SessionToken(name="ann", issued=10, expires=1_000, serial="0")


def test_a_revoked_token_is_remembered(tmp_path: Path) -> None:
    """A revoked token stays revoked for a server that starts later."""
    RevokedTokens(tmp_path).revoke_token(BADGE, 20)
    later = RevokedTokens(tmp_path)

    assert later.is_revoked(BADGE)
    assert not later.is_revoked(replace(BADGE, serial="1"))
    assert not later.is_revoked(replace(BADGE, name="bob"))
    assert 0o600 == stat.S_IMODE((tmp_path / REVOKED_FILE).stat().st_mode)


def test_another_servers_sign_out_is_seen(tmp_path: Path) -> None:
    """A server sees tokens that another one on the same folder revoked."""
    here, there = RevokedTokens(tmp_path), RevokedTokens(tmp_path)
    before = here.is_revoked(BADGE)
    there.revoke_token(BADGE, 20)

    assert [False, True] == [before, here.is_revoked(BADGE)]


def test_very_many_revoked_tokens_stay_revoked(tmp_path: Path) -> None:
    """However many tokens are revoked, all stay revoked, and the file stays small."""
    departed = RevokedTokens(tmp_path)
    badges = [replace(BADGE, serial=str(number)) for number in range(MAX_REVOKED_SERIALS + 1)]
    for badge in badges:
        departed.revoke_token(badge, 20)
    departed.revoke_token(replace(BADGE, serial="later", issued=30), 40)

    assert all(departed.is_revoked(badge) for badge in badges)
    assert departed.is_revoked(replace(BADGE, serial="other", issued=20))
    assert not departed.is_revoked(replace(BADGE, serial="other", issued=21))
    assert (tmp_path / REVOKED_FILE).stat().st_size < 100


def test_expired_tokens_are_forgotten(tmp_path: Path) -> None:
    """Revoked tokens that have expired are forgotten."""
    departed = RevokedTokens(tmp_path)
    departed.revoke_token(BADGE, 20)
    departed.revoke_token(replace(BADGE, serial="1", expires=9_000), 1_000)

    assert [False, True] == [
        departed.is_revoked(BADGE),
        departed.is_revoked(replace(BADGE, serial="1")),
    ]


def test_a_clock_that_is_set_back_revives_no_token(tmp_path: Path) -> None:
    """Setting the clock back does not make a forgotten token valid."""
    departed = RevokedTokens(tmp_path)
    departed.revoke_token(BADGE, 20)
    departed.revoke_token(replace(BADGE, serial="1", issued=5_000, expires=5_990), 5_100)

    assert departed.is_revoked(BADGE)
    assert not departed.is_revoked(replace(BADGE, serial="2", issued=11, expires=1_001))


def test_revoked_tokens_from_the_future_stay_revoked(tmp_path: Path) -> None:
    """With very many revoked tokens, those issued in the future stay revoked too."""
    departed = RevokedTokens(tmp_path)
    ahead = replace(BADGE, serial="ahead", issued=5_000, expires=5_990)
    for number in range(MAX_REVOKED_SERIALS):
        departed.revoke_token(replace(BADGE, serial=str(number)), 20)
    departed.revoke_token(ahead, 20)

    assert departed.is_revoked(ahead)


def test_giving_back_what_has_ended_takes_no_other(tmp_path: Path) -> None:
    """Revoking an expired token does not revoke a later one."""
    departed = RevokedTokens(tmp_path)
    departed.revoke_token(BADGE, 1_000)

    assert not departed.is_revoked(replace(BADGE, serial="1", issued=900, expires=1_890))


def test_a_damaged_file_admits_no_visitor(tmp_path: Path) -> None:
    """A malformed file is an error, not an empty list."""
    (tmp_path / REVOKED_FILE).write_text("[")
    with pytest.raises(StoreError, match="STORE_UNREADABLE"):
        RevokedTokens(tmp_path).is_revoked(BADGE)
