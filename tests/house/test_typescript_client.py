"""The TypeScript client: generated from the OpenAPI document, and accepted by the compiler."""

import subprocess
import sys
from pathlib import Path

from tests.house.pages import ROOT

_PAGE = ROOT / "web"
_CLIENT = _PAGE / "src" / "api"
_SAMPLE = ROOT / "examples" / "hosts" / "typescript"


def test_the_client_is_what_the_document_says(tmp_path: Path) -> None:
    """The client is what `make client` writes now."""
    subprocess.run(
        [sys.executable, ROOT / "scripts" / "typescript_client.py", tmp_path], check=True
    )

    for name in ("schema.ts", "saniwa.ts"):
        fresh = (tmp_path / name).read_text(encoding="utf-8")
        assert fresh == (_CLIENT / name).read_text(encoding="utf-8"), "make client"


def test_the_client_and_a_host_written_with_it_pass_the_compiler() -> None:
    """The client and the sample host compile, and the mistakes marked in the sample are errors."""
    told = subprocess.run(
        [_PAGE / "node_modules" / ".bin" / "tsc", "-p", _SAMPLE],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (0, "") == (told.returncode, told.stdout)
