import os
import subprocess
import sys
from pathlib import Path

import pytest


def _run_shell(command: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    scripts = Path(sys.executable).parent
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=600,
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("saniwa schema world | true; exit ${PIPESTATUS[0]}", 0),
        ("saniwa schema turn > /dev/full", 3),
        ("saniwa world --stdio <&-", 0),
        ("echo '{}' | saniwa world --stdio >&-", 0),
        ("saniwa log --json --store $'\\xff.db'", 3),
        ("saniwa scenario check --json $'\\xff.yaml'", 3),
        ("saniwa rulebook check --json $'\\xff.yaml'", 3),
        ("mkfifo f.yaml && timeout 10 saniwa scenario check f.yaml", 1),
        ("ln -s /dev/zero z.yaml && timeout 10 saniwa scenario check z.yaml", 1),
        ("printf 'look\\n\\xff\\xfe\\nlook\\n' | saniwa play --input -", 0),
        ("mkdir d && cd d && rmdir ../d && saniwa log --store x.db", 3),
    ],
)
def test_the_worst_shell_gets_an_answer_and_an_exit_code(
    command: str, code: int, tmp_path: Path
) -> None:
    """Closed and full streams, pipes and invalid bytes never cause a traceback."""
    done = _run_shell(command, tmp_path)

    shown = done.stdout + done.stderr
    assert code == done.returncode, shown.decode(errors="replace")
    assert b"Traceback" not in shown
    assert b"INTERNAL_ERROR" not in shown


def test_foreign_text_never_moves_the_cursor(tmp_path: Path) -> None:
    """Control characters from authors and file names are escaped in the output."""
    (tmp_path / "e.yaml").write_text(
        'name: a\nlocations: {r: {exits: "\\e[31mHACK\\a"}}\ncharacters: {p: {location: r}}\n',
        encoding="utf-8",
    )

    done = _run_shell("saniwa play e.yaml; saniwa scenario check $'\\e[2J.yaml'", tmp_path)

    assert b"HACK" in done.stderr
    assert b"\x1b" not in done.stdout + done.stderr
    assert b"\x07" not in done.stdout + done.stderr
