"""Files that hold a key or a secret, recognised by name and by content.

Such a file is never evidence: everyone who may read the run could read it.
"""

import re
from collections.abc import Collection
from pathlib import PurePosixPath
from typing import Final

HEAD: Final = 64 * 1024
"""Bytes from the start of a file that are searched."""
_NAMES: Final = frozenset({"people.json", "badge.key", "id_rsa", "id_ed25519"})
_ENDINGS: Final = frozenset({".key", ".pem", ".p12", ".pfx", ".credential", ".token"})
_PRIVATE_KEY: Final = re.compile(rb"^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY", re.M)
_BARE_KEY: Final = re.compile(rb"[0-9a-f]{64}")
_CREDENTIAL: Final = re.compile(rb"([^:\s]{1,240}):([^\r\n]{1,4000})")
_PEOPLE: Final = (b'"people"', b'"salt"', b'"hash"')
_LONGEST_CREDENTIAL: Final = 5_000


def find_secret(path: str, head: bytes, known_names: Collection[str] = ()) -> str:
    """Why a file may hold a secret; empty if nothing says so.

    The answer reads on after the file's name. `known_names` are the people of the gate:
    a single line `NAME:TEXT` with one of their names is taken for a credential. Whether
    the text is the right secret is not checked, so that nobody can try secrets here.
    """
    name = PurePosixPath(path).name.lower()
    if name in _NAMES or PurePosixPath(name).suffix in _ENDINGS:
        return "has the name of a key file, and key files are never evidence"
    if _PRIVATE_KEY.search(head) or all(each in head for each in _PEOPLE):
        return "holds keys, and key files are never evidence"
    line = head.strip() if len(head) <= _LONGEST_CREDENTIAL else b""
    found = _CREDENTIAL.fullmatch(line)
    if _BARE_KEY.fullmatch(line) or (found and _is_credential(found, known_names)):
        return "holds a key or a credential, and key files are never evidence"
    return ""


def _is_credential(found: re.Match[bytes], known_names: Collection[str]) -> bool:
    name = found[1].decode("utf-8", "replace")
    return name in known_names or _BARE_KEY.fullmatch(found[2]) is not None
