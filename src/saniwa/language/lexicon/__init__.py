"""The word lists of each language, as data: verbs, prepositions, particles, phrases."""
