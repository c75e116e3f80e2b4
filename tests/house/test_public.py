import subprocess
import sys

import saniwa


def test_the_public_list_is_sorted_and_complete() -> None:
    """Everything promised exists, once, in order."""
    assert sorted(set(saniwa.__all__)) == saniwa.__all__
    assert all(hasattr(saniwa, name) for name in saniwa.__all__)


def test_help_loads_nothing_heavy() -> None:
    """The first help line needs neither parser nor store nor colour library."""
    heavy = [
        "rich",
        "yaml",
        "sqlite3",
        "psycopg",
        "asyncio",
        "jsonschema_rs",
        "rapidfuzz",
        "orjson",
    ]
    script = (
        "import sys\n"
        "from saniwa.cli import _run\n"
        "_run(['--help'])\n"
        f"print('LOADED', *[m for m in {heavy!r} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert "LOADED" == done.stdout.strip().split("\n")[-1]
