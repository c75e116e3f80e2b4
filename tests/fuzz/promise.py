"""What every reader promises for any input, and whether it was kept.

Total: a value, findings, or one error of our family. Bounded: neither hours nor memory.
Steady: the same bytes, the same answer. Quiet: no control character reaches a terminal.
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
from tests.fuzz.reach import SOURCE
from tests.fuzz.reader import Read, Reader, Told

SECONDS = 20.0
"""Of processor time that one reading may take, traced and on a slow machine."""
_MEGABYTES = 700
"""By which this process may grow over one reading."""
# In memory where there is such a place: what is tried here is no disk.
_QUICK = next((each for each in ("/dev/shm",) if Path(each).is_dir()), None)


class TooMuchError(BaseException):
    """A reading took too long or too much; no `except Exception` keeps it back."""


class Broken(msgspec.Struct, frozen=True, kw_only=True):
    """A promise that was not kept."""

    promise: str
    """Which: `total`, `bounded`, `steady`, `quiet`."""
    place: str
    """Where it was broken; the same mistake has the same place."""
    said: str
    """What happened, for whoever mends it."""


Around = Callable[[Callable[[], Told]], Told]
"""Does a reading, and may look on."""


def tried(
    reader: Reader, content: bytes, around: Around | None = None, *, again: bool = True
) -> Broken | None:
    """Let the reader read it, and once more if `again`; what it broke, or None."""
    try:
        first = _read(reader.read, content, around or (lambda read: read()))
        loud = _loud(first)
        if loud is not None:
            return loud
        second = _read(reader.read, content, lambda read: read()) if again else first
    except TooMuchError as problem:
        return _broken("bounded", problem)
    except Exception as problem:  # noqa: BLE001 - whatever it is, it is told
        return _broken("total", problem)
    if first != second:
        said = f"{first.answer[:2000]!r}\nthen\n{second.answer[:2000]!r}"
        return Broken(promise="steady", place=reader.name, said=said)
    return None


def _broken(promise: str, problem: BaseException) -> Broken:
    place = _place(traceback.extract_tb(problem.__traceback__))
    said = "".join(traceback.format_exception(problem, limit=-12))
    return Broken(promise=promise, place=f"{type(problem).__name__} in {place}", said=said)


def _read(read: Read, content: bytes, around: Around) -> Told:
    folder = Path(tempfile.mkdtemp(prefix="saniwa-fuzz-", dir=_QUICK))
    before = _least_again()
    try:
        with _bounded():
            told = around(lambda: read(content, folder))
    except SaniwaError as problem:
        shown = str(problem)
        # As every door sends it; a detail that is no JSON is found out here.
        document = msgspec.json.encode(problem.to_document())
        told = Told(answer=document, shown=escape_control_characters(shown))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    grown = _most() - before
    if grown > _MEGABYTES:
        raise TooMuchError(f"{grown} MB")
    return Told(
        answer=told.answer.replace(str(folder).encode(), b"HERE"),
        shown=told.shown.replace(str(folder), "HERE"),
    )


def _least_again() -> int:
    """The megabytes this process holds, which count as its most from now on."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _most()


def _most() -> int:
    """The most megabytes it has held since."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (line for line in status.split("\n") if line.startswith("VmHWM:"))
    return int(line.split()[1]) // 1024


def _loud(told: Told) -> Broken | None:
    for letter in told.shown:
        if letter != "\n" and (category(letter) in _UNSEEN or letter in _TURNING):
            said = f"{letter!r} in {told.shown[:2000]!r}"
            return Broken(promise="quiet", place=f"{letter!r}", said=said)
    return None


_UNSEEN = ("Cc", "Cs", "Zl", "Zp")
_TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Letters that turn the direction of what stands around them."""


def _place(frames: traceback.StackSummary) -> str:
    """The innermost line of ours; of the tests where none is ours."""
    seen = [each for each in frames if each.filename != __file__]
    ours = [each for each in seen if each.filename.startswith(SOURCE)] or seen
    if not ours:
        return "?"
    last = ours[-1]
    return f"{'/'.join(Path(last.filename).parts[-2:])}:{last.name}"


@contextmanager
def _bounded() -> Iterator[None]:
    def hung(_signal: int, _frame: FrameType | None) -> None:
        raise TooMuchError(f"{SECONDS} s")

    before = signal.signal(signal.SIGPROF, hung)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
