"""All readers of foreign bytes."""

from tests.fuzz.fuzz_reader import FuzzReader
from tests.fuzz.readers import authored_files, gates, player_words, protocols, stored_files, stories

READERS: tuple[FuzzReader, ...] = (
    *authored_files.READERS,
    *stories.READERS,
    *player_words.READERS,
    *gates.READERS,
    *stored_files.READERS,
    *protocols.READERS,
)
