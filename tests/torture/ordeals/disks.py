"""Disks that are full, and disks nobody may write to."""

import re
import tempfile
from functools import partial
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed

from tests.journeys.desk import Answer
from tests.torture.disk import Disk, on_a_disk
from tests.torture.ordeal import Ordeal, Tally
from tests.torture.subjects import SUBJECTS, Read

_CODE = re.compile(r"(?:\[|\"code\":\")([A-Z][A-Z_]+)")
_UNWRITABLE = {"TRACE_UNWRITABLE", "FILE_UNWRITABLE"}


def full(disk: Disk, chance: Random) -> Tally:
    """Act on a disk with a little room, until there is none; then with room again."""
    tally = Tally()
    for begun in SUBJECTS:
        subject = begun(_room(disk))
        _fine(subject.act())
        disk.fill(leave=chance.choice([0, 4096, 16_384, 65_536]))
        refused = sum(_fine_or_unwritable(subject.act()) for _ in range(2))
        disk.clear()
        _fine(subject.look())
        _fine(subject.act())
        tally += Tally(harmed=1, acknowledged=subject.told, refused=refused)
    return tally


def read_only(disk: Disk, _: Random) -> Tally:
    """Look and act where nobody may write; then where one may again."""
    tally = Tally()
    for begun in SUBJECTS:
        subject = begun(_room(disk))
        _fine(subject.act())
        with disk.read_only():
            # To take up a story is to keep its place, so it cannot be looked at alone.
            if not isinstance(subject, Read):
                _fine(subject.look())
            assert _fine_or_unwritable(subject.act()), "it was done all the same"
        _fine(subject.look())
        _fine(subject.act())
        tally += Tally(harmed=1, acknowledged=subject.told, refused=1)
    return tally


def _room(disk: Disk) -> Path:
    """An empty folder on the disk."""
    return Path(tempfile.mkdtemp(dir=disk.folder))


def _fine(answer: Answer) -> None:
    assert 0 == answer.code, answer


def _fine_or_unwritable(answer: Answer) -> bool:
    """Whether it was refused; then with a code of ours and a cure."""
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
        tried="Runs, stories, gates and workers go on where a disk has little room or none.",
        promised="What was told is kept, what is refused says so with a cure, room mends it.",
        trial=partial(on_a_disk, full),
    ),
    Ordeal(
        name="disk-read-only",
        tried="The same where nobody may write: they are looked at and gone on with.",
        promised="Nothing is lost, what is refused says so with a cure, rights mend it.",
        trial=partial(on_a_disk, read_only),
    ),
)
