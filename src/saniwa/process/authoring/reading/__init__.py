"""Definitions in YAML or JSON, read with the place of every part.

camelCase and snake_case, and the form with a `process` header, mean the same.
"""

from saniwa.process.authoring.reading.read import (
    Read,
    read_document,
    read_process,
    read_process_text,
)

__all__ = ["Read", "read_document", "read_process", "read_process_text"]
