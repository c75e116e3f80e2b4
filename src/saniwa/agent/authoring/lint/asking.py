"""Whether the file is there that answers in a model's place."""

from pathlib import Path

from saniwa.agent.prompting.folder import (
    MissingError,
    OutsideError,
    UnfitError,
    check_file,
)
from saniwa.core.paper.held import Held
from saniwa.core.quoted import quoted

_FILES = ("canned", "replay")


def look(held: Held | None, folder: Path) -> None:
    """Note a file of answers that lies elsewhere, or nowhere.

    That there is none is a warning: who runs the agent may name another model.
    """
    kind, _, path = str(held.value).partition(":") if held is not None else ("", "", "")
    if held is None or kind not in _FILES:
        return
    try:
        check_file(folder, path)
    except OutsideError as problem:
        hint = "write a path that stays inside the agent's folder"
        held.error("FILE_OUTSIDE", str(problem), hint=hint)
    except MissingError:
        message = f"there is no file {quoted(path)} to answer from"
        hint = "write the file, or name another model"
        held.warn("FILE_MISSING", message, hint=hint)
    except UnfitError as problem:
        message = f"{quoted(path)} cannot answer: it {problem}"
        held.warn("FILE_MISSING", message, hint="write a regular file")
