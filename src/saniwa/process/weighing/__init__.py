"""Deciding: may this event happen now, on this evidence, by this visitor? Writes nothing."""
