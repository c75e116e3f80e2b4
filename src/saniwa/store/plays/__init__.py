"""What hosts need beside a run: one record an id, replaced as a whole, with a revision.

Whoever replaces a record names the revision it comes after; of two, exactly one wins.
"""
