"""Everything that talks to a language model.

It holds the `Oracle` port, its implementations, and wrappers that retry, meter, redact
and record. Only this package imports provider libraries.
"""
