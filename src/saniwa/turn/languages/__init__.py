"""Phrases of each language as plain tables: what is heard, and what is told.

No module here decides anything; a language is added by writing its tables.
"""
