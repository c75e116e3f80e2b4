"""A turn: from one actor's words to their consequences, and the record of it.

Parsing turns words into untrusted claims; `play` decides what happens. Nothing here
stores a turn.
"""
