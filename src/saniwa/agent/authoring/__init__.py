"""The author's side: reading agents, telling every mistake, drawing them."""
