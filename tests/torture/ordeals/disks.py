"""Full disks and read-only disks."""

import re
import tempfile
from functools import partial
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed

from tests.journeys.gate_terminal import CommandAnswer
from tests.torture.ordeal import Ordeal, TrialTally
from tests.torture.small_disk import SmallDisk, try_on_disk
from tests.torture.subjects import SUBJECTS, PlayedStory

_CODE = re.compile(r"(?:\[|\"code\":\")([A-Z][A-Z_]+)")
_UNWRITABLE = {"TRACE_UNWRITABLE", "FILE_UNWRITABLE"}


def fill_disk(disk: SmallDisk, chance: Random) -> TrialTally:
    """Act on a disk with little room or none; then with room again."""
    tally = TrialTally()
    for begun in SUBJECTS:
        subject = begun(_make_folder(disk))
        _assert_fine(subject.act())
        disk.fill(leave=chance.choice([0, 4096, 16_384, 65_536]))
        refused = sum(_is_unwritable(subject.act()) for _ in range(2))
        disk.clear()
        _assert_fine(subject.look())
        _assert_fine(subject.act())
        tally += TrialTally(harmed=1, acknowledged=subject.acknowledged_count, refused=refused)
    return tally


def try_read_only(disk: SmallDisk, _: Random) -> TrialTally:
    """Look and act on a read-only disk; then on a writable one again."""
    tally = TrialTally()
    for begun in SUBJECTS:
        subject = begun(_make_folder(disk))
        _assert_fine(subject.act())
        with disk.make_read_only():
            # Resuming a story saves its place, so it cannot be looked at without writing.
            if not isinstance(subject, PlayedStory):
                _assert_fine(subject.look())
            assert _is_unwritable(subject.act()), "it was done all the same"
        _assert_fine(subject.look())
        _assert_fine(subject.act())
        tally += TrialTally(harmed=1, acknowledged=subject.acknowledged_count, refused=1)
    return tally


def _make_folder(disk: SmallDisk) -> Path:
    """An empty folder on the disk."""
    return Path(tempfile.mkdtemp(dir=disk.folder))


def _assert_fine(answer: CommandAnswer) -> None:
    assert 0 == answer.code, answer


def _is_unwritable(answer: CommandAnswer) -> bool:
    """Whether it was refused; a refusal must have a documented code and a hint."""
    said = answer.out + answer.err
    assert "Traceback" not in said, said
    if answer.code == 0:
        return False
    assert _UNWRITABLE & set(_CODE.findall(said)), answer
    assert "hint" in said, answer
    return True


ORDEALS = (
    Ordeal(
        name="disk-full",
        tried="Runs, stories, gates and workers continue on a disk with little space or none.",
        promised="Reported changes are kept, refusals say what to do, and space solves it.",
        trial=partial(try_on_disk, fill_disk),
    ),
    Ordeal(
        name="disk-read-only",
        tried="The same in a read-only folder: they are inspected and continued.",
        promised="Nothing is lost, refusals say what to do, and permissions solve it.",
        trial=partial(try_on_disk, try_read_only),
    ),
)
