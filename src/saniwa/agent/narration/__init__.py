"""Uses a model to translate words into claims, and turns into checked narration.

Nothing here decides: claims are judged like any player's, and narration that is not
true is not shown.
"""
