"""Mutate inputs of every reader for some minutes, and report broken promises.

`make fuzz` runs it; `python -m tests.fuzz READER FILE` repeats one input.
"""

import argparse
import resource
import sys
import time
from pathlib import Path

from tests.fuzz.corpus import choose_fewest, keep, name_input, read_corpus
from tests.fuzz.fuzz_loop import FuzzedReader, shrink_input
from tests.fuzz.fuzz_reader import FuzzReader
from tests.fuzz.reader_promise import BrokenPromise, try_reader
from tests.fuzz.readers import READERS

_FOUND = Path(__file__).parent / "found"
_MEMORY = 6 << 30
_WORTH = 60_000
"""How many bytes of inputs are shrunk before the inputs to keep are chosen."""
_SLICE = 4.0
"""How many seconds a reader is fuzzed before the next one."""


def main() -> int:
    """Fuzz or repeat; returns 1 if a promise was broken."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    asked = _parse_arguments()
    if asked.file:
        return _repeat(_find_reader(asked.reader), asked.file.read_bytes())
    readers = [each for each in READERS if not asked.only or each.name in asked.only]
    growths = [FuzzedReader(reader, asked.seed, _report_broken) for reader in readers]
    spent = _grow(growths, asked.minutes * 60)
    for growth in growths:
        _say(_render_line(growth, spent[growth.reader.name]))
    if asked.keep:
        for growth in growths:
            _keep(growth)
    return 1 if any(growth.found for growth in growths) else 0


def _parse_arguments() -> argparse.Namespace:
    ask = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__)
    ask.add_argument("reader", nargs="?", help="repeat one input of this reader")
    ask.add_argument("file", nargs="?", type=Path, help="the input")
    ask.add_argument("--minutes", type=float, default=10, help="for how long, in all")
    ask.add_argument("--seed", default=str(time.time_ns()), help="use the same random inputs")
    ask.add_argument("--only", nargs="*", choices=[each.name for each in READERS])
    ask.add_argument("--keep", action="store_true", help="renew the corpus")
    return ask.parse_args()


def _find_reader(name: str) -> FuzzReader:
    return next(each for each in READERS if each.name == name)


def _repeat(reader: FuzzReader, content: bytes) -> int:
    broken = try_reader(reader, content)
    _say(f"{broken.promise}: {broken.said}" if broken else "every promise was kept")
    return 1 if broken else 0


def _grow(growths: list[FuzzedReader], seconds: float) -> dict[str, float]:
    """Fuzz every reader in turn; returns how many seconds each had."""
    spent = dict.fromkeys((each.reader.name for each in growths), 0.0)
    ending = time.monotonic() + seconds
    for growth in growths:
        begun = time.monotonic()
        growth.begin()
        spent[growth.reader.name] += time.monotonic() - begun
    while time.monotonic() < ending:
        for growth in growths:
            begun = time.monotonic()
            until = min(begun + _SLICE, ending)
            growth.grow(lambda until=until: time.monotonic() < until)  # type: ignore[misc]
            spent[growth.reader.name] += time.monotonic() - begun
    return spent


def _render_line(growth: FuzzedReader, seconds: float) -> str:
    rate = growth.tried / max(seconds, 0.001)
    return (
        f"{growth.reader.name:<22}{growth.tried:>8} inputs {rate:>8.0f}/s "
        f"{len(growth.reach):>6} lines {len(growth.found):>3} findings"
    )


def _keep(growth: FuzzedReader) -> None:
    reader = growth.reader
    best = choose_fewest(reader, growth.inputs, room=_WORTH)
    keep(
        reader,
        choose_fewest(
            reader, [*read_corpus(reader), *(shrink_input(reader, each) for each in best)]
        ),
    )


def _report_broken(reader: FuzzReader, content: bytes, broken: BrokenPromise) -> None:
    _FOUND.mkdir(exist_ok=True)
    file = _FOUND / f"{reader.name}-{name_input(content)}"
    file.write_bytes(content)
    _say(
        f"\n{reader.name}: {broken.promise}: {broken.place}\n{broken.said}\n"
        f"  again: python -m tests.fuzz {reader.name} tests/fuzz/found/{file.name}"
    )


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - output for the user


if __name__ == "__main__":
    sys.exit(main())
