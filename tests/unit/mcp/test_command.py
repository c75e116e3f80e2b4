import subprocess
import sys
from pathlib import Path

import pytest

from saniwa.cli.main import main


@pytest.fixture(autouse=True)
def _enter_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, without environment variables."""
    monkeypatch.chdir(tmp_path)
    for name in ("ROLE", "CREDENTIAL", "TOKEN", "PROJECT_ROOT"):
        monkeypatch.delenv(f"STATE_GATE_{name}", raising=False)
    monkeypatch.delenv("SANIWA_GATE", raising=False)


def run_to_exit(*arguments: str) -> object:
    """The exit status of `saniwa mcp`."""
    with pytest.raises(SystemExit) as caught:
        main(["mcp", *arguments])
    return caught.value.code


def test_without_the_extra_the_command_to_install_it_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the SDK, the error names the command that installs it."""
    for name in [name for name in sys.modules if name.split(".")[0] == "mcp"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)

    assert 3 == run_to_exit()
    told = capsys.readouterr().err
    assert "EXTRA_MISSING" in told
    assert "pip install 'saniwa[mcp]'" in told


@pytest.mark.parametrize("role", ["human", "reviewer"])
def test_a_persons_role_needs_a_credential(role: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A person's role needs a credential."""
    assert 3 == run_to_exit("--role", role)
    assert "ROLE_NEEDS_CREDENTIAL" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["8765", "localhost:", "a:b", "::1:70000", "x:²"])
def test_an_address_must_be_one(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An address that is not HOST:PORT is a usage error."""
    assert 2 == run_to_exit("--http", address)
    assert "HOST:PORT" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", ":0"])
def test_other_machines_need_a_token(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Listening for other machines needs a token."""
    assert 3 == run_to_exit("--http", address)
    assert "TOKEN_MISSING" in capsys.readouterr().err


def test_a_run_that_is_not_there_is_reported_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    """The server does not start with a run that does not exist."""
    assert 3 == run_to_exit("--run", "last")
    assert "RUN_NOT_FOUND" in capsys.readouterr().err


def test_no_other_command_pays_for_the_sdk() -> None:
    """The command's help is shown without importing the SDK."""
    asked = (
        "import sys\n"
        "from saniwa.cli.servers import mcp\n"
        "mcp.main(['--help'], standalone_mode=False)\n"
        "print(sorted({'mcp', 'anyio', 'pydantic', 'starlette'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)

    assert done.stdout.startswith("Usage:")
    assert "[]" == done.stdout.strip().split("\n")[-1]
