"""Japanese: conjugation, segments, clauses, parser and narrator."""
