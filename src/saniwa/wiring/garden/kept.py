"""What is the server's own: files and folders that no request opens, whatever they are called."""

from pathlib import Path
from typing import Final

from saniwa.wiring.gate_places import GatePlaces
from saniwa.wiring.plays import PLAYS
from saniwa.wiring.store import is_address, is_memory

_BESIDE: Final = ("-wal", "-shm", "-journal")


class Kept:
    """Places that are kept from everybody who comes over HTTP."""

    def __init__(self, *places: Path) -> None:
        """These, and those that are added; they need not be there."""
        self._places = set[tuple[str, ...]]()
        self.add(*places)

    def add(self, *places: Path) -> None:
        """Keep these as well."""
        self._places |= {_steps(each.resolve()) for each in places}

    def holds(self, path: Path) -> bool:
        """Whether something is one of them, or lies in one; said without links."""
        steps = _steps(path)
        return any(steps[: len(each)] == each for each in self._places)

    def touches(self, folder: Path) -> bool:
        """The same, or whether one of them lies in it."""
        steps = _steps(folder)
        within = any(each[: len(steps)] == steps for each in self._places)
        return within or self.holds(folder)


def gate_kept(places: GatePlaces) -> tuple[Path, ...]:
    """What a gate keeps to itself."""
    people = places.people
    return (
        places.root,
        places.runs,
        places.metadata,
        people,
        people.with_suffix(".lock"),
    )


def store_kept(store: str) -> tuple[Path, ...]:
    """What a store keeps to itself: nothing where it is no file."""
    if is_memory(store) or is_address(store):
        return ()
    files = (Path(store), Path(store).with_name(PLAYS))
    beside = (file.with_name(file.name + end) for file in files for end in _BESIDE)
    return (*files, *beside)


def _steps(path: Path) -> tuple[str, ...]:
    # Some file systems take large letters for small ones.
    return tuple(part.casefold() for part in path.parts)
