"""Commands for story authors: check, format, explore, play through, measure, translate."""
