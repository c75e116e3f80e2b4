"""Every order in which concurrent callers can interleave, tried on the real code."""
