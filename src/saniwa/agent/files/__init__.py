"""The author's side of agents: reads files, reports mistakes, draws flows."""
