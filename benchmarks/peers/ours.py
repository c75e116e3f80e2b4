"""Saniwa as its users have it: what it needs and nothing of what developers need."""

import sys
from hashlib import sha256
from pathlib import Path

from benchmarks.peers import ENVIRONMENTS, installed

ROOT = Path(__file__).parents[2]


def python() -> Path:
    """The Python of an environment with Saniwa's own packages only, made on first use.

    Raises:
        PeerError: It cannot be made on this machine.
    """
    home, lock = ENVIRONMENTS / "saniwa", ROOT / "requirements.lock"
    ready = home / f"ready-{sha256(lock.read_bytes()).hexdigest()[:16]}"
    if not ready.exists():
        print("installing Saniwa as its users have it, once ...", file=sys.stderr)
        installed(["-r", str(lock)], home)
        packages = next((home / "lib").glob("python*")) / "site-packages"
        (packages / "saniwa.pth").write_text(f"{ROOT / 'src'}\n", encoding="utf-8")
        ready.touch()
    return home / "bin" / "python"
