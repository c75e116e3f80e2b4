"""All readers of foreign bytes."""

from tests.fuzz.reader import Reader
from tests.fuzz.readers import authored, doors, gates, kept, said, stories

READERS: tuple[Reader, ...] = (
    *authored.READERS,
    *stories.READERS,
    *said.READERS,
    *gates.READERS,
    *kept.READERS,
    *doors.READERS,
)
