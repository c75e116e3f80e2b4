"""The saves of a story by the terminal of an earlier version: JSON files next to the store."""

import json
import os
from hashlib import sha256
from pathlib import Path

PLACE = "here"
"""The name of the position."""
SEEN = "seen"
"""The name of the list of lines seen."""


def make_old_folder(story: Path, store: Path) -> Path:
    """The folder of a story, as that version named it."""
    stories = store.parent / "stories"
    relation = os.path.relpath(os.path.realpath(story), os.path.realpath(stories))
    hashed = sha256(Path(relation).as_posix().encode()).hexdigest()[:12]
    return stories / f"{story.stem}-{hashed}"


def write_old(folder: Path, name: str, kept: bytes) -> Path:
    """Write one value; saves belong in the folder `saves` below."""
    folder.mkdir(parents=True, exist_ok=True)
    seal = sha256(name.encode() + b"\0" + kept).hexdigest()[:32]
    shown = "".join(c if c.isalnum() else "_" for c in name[:40])
    file = folder / f"{shown}-{sha256(name.encode()).hexdigest()[:16]}.json"
    body = f'{{"name":{json.dumps(name)},"kept":'.encode() + kept + f',"seal":"{seal}"}}'.encode()
    file.write_bytes(body)
    return file
