"""Evidence in files: each opened once, inside its folder, and identified by its hash.

Never follows links below its folders, never fetches a URL, and refuses key files.
"""

import errno
import hashlib
import os
import re
import stat
import unicodedata
from codecs import getincrementaldecoder
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any, Final, TypeVar

import msgspec

from saniwa.core import system_calls
from saniwa.core.errors import DocumentError
from saniwa.core.safe_open import SymlinkError, open_folder_inside, open_folder_path, open_inside
from saniwa.core.text import quote_value
from saniwa.documents.document import FORMATS, make_document, parse_document_bytes
from saniwa.process import evidence_intake, evidence_paths
from saniwa.process.artifact import Artifact, Claim, encode_content
from saniwa.process.evidence_intake import FrontMatterError
from saniwa.process.ports import EvidenceError, EvidenceInspection

SECRET_SCAN_BYTES: Final = 64 * 1024
"""Bytes from the start of a file that are searched for secrets."""
_SECRET_NAMES: Final = frozenset({"people.json", "badge.key", "id_rsa", "id_ed25519"})
_SECRET_EXTENSIONS: Final = frozenset({".key", ".pem", ".p12", ".pfx", ".credential", ".token"})
_PRIVATE_KEY: Final = re.compile(rb"^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY", re.M)
_BARE_KEY: Final = re.compile(rb"[0-9a-f]{64}")
_CREDENTIAL: Final = re.compile(rb"([^:\s]{1,240}):([^\r\n]{1,4000})")
_PEOPLE_FILE_KEYS: Final = (b'"people"', b'"salt"', b'"hash"')
_LONGEST_CREDENTIAL: Final = 5_000


def find_secret(path: str, head: bytes, known_names: Collection[str] = ()) -> str:
    """Say why a file may hold a secret; empty if nothing indicates one.

    The answer continues the file's name. `known_names` are the people of the gate: a
    single line `NAME:TEXT` with one of their names is taken for a credential. Whether
    the text is the right secret is not checked, so that secrets cannot be guessed here.
    """
    name = PurePosixPath(path).name.lower()
    if name in _SECRET_NAMES or PurePosixPath(name).suffix in _SECRET_EXTENSIONS:
        return "is named like a key file, and key files cannot be evidence"
    if _PRIVATE_KEY.search(head) or all(each in head for each in _PEOPLE_FILE_KEYS):
        return "contains keys, and key files cannot be evidence"
    line = head.strip() if len(head) <= _LONGEST_CREDENTIAL else b""
    found = _CREDENTIAL.fullmatch(line)
    if _BARE_KEY.fullmatch(line) or (found and _is_credential(found, known_names)):
        return "contains a key or a credential, and key files cannot be evidence"
    return ""


def _is_credential(found: re.Match[bytes], known_names: Collection[str]) -> bool:
    name = found[1].decode("utf-8", "replace")
    return name in known_names or _BARE_KEY.fullmatch(found[2]) is not None


_Result = TypeVar("_Result")
_IS_MISSING = "does not exist"
_IS_LINK = "is reached through a symbolic link, which is not followed"
_IS_IRREGULAR = "is not a regular file"


class UnfitEvidenceError(FrontMatterError):
    """What is wrong with a file; continues its name: `is not there`."""


@contextmanager
def open_evidence(top: Path, steps: Sequence[str]) -> Iterator[int]:
    """Open a regular file as a descriptor, closed afterwards.

    `top` is ours and may be reached through links; nothing below it may.

    Raises:
        UnfitEvidenceError: There is no such file, or it is not one that may be opened.
    """
    try:
        with open_folder_path(top, steps[:-1], _open_folder) as here:
            # Checked before it is opened: opening some devices already has an effect.
            _check_kind(_take_step(here, steps[-1], _stat_inside))
            handle = _take_step(here, steps[-1], open_inside)
    except OSError as problem:
        raise UnfitEvidenceError(_explain_os_error(problem)) from problem
    try:
        _check_kind(os.fstat(handle))
        yield handle
    finally:
        os.close(handle)


def _open_folder(here: int, name: str) -> int:
    return _take_step(here, name, open_folder_inside)


def _take_step(here: int, name: str, step: Callable[[int, str], _Result]) -> _Result:
    try:
        return step(here, name)
    except OSError as problem:
        lost = isinstance(problem, FileNotFoundError)
        more = _find_lookalike(here, name) if lost else ""
        raise UnfitEvidenceError(_explain_os_error(problem) + more) from problem


def _stat_inside(here: int, name: str) -> os.stat_result:
    return system_calls.read_state(name, here)


def _check_kind(state: os.stat_result) -> None:
    if stat.S_ISLNK(state.st_mode):
        raise UnfitEvidenceError(_IS_LINK)
    if stat.S_ISDIR(state.st_mode):
        raise UnfitEvidenceError("is a folder")
    if not stat.S_ISREG(state.st_mode):
        raise UnfitEvidenceError(_IS_IRREGULAR)


def _explain_os_error(problem: OSError) -> str:
    if isinstance(problem, SymlinkError):
        return _IS_LINK
    if problem.errno in (errno.ENOENT, errno.ENOTDIR):
        return _IS_MISSING
    if problem.errno == errno.ENXIO:
        return _IS_IRREGULAR
    return f"cannot be opened: {problem.strerror}"


def _find_lookalike(here: int, name: str) -> str:
    """Name a file whose name looks the same: people cannot see the difference."""
    for form in ("NFC", "NFD"):
        other = unicodedata.normalize(form, name)
        with suppress(OSError):
            if other != name and _stat_inside(here, other):
                return f"; a file whose name is in Unicode form {form} does"
    return ""


LARGEST_FILE = 64 * 1024 * 1024
"""Most bytes a file may have."""

_CHUNK = 256 * 1024


class FileDigest(msgspec.Struct, frozen=True):
    """What was read from a file."""

    hash: str
    """SHA-256 in hex."""
    size: int
    """How many bytes."""
    head: bytes = b""
    """The first bytes, as many as were requested."""


def digest_file(handle: int, head: int = 0) -> FileDigest:
    """Hash an open file, and return its first `head` bytes too.

    Raises:
        UnfitEvidenceError: It is empty or too large, or changed while it was read.
    """
    state = os.fstat(handle)
    if state.st_size == 0:
        raise UnfitEvidenceError("is empty")
    if state.st_size > LARGEST_FILE:
        raise UnfitEvidenceError(f"is larger than {LARGEST_FILE} bytes")
    found = _read_file(handle, state.st_size, head)
    if _stamp_file(os.fstat(handle)) != _stamp_file(state):
        raise UnfitEvidenceError("changed while it was read")
    return found


def _stamp_file(state: os.stat_result) -> tuple[int, int, int]:
    return state.st_size, state.st_mtime_ns, state.st_ctime_ns


def _read_file(handle: int, size: int, head: int) -> FileDigest:
    sha, first, total = hashlib.sha256(), bytearray(), 0
    try:
        # Read one byte more than expected, so that a growing file is noticed and an
        # endless one is not read forever.
        while total <= size and (chunk := os.read(handle, min(_CHUNK, size + 1 - total))):
            sha.update(chunk)
            first += chunk[: max(0, head - len(first))]
            total += len(chunk)
    except OSError as problem:
        raise UnfitEvidenceError(f"cannot be read: {problem.strerror}") from problem
    if total != size:
        raise UnfitEvidenceError("changed while it was read")
    return FileDigest(sha.hexdigest(), size, bytes(first))


LARGEST_DOCUMENT = 1024 * 1024
"""Most bytes of a document that are parsed."""

_MARKDOWN_EXTENSIONS = (".md", ".markdown")


def is_document(path: str) -> bool:
    """Whether a file's name says that it can be parsed."""
    return _get_extension(path) in (*FORMATS, *_MARKDOWN_EXTENSIONS)


def read_document_values(path: str, size: int, head: bytes) -> Any:
    """Parse a document of `size` bytes, from its first `LARGEST_DOCUMENT` bytes.

    Returns `msgspec.UNSET` if it is Markdown without front matter.

    Raises:
        FrontMatterError: Its front matter is broken, with line and column, or never
            ends.
        UnfitEvidenceError: It is broken, with line and column, or too large to be
            parsed.
    """
    ending = _get_extension(path)
    if ending in _MARKDOWN_EXTENSIONS:
        return evidence_intake.read_front_matter(_decode_text(head, cut=size > len(head)))
    if size > LARGEST_DOCUMENT:
        raise UnfitEvidenceError(f"is a document of more than {LARGEST_DOCUMENT} bytes")
    try:
        document = parse_document_bytes(head, path, FORMATS[ending])
    except DocumentError as problem:
        raise UnfitEvidenceError(
            evidence_intake.describe_parse_error(problem.message, problem.where)
        ) from problem
    for finding in document.findings:
        raise UnfitEvidenceError(
            evidence_intake.describe_parse_error(finding.message, finding.where)
        )
    return document.plain


def _decode_text(head: bytes, *, cut: bool) -> str:
    # A character cut in two at the end of the read part is not the author's mistake.
    try:
        return getincrementaldecoder("utf-8")().decode(head, final=not cut)
    except UnicodeDecodeError as problem:
        reason = f"cannot be read: byte {problem.start} is not UTF-8"
        raise UnfitEvidenceError(reason) from problem


def _get_extension(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


LARGEST_INLINE = 256 * 1024
"""Most bytes of inline content."""

_match_hash = re.compile(r"[0-9a-f]{64}", re.IGNORECASE).fullmatch


class FolderEvidenceReader:
    """Evidence in folders: a run's own below `artifacts`, or one below `root`."""

    def __init__(self, artifacts: Path, root: Path) -> None:
        self._artifacts = artifacts
        self._root = root

    def inspect(self, run_id: str, folder: str, claim: Claim, *, read: bool) -> EvidenceInspection:
        """Open the claimed content once, and report what it is.

        Raises:
            EvidenceError: It leads out of the folder, is not a regular file, is empty,
                is too large, is a key file, or does not match the claim.
        """
        seen = self._inspect_claim(run_id, folder, claim, read=read)
        if claim.hash and claim.hash.lower() != seen.hash:
            raise EvidenceError(
                f"the hash is {quote_value(seen.hash[:12])}…, not {quote_value(claim.hash[:12])}…"
                " as submitted"
            )
        return seen

    def locate_folder(self, run_id: str, folder: str) -> str:
        """Return the folder a run's paths are relative to, as a user would write it."""
        return str(self._root / folder if folder else self._artifacts / run_id)

    def find_evidence_change(self, folder: str, artifact: Artifact) -> str:
        """Say what happened to an artifact since submission; empty if nothing did.

        Continues the artifact's name. Always empty for a URL, which is never fetched.
        """
        if artifact.url:
            return ""
        try:
            now = self._digest_artifact(folder, artifact).hash
        except UnfitEvidenceError as problem:
            return str(problem)
        return "" if now == artifact.hash else "has changed since it was submitted"

    def read_content(self, folder: str, artifact: Artifact) -> bytes:
        """Return the bytes of an artifact, if they are unchanged since submission.

        Raises:
            UnfitEvidenceError: They changed or cannot be read; or only a URL was
                submitted; or they are a key file's. Continues the artifact's name.
        """
        if artifact.url:
            raise UnfitEvidenceError("is at a URL and was never fetched")
        found = self._digest_artifact(folder, artifact, LARGEST_FILE)
        if artifact.path:
            self._check_no_secret(artifact.path, found.head)
        if found.hash != artifact.hash:
            raise UnfitEvidenceError("has changed since it was submitted")
        return found.head

    def list_known_names(self) -> Collection[str]:
        """Return the gate's people, whose credentials are never evidence."""
        return ()

    def _check_no_secret(self, path: str, head: bytes) -> None:
        found = find_secret(path, head[:SECRET_SCAN_BYTES], self.list_known_names())
        if found:
            raise UnfitEvidenceError(found)

    def _inspect_claim(
        self, run_id: str, folder: str, claim: Claim, *, read: bool
    ) -> EvidenceInspection:
        inline = claim.content is not msgspec.UNSET
        if [bool(claim.path), bool(claim.url), inline].count(True) != 1:
            raise EvidenceError("a path, a URL or content is required")
        if claim.hash and not _match_hash(claim.hash):
            raise EvidenceError(f"{quote_value(claim.hash)} is not a SHA-256 in hexadecimal")
        if claim.url:
            return _inspect_address(claim)
        try:
            if inline:
                return _inspect_inline(claim.content, read=read)
            return self._inspect_file(run_id, folder, claim.path, read=read)
        except FrontMatterError as problem:
            name = (
                "the content" if inline else quote_value(evidence_paths.normalize_path(claim.path))
            )
            raise EvidenceError(f"{name} {problem}") from problem

    def _inspect_file(
        self, run_id: str, folder: str, path: str, *, read: bool
    ) -> EvidenceInspection:
        head = max(LARGEST_DOCUMENT if read else 0, SECRET_SCAN_BYTES)
        found = self._digest_file(run_id, folder, path, head)
        self._check_no_secret(path, found.head)
        if not read:
            return EvidenceInspection(found.hash, found.size)
        text = found.head.decode(errors="replace")
        if not is_document(path):
            return EvidenceInspection(found.hash, found.size, text=text)
        plain = read_document_values(path, found.size, found.head)
        return EvidenceInspection(found.hash, found.size, plain, text)

    def _digest_file(self, run_id: str, folder: str, path: str, head: int = 0) -> FileDigest:
        if folder:
            top, before = self._root, evidence_paths.split_folder_path(folder)
        else:
            top, before = self._artifacts, evidence_paths.split_file_path(run_id)
        with open_evidence(top, (*before, *evidence_paths.split_file_path(path))) as handle:
            return digest_file(handle, head)

    def _digest_artifact(self, folder: str, artifact: Artifact, head: int = 0) -> FileDigest:
        if not artifact.path:
            return _digest_content(artifact.content)
        try:
            return self._digest_file(artifact.run_id, folder, artifact.path, head)
        except EvidenceError as problem:
            raise UnfitEvidenceError(f"cannot be read: {problem}") from problem


def _inspect_address(claim: Claim) -> EvidenceInspection:
    evidence_paths.check_url(claim.url)
    if not claim.hash:
        raise EvidenceError("a URL needs the hash of its content")
    return EvidenceInspection(claim.hash.lower(), 0)


def _inspect_inline(content: Any, *, read: bool) -> EvidenceInspection:
    found = _digest_content(content)
    if evidence_intake.is_blank(content):
        raise UnfitEvidenceError("is empty")
    plain = evidence_intake.read_inline_evidence(content) if read else msgspec.UNSET
    return EvidenceInspection(
        found.hash, found.size, plain, found.head.decode(errors="replace") if read else ""
    )


def _digest_content(content: Any) -> FileDigest:
    """Hash inline content: a text as it is, anything else as sorted JSON."""
    try:
        make_document(content)
        written = encode_content(content)
    except (DocumentError, TypeError) as problem:
        why = getattr(problem, "message", problem)
        raise UnfitEvidenceError(f"is not JSON: {why}") from problem
    if len(written) > LARGEST_INLINE:
        raise UnfitEvidenceError(f"is larger than {LARGEST_INLINE} bytes; submit it as a file")
    return FileDigest(hashlib.sha256(written).hexdigest(), len(written), written)
