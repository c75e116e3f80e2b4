"""Which lines of Saniwa have been reached, which decides whether an input is kept."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TypeVar

import saniwa

SOURCE = str(Path(saniwa.__file__).parent)
"""The folder of Saniwa's source."""
T = TypeVar("T")


class ReachedLines:
    """The lines of `src/saniwa` that ran during the observed calls."""

    def __init__(self) -> None:
        """Start with no line reached."""
        self._left: dict[CodeType, set[int]] = {}
        self._seen = set[tuple[CodeType, int]]()
        self._ran = set[tuple[CodeType, int]]()

    def __len__(self) -> int:
        return len(self._seen)

    def watch_call(self, call: Callable[[], T]) -> T:
        """Make the call and note the lines that it is the first to reach."""
        self._ran = set()
        before = sys.gettrace()
        sys.settrace(self._trace_call)
        threading.settrace(self._trace_call)
        try:
            return call()
        finally:
            threading.settrace(None)
            sys.settrace(before)

    def take_new(self) -> set[tuple[CodeType, int]]:
        """The lines that the last call was the first to reach; from now on they are not new."""
        new, self._ran = self._ran, set()
        self._seen |= new
        for code, line in new:
            self._left[code].discard(line)
        return new

    def _trace_call(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        code = frame.f_code
        left = self._left.get(code)
        if left is None:
            left = self._left[code] = _list_lines(code)
        # A function without unreached lines runs at full speed.
        return self._trace_line if left else None

    def _trace_line(self, frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "line" and frame.f_lineno in self._left[frame.f_code]:
            self._ran.add((frame.f_code, frame.f_lineno))
        return self._trace_line


def _list_lines(code: CodeType) -> set[int]:
    if not code.co_filename.startswith(SOURCE) or code.co_name == "<module>":
        return set()
    return {line for _, _, line in code.co_lines() if line}
