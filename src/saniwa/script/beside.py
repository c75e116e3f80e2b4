"""The files of one story: names only, nothing is opened here."""

import posixpath


def joined(file: str, link: str) -> str:
    """The file a link in another file names; the file itself for an empty link."""
    if not link:
        return file
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), link))


def relative(file: str, first: str) -> str:
    """A file's name as seen from the folder of the story's first file."""
    return file.removeprefix(_folder(first))


def leaves(file: str, first: str) -> bool:
    """Whether a file's name leads out of the folder of the story's first file."""
    folder = _folder(first)
    return not file.startswith(folder) or posixpath.normpath(
        file.removeprefix(folder)
    ).startswith(("../", "/"))


def _folder(first: str) -> str:
    folder = posixpath.dirname(first)
    return f"{folder}/" if folder else ""
