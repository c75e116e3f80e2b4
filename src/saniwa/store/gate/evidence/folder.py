"""Looks at what is handed in: a file, an address, or the thing itself."""

import hashlib
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import msgspec
import orjson

from saniwa.core.document import of_plain
from saniwa.core.errors import DocumentError
from saniwa.core.quoted import quoted
from saniwa.process.artifact import Artifact, Claim
from saniwa.process.ports import EvidenceError
from saniwa.process.weighing.place import check_url, folder_steps, normal, steps_of
from saniwa.process.weighing.silence import is_silent
from saniwa.store.gate.evidence import saying
from saniwa.store.gate.evidence.digest import LARGEST, Digest, digest
from saniwa.store.gate.evidence.key_files import HEAD, find_secret
from saniwa.store.gate.evidence.walk import UnfitError, opened

LARGEST_INLINE = 256 * 1024
"""Bytes that may be handed in without a file."""

_HASH = re.compile(r"[0-9a-f]{64}", re.IGNORECASE).fullmatch


class Seen(msgspec.Struct, frozen=True):
    """What was seen in a thing that was handed in."""

    hash: str
    """SHA-256 of the bytes, in hex."""
    size: int
    """How many bytes."""
    plain: Any = msgspec.UNSET
    """What it says, as JSON values; `msgspec.UNSET` where it is no document."""


class FolderEvidence:
    """Evidence in folders: a run's own below `artifacts`, or one below `root`."""

    def __init__(self, artifacts: Path, root: Path) -> None:
        self._artifacts = artifacts
        self._root = root

    def look(self, run_id: str, folder: str, claim: Claim, *, read: bool) -> Seen:
        """Open what is claimed once, and tell what is there.

        Raises:
            EvidenceError: It leads out of the folder, is no regular file, is empty, is too
                large, is a key file, or is not what the claim says.
        """
        seen = self._seen(run_id, folder, claim, read=read)
        if claim.hash and claim.hash.lower() != seen.hash:
            raise EvidenceError(
                f"the hash is {quoted(seen.hash[:12])}…, not {quoted(claim.hash[:12])}…"
                " as was said with it"
            )
        return seen

    def home(self, run_id: str, folder: str) -> str:
        """Where a run's paths lead from, as somebody here would write it."""
        return str(self._root / folder if folder else self._artifacts / run_id)

    def fault(self, folder: str, artifact: Artifact) -> str:
        """What has happened to an artifact since it was handed in; empty if nothing has.

        Reads on after the artifact's name. Of an address nothing is known: nobody
        fetches it.
        """
        if artifact.url:
            return ""
        try:
            now = self._again(folder, artifact)
        except UnfitError as problem:
            return str(problem)
        return "" if now == artifact.hash else "has changed since it was handed in"

    def content(self, folder: str, artifact: Artifact) -> bytes:
        """The bytes of an artifact, if they are still what was handed in.

        Raises:
            UnfitError: They are not, or cannot be read; or nobody has them: it was only
                told where it is; or they are a key file's. Reads on after the artifact's
                name.
        """
        if artifact.url:
            raise UnfitError("lies somewhere else, and was never fetched")
        written = self._written(folder, artifact)
        if hashlib.sha256(written).hexdigest() != artifact.hash:
            raise UnfitError("has changed since it was handed in")
        return written

    def _written(self, folder: str, artifact: Artifact) -> bytes:
        if not artifact.path:
            return _bytes_of(artifact.content)
        try:
            found = self._digest(artifact.run_id, folder, artifact.path, LARGEST)
        except EvidenceError as problem:
            raise UnfitError(f"cannot be looked at: {problem}") from problem
        self._check_no_secret(artifact.path, found.head[:HEAD])
        return found.head

    def known_names(self) -> Collection[str]:
        """The names of the gate's people, whose credentials are never evidence."""
        return ()

    def _check_no_secret(self, path: str, head: bytes) -> None:
        found = find_secret(path, head, self.known_names())
        if found:
            raise UnfitError(found)

    def _seen(self, run_id: str, folder: str, claim: Claim, *, read: bool) -> Seen:
        inline = claim.content is not msgspec.UNSET
        if [bool(claim.path), bool(claim.url), inline].count(True) != 1:
            raise EvidenceError("one of a path, an address and a content is needed")
        if claim.hash and not _HASH(claim.hash):
            raise EvidenceError(f"{quoted(claim.hash)} is no SHA-256 in hex")
        if claim.url:
            return _at_address(claim)
        try:
            if inline:
                return _inline(claim.content, read=read)
            return self._file(run_id, folder, claim.path, read=read)
        except UnfitError as problem:
            name = "the content" if inline else quoted(normal(claim.path))
            raise EvidenceError(f"{name} {problem}") from problem

    def _file(self, run_id: str, folder: str, path: str, *, read: bool) -> Seen:
        head = saying.LARGEST if read and saying.is_document(path) else 0
        found = self._digest(run_id, folder, path, max(head, HEAD))
        self._check_no_secret(path, found.head[:HEAD])
        if not head:
            return Seen(found.hash, found.size)
        plain = saying.saying_of(path, found.size, found.head)
        return Seen(found.hash, found.size, plain)

    def _digest(self, run_id: str, folder: str, path: str, head: int = 0) -> Digest:
        if folder:
            top, before = self._root, folder_steps(folder)
        else:
            top, before = self._artifacts, steps_of(run_id)
        with opened(top, (*before, *steps_of(path))) as handle:
            return digest(handle, head)

    def _again(self, folder: str, artifact: Artifact) -> str:
        if not artifact.path:
            return hashlib.sha256(_bytes_of(artifact.content)).hexdigest()
        try:
            return self._digest(artifact.run_id, folder, artifact.path).hash
        except EvidenceError as problem:
            raise UnfitError(f"cannot be looked at: {problem}") from problem


def _at_address(claim: Claim) -> Seen:
    check_url(claim.url)
    if not claim.hash:
        raise EvidenceError("an address needs the hash of what is there")
    return Seen(claim.hash.lower(), 0)


def _inline(content: Any, *, read: bool) -> Seen:
    written = _bytes_of(content)
    if is_silent(content):
        raise UnfitError("is empty")
    plain = saying.inline_plain(content) if read else msgspec.UNSET
    return Seen(hashlib.sha256(written).hexdigest(), len(written), plain)


def _bytes_of(content: Any) -> bytes:
    """What is hashed of a content: a text as it is, anything else as sorted JSON."""
    try:
        of_plain(content)
        written = (
            content.encode()
            if isinstance(content, str)
            else orjson.dumps(content, option=orjson.OPT_SORT_KEYS)
        )
    except DocumentError as problem:
        raise UnfitError(f"is not JSON: {problem.message}") from problem
    except TypeError as problem:
        raise UnfitError(f"is not JSON: {problem}") from problem
    if len(written) > LARGEST_INLINE:
        raise UnfitError(f"is larger than {LARGEST_INLINE} bytes; hand it in as a file")
    return written
