"""Evidence: what was submitted, by whom, and the hash that shows whether it changed.

Plain data only: nothing here reads a file or decides anything.
"""

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any, Literal

import msgspec
import orjson

from saniwa.core.decoder_warming import warm_decoders

Maker = Literal["gate", "tool", "agent", "person"]
"""Who made an artifact; `gate` for what the gate wrote or found out itself."""
EvidenceStanding = Literal["attested", "claimed", "contradicted"]
"""Whether the gate vouches for evidence, has only its author's word, or knows it is untrue."""


class Author(msgspec.Struct, frozen=True):
    """Who did something."""

    type: Literal["agent", "human", "system"]
    """A caller without a credential is an agent."""
    id: str
    """The credential's name, or the caller's role."""


class Claim(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An artifact as it is submitted: one of path, url and content."""

    type: str = ""
    """Its kind; if empty, inferred from the file's name."""
    path: str = ""
    """A file inside the run's artifact folder."""
    url: str = ""
    """A URL; needs a hash, because the gate never fetches it."""
    content: Any = msgspec.UNSET
    """The content itself."""
    hash: str = ""
    """SHA-256 in hex; checked where the gate can read the content."""
    metadata: dict[str, Any] = {}
    """Anything else the author wants recorded."""
    made_by: str = ""
    """Who made it, if not the author; only `tool` can be claimed."""
    call: str = ""
    """The tool call that made it, as the agent's journal names it."""


class Artifact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An artifact that was accepted."""

    artifact_id: str
    """Its own id."""
    run_id: str
    """The run it belongs to."""
    type: str
    """Its kind; empty for a file of no kind that the process defines."""
    content: Any = msgspec.UNSET
    """The content itself, if it was submitted inline."""
    path: str = ""
    """The file, if there is one; inside the run's artifact folder."""
    url: str = ""
    """The URL, if the content is elsewhere."""
    hash: str
    """SHA-256 in hex, of the bytes that were read at submission."""
    size: int = 0
    """The number of those bytes."""
    held_to: str = ""
    """Digest of the schema it was validated against; empty if its kind had none."""
    fields: tuple[str, ...] = ()
    """The fields it has, as dotted names; only where the process requires fields."""
    checked: str = ""
    """What the gate looked up itself and found.

    Empty where the gate only has the author's word.
    """
    check: str = ""
    """The guard whose check the gate ran to make it; empty for what was submitted."""
    claimed: bool = False
    """Whether that check rests on something that only its author says."""
    call: str = ""
    """The tool call that made it, as the agent's journal names it."""
    journal: str = ""
    """The file of that journal, from the project; empty if it is outside."""
    maker: Maker | Literal[""] = msgspec.field(name="made_by", default="")
    """Who made it, as recorded; empty in records that are older than this field."""
    metadata: dict[str, Any] = {}
    """Anything else the author wanted recorded."""
    created_at: str
    """When it was submitted; ISO 8601."""
    created_by: Author
    """Who submitted it."""

    @property
    def place(self) -> str:
        """How the log's row names it: its path, its URL, or a short hash."""
        return self.path or self.url or f"inline:{self.type}:{self.hash[:12]}"

    @property
    def form(self) -> str:
        """How it was submitted: as a file's path, as a URL, or inline."""
        return "path" if self.path else "url" if self.url else "inline"

    @property
    def made_by(self) -> Maker:
        """Who made it; derived from the author where the record does not say."""
        return self.maker or derive_maker(self.created_by)

    @property
    def is_claim(self) -> bool:
        """Whether it is only its author's word, or a check that rests on that."""
        return self.claimed or (not self.checked and self.made_by in ("agent", "person"))

    @property
    def identity(self) -> str:
        """The key by which a later submission replaces it: `./a.md` is `a.md`."""
        return str(PurePosixPath(self.path)) if self.path else self.place


def encode_content(content: Any) -> bytes:
    """Encode inline content as the bytes that are hashed: a text as it is, else sorted JSON.

    Raises:
        TypeError: JSON cannot express it.
    """
    if isinstance(content, str):
        return content.encode()
    return orjson.dumps(content, option=orjson.OPT_SORT_KEYS)


def derive_maker(author: Author) -> Maker:
    """Say who made what an author submitted and did not have made by a tool."""
    makers: dict[str, Maker] = {"agent": "agent", "human": "person", "system": "gate"}
    return makers[author.type]


def infer_type(path: str, types: Iterable[str]) -> str:
    """Infer a kind from a file name: `kind.md`, `kind_x.md`, `kind-x.md`, `x_kind.md`.

    Returns the longest kind that fits, or an empty string if none does.
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
