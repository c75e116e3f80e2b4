"""Which blocks are copies: distinct sequences of answers are the blocks.

A model that hears no seed answers the same in every block of a scenario, and ten of those
are one observation. One that hears no scenario either answers the same in all of them, and
that is one observation as well. Where seeds change anything within a scenario, equal
answers there are draws that fell the same way: leaving those out would make what is rare
look frequent.
"""

from collections.abc import Iterator, Mapping, Sequence

from saniwa.experiment.measure.model import Numbers

Block = Mapping[str, Numbers]
"""The cells of a scenario with a seed, by what they are of, such as a condition."""
_Signature = frozenset[tuple[str, str]]


def without_copies(blocks: Sequence[Block]) -> list[int]:
    """The places of the blocks that count, in order.

    Of a scenario in which all blocks are alike that is one, the first that lacks least;
    of any other scenario it is every block. A block whose answers another scenario has
    given before does not count.
    """
    places: dict[str, list[int]] = {}
    for place, block in enumerate(blocks):
        places.setdefault(next(iter(block.values())).scenario, []).append(place)
    kept: list[int] = []
    known = set[_Signature]()
    for some in places.values():
        own = {place: _signature(blocks[place]) for place in _kept(some, blocks)}
        kept += [place for place, said in own.items() if said not in known]
        known |= {said for said in own.values() if said}
    return sorted(kept)


def _signature(block: Block) -> _Signature:
    """What every condition of a block answered; empty where none did."""
    return frozenset(
        (name, cell.answers) for name, cell in block.items() if cell.answers
    )


def _kept(places: Sequence[int], blocks: Sequence[Block]) -> Sequence[int]:
    if not _all_alike([blocks[place] for place in places]):
        return places
    return [max(places, key=lambda place: _whole(blocks[place]))]


def _all_alike(blocks: Sequence[Block]) -> bool:
    """Whether no condition ever answers otherwise, and any has answered twice."""
    said = list(_said(blocks))
    return all(len({*each}) <= 1 for each in said) and max(map(len, said)) > 1


def _said(blocks: Sequence[Block]) -> Iterator[list[str]]:
    """What each condition answered; runs that broke off tell only where all did."""
    for name in sorted({name for block in blocks for name in block}):
        cells = [block[name] for block in blocks if name in block]
        ended = [cell for cell in cells if cell.success]
        yield [cell.answers for cell in ended or cells if cell.answers]


def _whole(block: Block) -> int:
    return sum(cell.success for cell in block.values())
