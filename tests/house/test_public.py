import re
import subprocess
import sys

import saniwa
from tests.house.pages import ROOT


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
        "from saniwa.cli.main import _run\n"
        "_run(['--help'])\n"
        f"print('LOADED', *[m for m in {heavy!r} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert "LOADED" == done.stdout.strip().split("\n")[-1]


def test_guides_to_experiments_teach_public_names_alone() -> None:
    """What a guide imports for an experiment comes from `saniwa` itself, and stays."""
    packages = r"saniwa\.(?:experiment|app\.experiments|integrations)\b"
    deep = re.compile(rf"^\s*(?:from|import) {packages}\S*", re.MULTILINE)
    found = {
        f"{page.name}: {line.strip()}"
        for page in sorted((ROOT / "docs" / "guide").glob("*.md"))
        for line in deep.findall(page.read_text(encoding="utf-8"))
    }

    assert set() == found


def test_every_public_name_is_explained() -> None:
    """The table of all names has each of them, in order, and no other."""
    page = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    table = page.partition("## All names")[2]

    assert saniwa.__all__ == re.findall(r"^\| `(\w+)", table, re.MULTILINE)
