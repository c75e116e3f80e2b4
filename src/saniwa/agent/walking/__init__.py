"""An agent's flow, walked: where it stands, and where a check leads. Pure."""
