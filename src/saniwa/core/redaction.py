"""Removing secrets, and the folders of this machine, from texts that others will read.

Finds the secrets in the environment, and replaces them in texts and documents; paths,
findings and errors are named as the user named them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any, Final

import msgspec

from saniwa.core.errors import SaniwaError
from saniwa.core.findings import Finding, SourceLocation

_PUBLISHED = ("experiments", "scenarios")


def to_public_path(path: str) -> str:
    """Convert a path for the records of a run: never an absolute one.

    An absolute path is reduced to the published folders if it contains them, and to the
    file's name otherwise.
    """
    parts = PurePath(path).parts
    if not PurePath(path).is_absolute():
        return PurePath(path).as_posix()
    for start in range(len(parts) - 2, 0, -1):
        if parts[start : start + 2] == _PUBLISHED:
            return "/".join(parts[start:])
    return parts[-1]


class PathRedactor:
    """Replaces the paths of files in an error by their names."""

    def __init__(self, where: SourceLocation | None, details: dict[str, Any]) -> None:
        """Collect the files that an error names."""
        named = [where.file] if where is not None else []
        found = {each for each in (*named, *_find_files(details)) if _is_absolute(each)}
        # Longest first, because one may be the beginning of another.
        self._shown = {each: to_public_path(each) for each in sorted(found, key=len, reverse=True)}

    def redact_location(self, where: SourceLocation | None) -> str:
        """Return a place in a file, with the file's name only."""
        if where is None or not where.file:
            return str(where or "")
        return str(msgspec.structs.replace(where, file=to_public_path(where.file)))

    def redact_text(self, text: str) -> str:
        """Return a text with all known paths replaced."""
        for file, shown in self._shown.items():
            text = text.replace(file, shown)
        return text

    def redact_values(self, value: Any) -> Any:
        """Return JSON values with the paths in every text replaced."""
        if isinstance(value, str):
            return self.redact_text(value)
        if isinstance(value, dict):
            return {name: self.redact_values(each) for name, each in value.items()}
        return [self.redact_values(each) for each in value] if isinstance(value, list) else value


def _find_files(details: dict[str, Any]) -> Iterator[str]:
    findings = details.get("findings")
    for each in (details, *(findings if isinstance(findings, list) else ())):
        file = each.get("file") if isinstance(each, dict) else None
        if isinstance(file, str):
            yield file


def _is_absolute(file: str) -> bool:
    return len(PurePath(file).parts) > 1 and PurePath(file).is_absolute()


def redact_finding(finding: Finding, folder: Path) -> Finding:
    """Return a finding that names files relative to `folder`."""
    return msgspec.structs.replace(
        finding,
        message=_redact_text(finding.message, folder),
        hint=_redact_text(finding.hint, folder),
        where=_redact_where(finding.where, folder),
    )


def redact_error(problem: SaniwaError, folder: Path) -> SaniwaError:
    """Return the error with files relative to `folder`, without its findings."""
    return type(problem)(
        str(problem.code),
        _redact_text(problem.message, folder),
        where=_redact_where(problem.where, folder) if problem.where else None,
        # A hint to run a terminal command does not help a user of another interface.
        hint=_redact_text(problem.hint, folder).partition("; check it: saniwa ")[0],
        recoverable=problem.recoverable,
    )


@contextmanager
def redact_errors(folder: Path) -> Iterator[None]:
    """Raise errors of the block as `redact_error` returns them."""
    try:
        yield
    except SaniwaError as problem:
        raise redact_error(problem, folder) from problem


def _redact_where(where: SourceLocation, folder: Path) -> SourceLocation:
    return msgspec.structs.replace(where, file=_redact_text(where.file, folder))


def _redact_text(text: str, folder: Path) -> str:
    return text.replace(f"{folder}/", "") if str(folder) != "." else text


_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_QUERY: Final = re.compile(r"[?#]")


def redact_address(address: str) -> str:
    """Remove the user name, password and query from an address.

    Where an address can be read in two ways, the part in doubt is removed as well.
    """
    found = _SCHEME.match(address)
    scheme = found[0] if found else ""
    name, at, rest = address[len(scheme) :].rpartition("@")
    if _QUERY.search(name):
        return f"{scheme}…"
    place, *query = _QUERY.split(rest, maxsplit=1)
    return f"{scheme}{'…@' if at else ''}{place}{'?…' if query else ''}"


MARK: Final = "[redacted]"
"""The text that replaces a secret."""
SHORTEST: Final = 8
"""The fewest characters of a secret; shorter values occur in any text."""
LONGEST_WORDS: Final = 16
"""The most characters of an environment value of plain words that is not taken for a
secret; a passphrase is longer."""
_NAMES: Final = re.compile(
    r"((token|secret|credential|passw(or)?d|passphrase|apikey)s?"
    r"|(^|_)(key|pass|pat|auth|authorization|cookie|dsn)s?"
    r"|access_key_id|secret_key_base)(_?\d+)?$",
    re.IGNORECASE,
)
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+([_ .-][a-z]+)*|[A-Z]+(_[A-Z]+)*")
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#@:]*:([^/?#]+)@")

_ESCAPED: Final = re.compile(rb"%([0-9A-Fa-f]{2})")


class Redactor:
    """Replaces known secrets in texts. Keeps them in memory only and never shows them."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {secret for secret in secrets if len(secret) >= SHORTEST}
        self._known = frozenset(known)
        known |= {_encode_json(secret) for secret in known}
        # The longest first, so that no part of one remains when another is contained in
        # it.
        self._secrets = sorted(known, key=lambda secret: (-len(secret), secret))
        self._encoded = [_encode_json(secret).encode() for secret in self._secrets]

    def __repr__(self) -> str:
        return f"Redaction(<{len(self._known)} secrets>)"

    def add_secrets(self, *secrets: str) -> "Redactor":
        """Return a redactor that knows these secrets as well."""
        return Redactor({*self._known, *secrets})

    def redact_text(self, text: str) -> str:
        """Replace every secret in the text."""
        for secret in self._secrets:
            text = text.replace(secret, MARK)
        return text

    def redact_values(self, document: Any) -> Any:
        """Replace every secret in the texts of a document of plain values.

        Keys and numbers are not changed: they say what the document is. Returns
        `document` itself if it can contain no secret.
        """
        if not self._may_contain_secret(document):
            return document
        root = [document]
        # No recursion: a model may nest its output as deep as a reader goes.
        pending: list[Any] = [root]
        while pending:
            part = pending.pop()
            pairs = part.items() if isinstance(part, dict) else enumerate(part)
            for at, value in list(pairs):
                if isinstance(value, str):
                    part[at] = self.redact_text(value)
                elif isinstance(value, dict | list | tuple):
                    part[at] = dict(value) if isinstance(value, dict) else list(value)
                    pending.append(part[at])
        return root[0]

    def _may_contain_secret(self, document: Any) -> bool:
        """Whether the document may contain a secret: one search over all of its text."""
        if not self._secrets:
            return False
        try:
            content = msgspec.json.encode(document)
        except (TypeError, ValueError, OverflowError, RecursionError):
            # JSON has no text for it: search it value by value.
            return True
        return any(secret in content for secret in self._encoded)

    def count_held_back(self, text: str) -> int:
        """Count the characters at the end that may be the beginning of a secret.

        A caller that sends a text in pieces holds these back until more has arrived.
        """
        return max((_measure_overlap(text, secret) for secret in self._secrets), default=0)


def _encode_json(secret: str) -> str:
    """Encode the secret as it appears inside JSON text."""
    encoded = msgspec.json.encode(secret.encode("utf-8", "replace").decode())
    return encoded[1:-1].decode()


def _measure_overlap(text: str, secret: str) -> int:
    at = text.find(secret[0], max(len(text) - len(secret) + 1, 0))
    while at >= 0:
        if secret.startswith(text[at:]):
            return len(text) - at
        at = text.find(secret[0], at + 1)
    return 0


def find_environment_secrets(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Find the values of variables whose names mark them as secrets: `*_API_KEY`.

    In an address, the password is a secret whatever the name of the variable. A few
    plain words are not a secret: `SORT_KEY=iteration`.
    """
    found = dict.fromkeys(_find_candidates(environment))
    return tuple(value for value in found if not _is_plain(value))


def _find_candidates(environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        if _NAMES.search(name):
            yield value
        address = _ADDRESS.match(value)
        if address is not None:
            yield from (address[1], _unescape(address[1]))


def _unescape(text: str) -> str:
    """Decode percent escapes such as `%21`."""
    encoded = text.encode("utf-8", "surrogatepass")
    plain = _ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), encoded)
    return plain.decode("utf-8", "replace")


def _is_plain(value: str) -> bool:
    return len(value) <= LONGEST_WORDS and _WORDS.fullmatch(value) is not None


_PASSWORD_PATTERN = re.compile(r"(password\s*=\s*).*", re.IGNORECASE | re.DOTALL)


def redact_place(place: str | Path) -> str:
    """Return the place as it may be shown to people: without a password."""
    text = str(place)
    before, _, after = text.partition(":")
    if "@" in after:
        text = f"{before}:…@{after.rpartition('@')[2]}"
    return _PASSWORD_PATTERN.sub(r"\1…", text)
