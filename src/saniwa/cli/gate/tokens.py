"""A credential in a file of its owner, written only if its person was added."""

import os
from pathlib import Path
from types import TracebackType

import click


class TokenFile:
    """A new file that only its owner can read; gone again if what it is for fails."""

    def __init__(self, file: str | None, credential: str) -> None:
        """A file to be written; None for none."""
        if file == "":
            raise click.BadParameter("--token-file: the name of a file is empty")
        self._path = Path(file) if file else None
        self._credential = credential

    def __enter__(self) -> None:
        if self._path is None:
            return
        # Before anybody is added: a secret that can be written nowhere is no use.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        try:
            handle = os.open(self._path, flags, 0o600)
        except FileExistsError as problem:
            told = f"--token-file: there is a file {str(self._path)!r} already"
            raise click.BadParameter(told) from problem
        with os.fdopen(
            handle, "w", encoding="utf-8", errors="surrogateescape"
        ) as stream:
            stream.write(f"{self._credential}\n")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if problem is not None and self._path is not None:
            self._path.unlink(missing_ok=True)
