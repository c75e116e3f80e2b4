"""What every reader promises for any input, and whether it was kept.

Total: a value, findings, or one error of Saniwa's family. Bounded: limited time and memory.
Steady: the same answer for the same bytes. Quiet: no control character in a terminal.
"""

import shutil
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from unicodedata import category

import msgspec

from saniwa.core.errors import SaniwaError
from saniwa.core.text import escape_control_characters
from tests.fuzz.fuzz_reader import FuzzReader, Read, ReaderAnswer
from tests.fuzz.line_coverage import SOURCE

SECONDS = 20.0
"""How much processor time one reading may take, traced and on a slow machine."""
_MEGABYTES = 700
"""How much this process may grow during one reading."""
# In memory if possible: these tests are not about the disk.
_QUICK = next((each for each in ("/dev/shm",) if Path(each).is_dir()), None)


class TooMuchError(BaseException):
    """A reading took too much time or memory; no `except Exception` catches it."""


class BrokenPromise(msgspec.Struct, frozen=True, kw_only=True):
    """A promise that was not kept."""

    promise: str
    """The name of the promise: `total`, `bounded`, `steady`, `quiet`."""
    place: str
    """Where it was broken; the same mistake has the same place."""
    said: str
    """What happened, for the person who fixes it."""


Around = Callable[[Callable[[], ReaderAnswer]], ReaderAnswer]
"""Makes a reading, and may observe it."""


def try_reader(
    reader: FuzzReader, content: bytes, around: Around | None = None, *, again: bool = True
) -> BrokenPromise | None:
    """Read the input, and once more if `again`; returns the broken promise, or None."""
    try:
        first = _read(reader.read, content, around or (lambda read: read()))
        loud = _find_control_character(first)
        if loud is not None:
            return loud
        second = _read(reader.read, content, lambda read: read()) if again else first
    except TooMuchError as problem:
        return _make_broken("bounded", problem)
    except Exception as problem:  # noqa: BLE001 - any error is reported
        return _make_broken("total", problem)
    if first != second:
        said = f"{first.answer[:2000]!r}\nthen\n{second.answer[:2000]!r}"
        return BrokenPromise(promise="steady", place=reader.name, said=said)
    return None


def _make_broken(promise: str, problem: BaseException) -> BrokenPromise:
    place = _find_place(traceback.extract_tb(problem.__traceback__))
    said = "".join(traceback.format_exception(problem, limit=-12))
    return BrokenPromise(promise=promise, place=f"{type(problem).__name__} in {place}", said=said)


def _read(read: Read, content: bytes, around: Around) -> ReaderAnswer:
    folder = Path(tempfile.mkdtemp(prefix="saniwa-fuzz-", dir=_QUICK))
    before = _reset_peak_memory()
    try:
        with _limit_time():
            told = around(lambda: read(content, folder))
    except SaniwaError as problem:
        shown = str(problem)
        # As every interface sends it, so that a detail that is not JSON is found.
        document = msgspec.json.encode(problem.to_document())
        told = ReaderAnswer(answer=document, shown=escape_control_characters(shown))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    grown = _read_peak_memory() - before
    if grown > _MEGABYTES:
        raise TooMuchError(f"{grown} MB")
    return ReaderAnswer(
        answer=told.answer.replace(str(folder).encode(), b"HERE"),
        shown=told.shown.replace(str(folder), "HERE"),
    )


def _reset_peak_memory() -> int:
    """Reset the peak memory of this process; returns the megabytes it holds."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _read_peak_memory()


def _read_peak_memory() -> int:
    """The peak memory since the reset, in megabytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (line for line in status.split("\n") if line.startswith("VmHWM:"))
    return int(line.split()[1]) // 1024


def _find_control_character(told: ReaderAnswer) -> BrokenPromise | None:
    for letter in told.shown:
        if letter != "\n" and (category(letter) in _UNSEEN or letter in _TURNING):
            said = f"{letter!r} in {told.shown[:2000]!r}"
            return BrokenPromise(promise="quiet", place=f"{letter!r}", said=said)
    return None


_UNSEEN = ("Cc", "Cs", "Zl", "Zp")
_TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Characters that change the direction of the text around them."""


def _find_place(frames: traceback.StackSummary) -> str:
    """The innermost frame in Saniwa, or else in the tests."""
    seen = [each for each in frames if each.filename != __file__]
    ours = [each for each in seen if each.filename.startswith(SOURCE)] or seen
    if not ours:
        return "?"
    last = ours[-1]
    return f"{'/'.join(Path(last.filename).parts[-2:])}:{last.name}"


@contextmanager
def _limit_time() -> Iterator[None]:
    def raise_too_much(_signal: int, _frame: FrameType | None) -> None:
        raise TooMuchError(f"{SECONDS} s")

    before = signal.signal(signal.SIGPROF, raise_too_much)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
