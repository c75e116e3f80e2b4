"""Extreme files get findings or a clear error, within limits."""

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

_SECONDS, _BYTES = 60, 1 << 30
"""What the process may use; beyond it, the system kills it and the test fails."""

BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "a line of 100 MB": (lambda: b"x" * 100_000_000, "STORY_UNREADABLE"),
    "a line of 15 MB": (lambda: b"x" * 15_000_000, "LINE_TOO_LONG"),
    "braces without end": (lambda: b"{" * 99_000, "BRACE_UNCLOSED"),
    "brackets without end": (lambda: b"[" * 99_000 + b"\n[", ""),
    "a million choices": (lambda: b"- x\n" * 1_000_000, "OPTIONS_TOO_MANY"),
    "a million links": (lambda: b"- [x](#a)\n" * 1_000_000, "OPTIONS_TOO_MANY"),
    "a million blocks": (lambda: b":::when x\n" * 1_000_000, "BLOCK_TOO_DEEP"),
    "lists in lists": (
        lambda: b"".join(b"  " * n + b"- x\n" for n in range(2_000)),
        "BLOCK_TOO_DEEP",
    ),
    "a comment without end": (lambda: b"<!-- x\n" * 300_000, "COMMENT_UNCLOSED"),
    "front matter without end": (lambda: b"---\na: " + b"[" * 50_000, "FRONT_MATTER_MALFORMED"),
    "everything unclosed": (
        lambda: b":::do x\n:::route y\n- [a](#\n  {if (\n[BRANCH choice=\n<!--" * 9,
        "COMMENT_UNCLOSED",
    ),
    "a hundred thousand labels nobody has": (
        lambda: b"".join(b"[x](#n%d)\n\n" % n for n in range(100_000)),
        "FINDINGS_MANY",
    ),
    "the same line over and over": (lambda: b"Yes.\n\n" * 190_000, ""),
    "expressions": (lambda: b"{n + 1}\n\n" * 50_000, "VARIABLE_UNDECLARED"),
    "bytes": (lambda: bytes(range(256)) * 4_000, "STORY_UNREADABLE"),
    "zeros": (lambda: b"\0" * 1_000_000, "STORY_UNREADABLE"),
    "a picture": (lambda: b"\x89PNG\r\n\x1a\n" + b"\xff" * 9_000, "STORY_UNREADABLE"),
    "line ends of every kind": (lambda: "a\r\nb\rc\n\u2028d\u0085e\x0bf\x0cg".encode() * 1_000, ""),
    "nothing": (lambda: b"", ""),
}


def _limit_resources() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_BYTES, _BYTES))


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_every_broken_file_gets_a_report(name: str, tmp_path: Path) -> None:
    """Within a minute and a gigabyte, an extreme file gets findings or one error."""
    content, code = BOMBS[name]
    path = tmp_path / "bomb.md"
    path.write_bytes(content())

    done = subprocess.run(
        [sys.executable, "-m", "saniwa", "check", "--json", str(path)],
        capture_output=True,
        check=False,
        preexec_fn=_limit_resources,
    )
    answer = json.loads(done.stdout)

    assert done.returncode in (0, 1, 3), done.stderr
    codes = {finding["code"] for finding in answer["findings"]}
    assert code in codes or not code
    assert "INTERNAL_ERROR" not in codes
    assert len(answer["findings"]) <= 1_001
