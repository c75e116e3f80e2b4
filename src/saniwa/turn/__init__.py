"""One passage from words to consequences, and the record of it.

Hearing (words into rough claims) and deciding (claims into consequences) are two things:
parsers guess, `play` decides.
"""
