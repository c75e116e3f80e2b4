"""English: tokens, clauses, parser and narrator."""
