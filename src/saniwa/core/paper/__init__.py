"""Reading what people wrote: mappings with known keys, each value with its place."""
