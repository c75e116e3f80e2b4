"""What authors and editors use, and a player does not need.

Exploring and testing a story, rewriting, translating and drawing it, and answering an
editor's questions.
"""
