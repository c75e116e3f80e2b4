"""Which blocks are copies: those of a scenario in which no seed changes an answer.

A model that hears no seed answers the same in every block, and ten of its blocks are one
observation. Where seeds change anything, equal answers are draws that fell the same way:
leaving those out would make what is rare look frequent.
"""

from collections.abc import Iterator, Mapping, Sequence

from saniwa.experiment.measure.model import Numbers

Block = Mapping[str, Numbers]
"""The cells of a scenario with a seed, by what they are of, such as a condition."""


def without_copies(blocks: Sequence[Block]) -> list[int]:
    """The places of the blocks that count, in order.

    Of a scenario in which all blocks are alike that is one, the first that lacks least;
    of any other scenario it is every block.
    """
    places: dict[str, list[int]] = {}
    for place, block in enumerate(blocks):
        places.setdefault(next(iter(block.values())).scenario, []).append(place)
    kept: list[int] = []
    for some in places.values():
        kept += _kept(some, blocks)
    return sorted(kept)


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
