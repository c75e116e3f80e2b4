"""What it was measured on and with."""

import os
import platform
import sqlite3
from importlib.metadata import version
from pathlib import Path


def describe_machine() -> dict[str, str]:
    """The machine and the versions, each under a short name."""
    return {
        "processor": f"{_name_processor()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
        "Saniwa": version("saniwa"),
    }


def load() -> str:
    """How many processes wanted a core over the last minute."""
    return f"{os.getloadavg()[0]:.2f}"


def _name_processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = (line.partition(": ")[2] for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown processor")
