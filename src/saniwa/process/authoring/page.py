"""A definition under inspection, and what has been found in it so far."""

from saniwa.core.page import MOST, Page, Path

__all__ = ["MOST", "Page", "Path"]
