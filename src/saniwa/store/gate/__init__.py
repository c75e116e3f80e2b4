"""How a gate lasts: its runs in files, PostgreSQL or memory, its evidence, its people."""
