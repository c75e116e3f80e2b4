"""What it was measured on and with."""

import os
import platform
import sqlite3
from importlib.metadata import version
from pathlib import Path


def described() -> dict[str, str]:
    """The machine and the versions, each under a short name."""
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "load when it began": f"{os.getloadavg()[0]:.2f}",
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
        "Saniwa": version("saniwa"),
    }


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = (line.partition(": ")[2] for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown processor")
