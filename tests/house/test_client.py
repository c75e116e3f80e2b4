"""The TypeScript client: written from the OpenAPI document, and believed by the compiler."""

import subprocess
import sys
from pathlib import Path

from tests.house.pages import ROOT

_PAGE = ROOT / "web"
_CLIENT = _PAGE / "src" / "api"
_SAMPLE = ROOT / "examples" / "hosts" / "typescript"


def test_the_client_is_what_the_document_says(tmp_path: Path) -> None:
    """Whoever changes an operation writes the client anew: make client."""
    subprocess.run([sys.executable, ROOT / "scripts" / "client.py", tmp_path], check=True)

    for name in ("schema.ts", "saniwa.ts"):
        fresh = (tmp_path / name).read_text(encoding="utf-8")
        assert fresh == (_CLIENT / name).read_text(encoding="utf-8"), "make client"


def test_the_client_and_a_host_written_with_it_pass_the_compiler() -> None:
    """What is right passes, and two mistakes are known as such."""
    told = subprocess.run(
        [_PAGE / "node_modules" / ".bin" / "tsc", "-p", _SAMPLE],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (0, "") == (told.returncode, told.stdout)
