"""For the whole suite: no network but this machine's own, and servers when asked for."""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from tests.fakes.nightly import scale_examples
from tests.fakes.postgres import PostgresServer
from tests.fakes.processes import end_processes

# The same examples in every run, so that a red test is red on every machine; to look for new
# ones, run with SANIWA_EXPLORE=1.
_EXAMPLES = scale_examples(100)
settings.register_profile("same", derandomize=True, deadline=None, max_examples=_EXAMPLES)
settings.register_profile("explore", deadline=None, print_blob=True, max_examples=_EXAMPLES)
settings.load_profile("explore" if os.environ.get("SANIWA_EXPLORE") else "same")

# A shell starts a background job with SIGINT ignored, and every process started from there
# inherits that. Tests send SIGINT to programs that must receive it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Where Python may not write compiled files, every process compiles all that it imports.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

_OURS = ("127.", "::1", "localhost")


def _stay_home(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None
    else:
        return
    name = host.decode() if isinstance(host, bytes) else host
    if name and not name.startswith(_OURS):
        raise RuntimeError(f"a test tried to reach {name!r}; tests stay on this machine")


# An audit hook, because it also sees what libraries do, and it cannot be removed.
sys.addaudithook(_stay_home)


def pytest_collection() -> None:
    """Disable garbage collection while pytest collects the tests: nearly every object lives on."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Move the objects of the collected tests to the permanent generation.

    They live until the end, and every full garbage collection would spend a second on them;
    statsmodels asks for two in each analysis. What tests create is rarely garbage either, so
    collections are made rare.
    """
    gc.freeze()
    gc.set_threshold(50_000)
    gc.enable()


def pytest_runtest_teardown() -> None:
    """Stop the processes that a test left running before the next test starts."""
    end_processes()


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The address of a real PostgreSQL that lives as long as this test process."""
    server = PostgresServer()
    yield server.url
    server.stop()
