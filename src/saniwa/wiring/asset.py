"""The pictures and sounds of a story, read for whoever shows them."""

import os
import stat
from mimetypes import guess_type
from pathlib import Path
from typing import Final

import msgspec

from saniwa.core.errors import ScriptError
from saniwa.core.inside import open_inside, walked
from saniwa.core.quoted import quoted
from saniwa.wiring.library import StoryPlace

LARGEST: Final = 64_000_000
"""Bytes a picture or sound may have."""
_SHOWN: Final = frozenset(
    {"image/png", "image/jpeg", "image/webp", "image/gif", "image/avif"}
    | {"image/svg+xml"}
    | {"audio/ogg", "audio/mpeg", "audio/wav", "audio/x-wav", "audio/flac"}
    | {"audio/mp4", "audio/webm", "video/mp4", "video/webm", "video/ogg"}
)
"""What is given to hosts."""


class Asset(msgspec.Struct, frozen=True, kw_only=True):
    """A picture, a sound or a film."""

    media: str
    """What it is, such as `image/png`."""
    content: bytes
    """Its bytes."""


def read_asset(place: StoryPlace, named: str) -> Asset:
    """A file of a story, by the path that a StepResult gives.

    Raises:
        ScriptError: `ASSET_NOT_FOUND` for what is not there, leads out of the story's
            asset folder, or is nothing a host would show.
    """
    for edition in place.editions:
        found = edition.assets and _read(edition.assets, named)
        if found:
            return found
    raise no_asset(place.id, named)


def no_asset(story: str, named: str) -> ScriptError:
    """The error for a file that a story does not have; empty for no story at all."""
    whose = f"the story {quoted(story)}" if story else "what is played"
    return ScriptError(
        "ASSET_NOT_FOUND",
        f"{whose} shows no file {quoted(named)}",
        hint="pictures and sounds lie in the story's asset folder",
    )


def _read(folder: Path, named: str) -> Asset | None:
    kind = guess_type(named)[0] or ""
    *folders, last = named.split("/")
    if kind not in _SHOWN or any(part in ("", ".", "..") for part in (*folders, last)):
        return None
    try:
        with (
            walked(folder, folders) as here,
            os.fdopen(open_inside(here, last), "rb") as file,
        ):
            state = os.fstat(file.fileno())
            if not stat.S_ISREG(state.st_mode) or state.st_size > LARGEST:
                return None
            return Asset(media=kind, content=file.read(LARGEST))
    except (OSError, ValueError):
        return None
