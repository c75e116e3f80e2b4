"""English and Japanese: parsing players' words into claims, and narrating in sentences.

Each language has a lexicon, a parser and a narrator. Nothing here judges an action or
changes a world.
"""
