"""Files of an experiment's folder: whole or not at all, and untouched where they are the same.

Nothing is reached through a link, so nothing outside the folder can be written. Where there
are very many files, waiting for the disk at each would take longer than the experiment:
those are put in `hasty` places. What a power cut tears there is not the same any more, and
so the next writing mends it.
"""

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from saniwa.core.atomic_files import PendingFile, make_folder, open_pending_file
from saniwa.core.safe_open import make_folder_inside, open_folder_path, open_inside
from saniwa.core.text_encoding import replace_surrogates
from saniwa.store.key_value_store import make_unwritable_error


def encode_json_line(value: Any) -> bytes:
    """The value on one line, keys sorted, without a line end.

    Halves of surrogate pairs, which no file could keep, become U+FFFD.
    """
    try:
        return msgspec.json.encode(value, order="deterministic")
    except UnicodeEncodeError:
        plain = _clean_strings(msgspec.to_builtins(value))
        return msgspec.json.encode(plain, order="deterministic")


def encode_json_page(value: Any) -> bytes:
    """The value as people read it: indented, keys sorted, with a line end."""
    return msgspec.json.format(encode_json_line(value), indent=2) + b"\n"


def _clean_strings(value: Any) -> Any:
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, dict):
        return {
            replace_surrogates(str(key)): _clean_strings(each)
            for key, each in value.items()
        }
    if isinstance(value, list | tuple):
        return [_clean_strings(each) for each in value]
    return value


_BLOCK: Final = 1 << 16


class OutputFolder:
    """An open folder that files are put in."""

    def __init__(self, path: Path, fd: int, *, hasty: bool = False) -> None:
        self.path = path
        """Where it is; only for what is said when it cannot be written."""
        self.changed = False
        """Whether anything was put there or taken away."""
        self._fd = fd
        self._hasty = hasty

    def write(self, name: str, content: bytes) -> None:
        """Put a file there; one that holds the same already is left alone.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; then what was there before stands untouched.
        """
        if not self._has_content(name, content):
            with self._open_new(name, self._replace_file) as file:
                file.write(content)

    @contextmanager
    def open_stream(self, name: str) -> Iterator[BinaryIO]:
        """A file to be written piece by piece; it is there when all is written.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; then what was there before stands untouched.
        """
        with self._open_new(name, self._replace_if_different) as file:
            yield file

    @contextmanager
    def _open_new(
        self, name: str, end: Callable[[PendingFile, str], None]
    ) -> Iterator[BinaryIO]:
        try:
            with open_pending_file(self._fd) as new:
                yield new.file
                new.file.flush()
                if not self._hasty:
                    new.sync()
                end(new, name)
        except OSError as problem:
            raise make_unwritable_error(self.path / name, problem) from problem

    def read(self, name: str) -> bytes | None:
        """What a file holds; None where there is none that can be read."""
        file = self._open_existing(name)
        if file is None:
            return None
        with file:
            return file.read()

    def list_names(self) -> list[str]:
        """What is there, in order."""
        with os.scandir(self._fd) as found:
            return sorted(entry.name for entry in found)

    def remove(self, name: str) -> None:
        """Take a file away; one that is gone is gone.

        Raises:
            StoreError: `TRACE_UNWRITABLE`: It cannot be taken away.
        """
        try:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=self._fd)
                self.changed = True
        except OSError as problem:
            raise make_unwritable_error(self.path / name, problem) from problem

    def remove_empty(self, name: str) -> None:
        """Take a folder away if nothing is in it."""
        with suppress(OSError):
            os.rmdir(name, dir_fd=self._fd)
            self.changed = True

    def sync(self) -> None:
        """Make the names in it last, where any has changed."""
        if self.changed and not self._hasty:
            os.fsync(self._fd)

    def _replace_file(self, new: PendingFile, name: str) -> None:
        new.replace(name)
        self.changed = True

    def _replace_if_different(self, new: PendingFile, name: str) -> None:
        if not self._is_same_file(new.name, name):
            self._replace_file(new, name)

    def _has_content(self, name: str, content: bytes) -> bool:
        file = self._open_existing(name)
        if file is None:
            return False
        with file:
            size = os.fstat(file.fileno()).st_size
            return size == len(content) and file.read(size + 1) == content

    def _is_same_file(self, first: str, second: str) -> bool:
        other = self._open_existing(second)
        if other is None:
            return False
        with other, os.fdopen(open_inside(self._fd, first), "rb") as one:
            while (block := one.read(_BLOCK)) == other.read(_BLOCK):
                if not block:
                    return True
        return False

    def _open_existing(self, name: str) -> BinaryIO | None:
        """The file, opened; None where there is none that can be read."""
        try:
            fd = open_inside(self._fd, name)
        except OSError:
            return None
        if stat.S_ISREG(os.fstat(fd).st_mode):
            return os.fdopen(fd, "rb")
        os.close(fd)
        return None


@contextmanager
def open_output_folder(
    folder: Path, *names: str, hasty: bool = False
) -> Iterator[OutputFolder]:
    """The folder at the end of these names, made where it is not there.

    In haste the disk is not waited for.

    Raises:
        StoreError: `TRACE_UNWRITABLE`: It cannot be made, or a link stands in the way.
    """
    path = folder.joinpath(*names)
    try:
        make_folder(folder)
        with open_folder_path(folder, names, make_folder_inside) as fd:
            place = OutputFolder(path, fd, hasty=hasty)
            yield place
            place.sync()
    except OSError as problem:
        raise make_unwritable_error(path, problem) from problem


_ALLOWED: Final = frozenset("\n\u3000\u200d\ufe0f")
"""Ends of lines, the wide space of Japanese, and what holds emoji together."""
_LINE_END: Final = re.compile(
    r"(?:(?<! ) ++)?[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]"
    r"[ \t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]*+"
)
_SPECIAL: Final = re.compile(r"([\\`*_\[\]|~$#]|<(?=[A-Za-z/!?]))")
_WWW: Final = re.compile(r"(?<=www)\.", re.IGNORECASE)


def make_visible(text: str) -> str:
    """The text with everything unseen made visible: marks of direction, escapes."""
    if text.isprintable():
        return text
    return "".join(
        letter
        if letter.isprintable() or letter in _ALLOWED
        else _escape_character(letter)
        for letter in text.replace("\r\n", "\n").expandtabs(4)
    )


def make_visible_line(text: str) -> str:
    """The same on one line, whatever a reader takes for the end of one."""
    return text if text.isprintable() else make_visible(_LINE_END.sub(" ", text))


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is, on one line.

    It must not stand at the beginning of a line, where a number or a dash would begin a
    list.
    """
    shown = _SPECIAL.sub(r"\\\1", make_visible_line(text).replace("&", "&amp;"))
    shown = shown.replace("://", "&#58;//").replace("@", "&#64;")
    return _WWW.sub("&#46;", shown)


def _escape_character(letter: str) -> str:
    return repr(letter)[1:-1]
