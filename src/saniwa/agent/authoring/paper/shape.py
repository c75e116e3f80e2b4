"""Reads the mappings of an agent's files."""

from typing import Final

from saniwa.agent.authoring.paper.form import NULL_MEANS, OLD_KEYS
from saniwa.agent.authoring.paper.kinds import SHAPES
from saniwa.core.paper.shape import Reader

READER: Final = Reader(SHAPES, OLD_KEYS, NULL_MEANS)
"""How they are read."""
fields = READER.fields
known_as = READER.known_as
inner_of = READER.inner_of
well_formed = READER.well_formed
