"""Code that every other package may use: errors, findings, files, hashes, ids, time.

Does not depend on worlds, stories or models.
"""
