"""What every room stands on: errors, findings, places in files, hashes, ids, time.

Knows nothing of worlds, stories or models.
"""
