"""Keeping what models say, and playing it back: `recorded` is one line of a tape."""
