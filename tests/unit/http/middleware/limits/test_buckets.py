from saniwa.http.limits import TokenBuckets
from saniwa.http.server_settings import AllowedRate
from tests.unit.http.middleware.guarded_requests import StandingClock


def test_so_many_may_come_at_once_and_then_time_must_pass() -> None:
    """A full bucket gives all its tokens at once, then one per interval."""
    watch = StandingClock()
    buckets = TokenBuckets(AllowedRate(each_second=2, at_once=3), 10, watch)

    assert [0, 0, 0, 0.5] == [buckets.reserve_token("ann") for _ in range(4)]
    watch.seconds += 0.5
    assert [0, 0.5] == [buckets.reserve_token("ann") for _ in range(2)]


def test_a_bucket_never_holds_more_than_it_began_with() -> None:
    """A bucket never has more tokens than at the beginning."""
    watch = StandingClock()
    buckets = TokenBuckets(AllowedRate(each_second=1, at_once=2), 10, watch)
    buckets.reserve_token("ann")
    watch.seconds += 1_000_000

    assert [0, 0, 1] == [buckets.reserve_token("ann") for _ in range(3)]


def test_no_address_takes_from_anothers_bucket() -> None:
    """Each name has its own bucket."""
    buckets = TokenBuckets(AllowedRate(each_second=1, at_once=1), 10, StandingClock())

    assert [0, 0, 1] == [buckets.reserve_token(name) for name in ("ann", "bob", "ann")]


def test_a_token_that_was_not_needed_comes_back() -> None:
    """A returned token can be taken again."""
    buckets = TokenBuckets(AllowedRate(each_second=1, at_once=1), 10, StandingClock())
    buckets.reserve_token("ann")
    buckets.return_token("ann")
    buckets.return_token("ann")

    assert [0, 1] == [buckets.reserve_token("ann") for _ in range(2)]


def test_the_longest_silent_is_forgotten_first() -> None:
    """The number of buckets is limited, and the least recently used one is dropped."""
    watch = StandingClock()
    buckets = TokenBuckets(AllowedRate(each_second=1, at_once=1), 3, watch)
    waits = []
    for number in range(1_000):
        waits.append(buckets.reserve_token("busy"))
        buckets.reserve_token(str(number))

    assert 3 == len(buckets)
    assert [0, *[1] * 999] == waits
