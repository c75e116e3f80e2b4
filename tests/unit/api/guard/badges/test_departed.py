import stat
from pathlib import Path

import pytest
from msgspec.structs import replace

from saniwa.api.guard.badges.badge import Badge
from saniwa.api.guard.badges.departed import MOST, NAME, Departed
from saniwa.core.errors import StoreError

BADGE = Badge(name="ann", issued=10, expires=1_000, serial="0")


def test_a_badge_that_was_given_back_is_remembered(tmp_path: Path) -> None:
    """It counts no longer, also for a server that starts later."""
    Departed(tmp_path).add(BADGE, 20)
    later = Departed(tmp_path)

    assert later.has(BADGE)
    assert not later.has(replace(BADGE, serial="1"))
    assert not later.has(replace(BADGE, name="bob"))
    assert 0o600 == stat.S_IMODE((tmp_path / NAME).stat().st_mode)


def test_another_servers_sign_out_is_seen(tmp_path: Path) -> None:
    """Two servers on one folder know the same badges."""
    here, there = Departed(tmp_path), Departed(tmp_path)
    before = here.has(BADGE)
    there.add(BADGE, 20)

    assert [False, True] == [before, here.has(BADGE)]


def test_who_gives_back_very_many_gives_back_all(tmp_path: Path) -> None:
    """The file stays small, and no badge that was given back ever counts again."""
    departed = Departed(tmp_path)
    badges = [replace(BADGE, serial=str(number)) for number in range(MOST + 1)]
    for badge in badges:
        departed.add(badge, 20)
    departed.add(replace(BADGE, serial="later", issued=30), 40)

    assert all(departed.has(badge) for badge in badges)
    assert departed.has(replace(BADGE, serial="other", issued=20))
    assert not departed.has(replace(BADGE, serial="other", issued=21))
    assert (tmp_path / NAME).stat().st_size < 100


def test_what_has_ended_by_itself_is_forgotten(tmp_path: Path) -> None:
    """Only badges that could still count are kept."""
    departed = Departed(tmp_path)
    departed.add(BADGE, 20)
    departed.add(replace(BADGE, serial="1", expires=9_000), 1_000)

    assert [False, True] == [
        departed.has(BADGE),
        departed.has(replace(BADGE, serial="1")),
    ]


def test_a_clock_that_is_set_back_brings_no_badge_back(tmp_path: Path) -> None:
    """Forgotten while the clock was ahead, it still counts no longer."""
    departed = Departed(tmp_path)
    departed.add(BADGE, 20)
    departed.add(replace(BADGE, serial="1", issued=5_000, expires=5_990), 5_100)

    assert departed.has(BADGE)
    assert not departed.has(replace(BADGE, serial="2", issued=11, expires=1_001))


def test_of_very_many_those_from_a_clock_ahead_count_no_longer_either(
    tmp_path: Path,
) -> None:
    """They were issued later than it is now."""
    departed = Departed(tmp_path)
    ahead = replace(BADGE, serial="ahead", issued=5_000, expires=5_990)
    for number in range(MOST):
        departed.add(replace(BADGE, serial=str(number)), 20)
    departed.add(ahead, 20)

    assert departed.has(ahead)


def test_giving_back_what_has_ended_takes_no_other(tmp_path: Path) -> None:
    """A later badge of the same person counts on."""
    departed = Departed(tmp_path)
    departed.add(BADGE, 1_000)

    assert not departed.has(replace(BADGE, serial="1", issued=900, expires=1_890))


def test_a_spoilt_file_lets_nobody_in(tmp_path: Path) -> None:
    """What cannot be read is no empty list."""
    (tmp_path / NAME).write_text("[")
    with pytest.raises(StoreError, match="STORE_UNREADABLE"):
        Departed(tmp_path).has(BADGE)
