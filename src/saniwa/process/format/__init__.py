"""Read the parts of a process definition: keys, types, names and locations.

Whether the parts fit together is checked in `lint`.
"""
