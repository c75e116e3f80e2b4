"""A story world that stays true while people and language models live in it."""
