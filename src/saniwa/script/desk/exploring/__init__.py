"""Where a story leads: every route, random walks, given choices, played for an author."""
