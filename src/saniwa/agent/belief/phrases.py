"""The few sentences a memory needs that no narrator tells."""

_PHRASES: dict[str, dict[str, str]] = {
    "en": {
        "went": "You went to {place}.",
        "looked": "You looked around.",
        "tried": "You tried to {asked}. {why}",
        "tried.plainly": "{why}",
    },
    "ja": {
        "went": "{place}へ行った。",
        "looked": "辺りを見回した。",
        "tried": "「{asked}」を試みた。{why}",
        "tried.plainly": "{why}",
    },
}


def phrase(language: str, line: str, **fields: str) -> str:
    """One sentence; English for a language we do not speak."""
    return _PHRASES.get(language, _PHRASES["en"])[line].format(**fields)
