"""Old notation made new, and nothing that is played changed."""
