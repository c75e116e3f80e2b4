"""Evidence: what was handed in, by whom, and the hash that tells if it changed."""

from pathlib import PurePosixPath
from typing import Any, Literal

import msgspec

from saniwa.core.warm_decoders import warm_decoders


class Author(msgspec.Struct, frozen=True):
    """Who did something."""

    type: Literal["agent", "human", "system"]
    """A door without a credential is an agent's."""
    id: str
    """The credential's name, or the door's role."""


class Claim(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An artifact as somebody hands it in: one of path, url and content."""

    type: str = ""
    """Its kind; told by the file's name where it is empty."""
    path: str = ""
    """A file inside the run's artifact folder."""
    url: str = ""
    """An address; needs a hash, for nobody fetches it."""
    content: Any = msgspec.UNSET
    """The thing itself."""
    hash: str = ""
    """SHA-256 in hex; checked where we can read the thing."""
    metadata: dict[str, Any] = {}
    """Whatever else is to be known of it."""


class Artifact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An artifact that was accepted."""

    artifact_id: str
    """Its own id."""
    run_id: str
    """The run it belongs to."""
    type: str
    """Its kind; empty for a file that is none of the process's kinds."""
    content: Any = msgspec.UNSET
    """The thing itself, if it was handed in so."""
    path: str = ""
    """The file, if it is one; inside the run's artifact folder."""
    url: str = ""
    """The address, if it is somewhere else."""
    hash: str
    """SHA-256 in hex, of the bytes that were read when it was handed in."""
    size: int = 0
    """How many bytes those were."""
    held_to: str = ""
    """The mark of the schema it was held to; empty if its kind had none."""
    fields: tuple[str, ...] = ()
    """What it says, as dotted names; only where the process asks for fields."""
    checked: str = ""
    """What the gate looked up itself and found; empty where it only has the author's
    word."""
    metadata: dict[str, Any] = {}
    """Whatever else its author wanted known."""
    created_at: str
    """When it was handed in; ISO 8601."""
    created_by: Author
    """Who handed it in."""

    @property
    def place(self) -> str:
        """How the log's row names it: as it was handed in."""
        return self.path or self.url or f"inline:{self.type}:{self.hash[:12]}"

    @property
    def form(self) -> str:
        """How it was handed in: as a file's path, at an address, or directly."""
        return "path" if self.path else "url" if self.url else "inline"

    @property
    def made_by(self) -> Literal["agent", "person", "gate"]:
        """Whose word it is; `gate` for what a hook of the process wrote."""
        makers: dict[str, Literal["agent", "person", "gate"]] = {
            "agent": "agent",
            "human": "person",
            "system": "gate",
        }
        return makers[self.created_by.type]

    @property
    def is_claim(self) -> bool:
        """Whether nothing it says was checked: it is its author's word alone."""
        return not self.checked and self.made_by != "gate"

    @property
    def identity(self) -> str:
        """What makes it the same thing handed in again: `./a.md` is `a.md`."""
        return str(PurePosixPath(self.path)) if self.path else self.place


def infer_type(path: str, types: frozenset[str]) -> str:
    """The kind a file's name says: `kind.md`, `kind_x.md`, `kind-x.md`, `x_kind.md`.

    The longest kind that fits; empty if none does.
    """
    stem = PurePosixPath(path).stem.lower()
    fits = [kind for kind in types if _matches_kind(stem, kind.lower())]
    return max(sorted(fits), key=len, default="")


def _matches_kind(stem: str, kind: str) -> bool:
    return (
        stem == kind
        or stem.startswith((f"{kind}_", f"{kind}-"))
        or stem.endswith((f"_{kind}", f"-{kind}"))
    )


warm_decoders(Claim)
