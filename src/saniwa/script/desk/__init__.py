"""Tools at an author's desk: what a story holds, where it leads, how it is written."""
