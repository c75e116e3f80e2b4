"""Every order in which callers can get in each other's way, tried on the real code."""
