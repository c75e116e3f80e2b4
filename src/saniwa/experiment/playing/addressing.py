"""Whom a speech is addressed to, and whether they can hear it."""

import re
from collections.abc import Sequence
from typing import Final

from saniwa.turn.spoken import fold
from saniwa.world.model import Id, World
from saniwa.world.view import room_of

_CALLED: Final = r"(?:さん|ちゃん|くん|君|様)?\s*[,，、!！?？…:：]"


def misaddressed(speech: str, speaker: Id, world: World) -> str:
    """The name of somebody who is called at the beginning of a sentence and cannot hear.

    Nobody can be called who is elsewhere; nobody calls themselves. Empty where all is
    well. Only names of the cast are looked for: a name that nobody has is no address.
    """
    here = room_of(world, speaker)
    for who in world.characters():
        deaf = who.id == speaker or room_of(world, who.id) != here
        if deaf and _calls(speech, (who.name, *who.aliases)):
            return who.name
    return ""


def _calls(speech: str, names: Sequence[str]) -> bool:
    words = fold(speech)
    return any(
        re.search(rf"(?:^|[.。!！?？]\s*){re.escape(name)}{_CALLED}", words)
        for name in map(fold, names)
        if name
    )
