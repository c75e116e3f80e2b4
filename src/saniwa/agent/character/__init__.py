"""A character's standing in words: what its prompt is made of.

Made from its mind alone; no world is asked.
"""
