"""A model for ears and mouth: words into rough claims, turns into words that are checked.

Nothing here decides: claims are weighed like anybody's, and words that are not so are
not told.
"""
